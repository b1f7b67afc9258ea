// Any arguments, one a line, as a command line: options, or a sentence.
#include <cstdint>
#include <sstream>

#include "common/base/error.hpp"
#include "common/cli/options.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanewise;
    static const lesson::Lesson kLesson = [] {
        lesson::Lesson made("99_fuzz", "/nonexistent");
        const auto plan = [](launch::Plan&, const lesson::Inputs&) {};
        made.add({.name = "sum", .title = "sum", .summary = "a sum", .plan = plan});
        made.add({.name = "sum_tree", .title = "tree", .summary = "another", .plan = plan});
        return made;
    }();
    std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
    std::vector<std::string> arguments;
    for (std::string token; std::getline(text, token) && arguments.size() < 64;) arguments.push_back(token);
    std::ostringstream out;
    try {
        const auto options = cli::parse_options(arguments, kLesson, out);
        if (options) (void)options->wants_window();
    } catch (const Error&) {
    }
    return 0;
}
