#include "common/annotate/headers/rare_headers.hpp"

#include <array>

namespace lanewise::annotate {
namespace {

// How the names begin.
constexpr std::array<std::string_view, 16> kVideo = {"__vadd",  "__vsub",  "__vabs",   "__vneg",  "__vavg", "__vhadd",
                                                     "__vmax",  "__vmin",  "__vcmp",   "__vset",  "__vsad", "__viadd",
                                                     "__vimax", "__vimin", "__vibmax", "__vibmin"};
constexpr std::array<std::string_view, 19> kSpecial = {"erfinv",
                                                       "erfcinv",
                                                       "normcdfinv",
                                                       "cyl_bessel_i",
                                                       "rhypot",
                                                       "norm3d",
                                                       "norm4d",
                                                       "rnorm",
                                                       "norm",
                                                       "sincospi",
                                                       "sincos",
                                                       "__fns",
                                                       "__isGlobal",
                                                       "__isShared",
                                                       "__isLocal",
                                                       "__prof_trigger",
                                                       "__brkpt",
                                                       "cudaGridDependencySynchronize",
                                                       "cudaTriggerProgrammaticLaunchCompletion"};

bool is_name_part(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

template <std::size_t N>
bool names_one(std::string_view text, const std::array<std::string_view, N>& beginnings) {
    for (const std::string_view beginning : beginnings)
        for (std::size_t at = text.find(beginning); at != text.npos; at = text.find(beginning, at + 1))
            if (at == 0 || !is_name_part(text[at - 1])) return true;
    return false;
}

}  // namespace

std::vector<std::string> rare_headers(const Reading& reading) {
    bool video = false, special = false;
    for (std::size_t i = 0; i < reading.file_count(); ++i) {
        video = video || names_one(reading.source(i).text(), kVideo);
        special = special || names_one(reading.source(i).text(), kSpecial);
    }
    std::vector<std::string> result;
    if (video) result.push_back("#include \"common/prelude/emulated/emulated_video.hpp\"");
    if (special) result.push_back("#include \"common/prelude/emulated/emulated_special.hpp\"");
    return result;
}

}  // namespace lanewise::annotate
