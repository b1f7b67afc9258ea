// One font for prose and one for code and figures, found on this system, in the sizes of one type scale.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "viz/widgets/imgui_compat.hpp"

namespace lanewise::viz {

// The type scale. Sizes are those a style sheet would name (em), at scale 1.
enum class Face : std::uint8_t {
    caption,       // 11 prose: labels of a picture
    body,          // 13.5 prose
    strong,        // 13.5 semibold: strong text in prose, tabs
    title,         // 15.5 semibold: a panel's name
    heading,       // 20 semibold: the lesson's own heading
    tiny,          // 8.5 code: lane numbers, five-digit values in narrow cells
    small,         // 10.5 code: labels of rounds
    code,          // 12 code: the source
    figure,        // 12 code, semibold: values in cells
    figure_large,  // 15 code, semibold: the inspected values
    figure_huge,   // 30 code, semibold, ASCII alone: values in cells that are drawn larger
    narrow,        // 8 code, semibold, ASCII alone, set close: longer values in narrow cells
    narrowest,     // 7, the same
    close,         // the same, where a scale beyond 1 leaves no room for numbers in the narrowest: down to 5.2, and
    closest,       // to 3.5, but never below the pixels that the narrowest has at scale 1
    count_,
};

class Fonts {
public:
    struct Cut {
        ImFont* font = nullptr;
        float pixels = 13;      // as ImGui counts: from ascender to descender
        float em = 13;
        float ascent = 10;      // from the top of a line to the baseline
        float cap = 8;          // height of an H
        float digit = 7;        // advance of a 0
        bool plain = false;     // ImGui's built-in font: Latin letters only
        bool code = false;
        bool strong = false;
        bool close = false;     // set close: kCloseDigit and the like say how wide its signs are
    };
    // Advance of a digit, as a part of the em, in faces that are set close.
    static constexpr float kCloseDigit = 0.52f;
    // Em of Face::closest and Face::close at `scale`, before it is scaled.
    static constexpr float closest_em(float scale) { return std::clamp(7.0f / scale, 3.5f, 7.0f); }
    static constexpr float close_em(float scale) { return std::max(5.2f, closest_em(scale)); }

    // Adds the fonts to ImGui's atlas at `scale`. Where no font file is found the built-in one serves, and notice()
    // says so.
    // `outside` is text that is not ours, such as names of files: what our fonts lack of it is taken from any font of
    // the system that has it.
    static Fonts load(float scale, std::string_view outside = {});
    // The same for an atlas that need not be ImGui's yet, from any thread.
    static Fonts load(ImFontAtlas& atlas, float scale, std::string_view outside = {});

    // Are all letters of `text` there, as far as this system has them?
    bool covers(std::string_view text) const;

    const Cut& operator[](Face face) const { return cuts_[static_cast<std::size_t>(face)]; }
    // All faces `times` as large, from the sizes that there are: no new ones are cut.
    Fonts grown(float times) const;
    const std::string& notice() const { return notice_; }
    // Files that were used, prose then code; empty where built in.
    const std::string& prose_file() const { return prose_file_; }
    const std::string& code_file() const { return code_file_; }
    // For a style sheet: the family that was used, then those that could have been ("Inter, 'DejaVu Sans',
    // sans-serif").
    std::string families(bool code) const;

private:
    std::array<Cut, static_cast<std::size_t>(Face::count_)> cuts_{};
    std::vector<ImWchar> asked_;                              // letters of `outside`, sorted
    std::shared_ptr<std::vector<std::vector<ImWchar>>> ranges_;   // ImGui reads these as long as its atlas lives
    std::string notice_;
    std::string prose_file_;
    std::string code_file_;
};

// Has `text` letters that ImGui's have no room for (emoji, where it counts letters in 16 bits)?
bool has_far_letters(std::string_view text);
// `text` with those as numbers ("🚀.ndjson" as "U+1F680.ndjson"), so that names that differ look different.
std::string with_far_letters_as_numbers(std::string_view text);

// `text` with the signs that the built-in font lacks written in ASCII ("←" as "<-").
std::string plain_text(const char* begin, const char* end);

}  // namespace lanewise::viz
