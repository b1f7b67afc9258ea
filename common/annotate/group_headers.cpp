#include "common/annotate/group_headers.hpp"

#include <regex>

namespace lanewise::annotate {

void replace_group_headers(const Source& source, Edits& edits) {
    const std::regex include(
        R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*([<"]cooperative_groups(?:/(reduce|scan))?\.h[>"]))re");
    const std::string& text = source.text();
    for (std::sregex_iterator found(text.begin(), text.end(), include), end; found != end; ++found) {
        const std::string part = (*found)[2].matched ? "_" + (*found)[2].str() : "";
        edits.replace(static_cast<std::size_t>(found->position(1)), static_cast<std::size_t>(found->length(1)),
                      "\"common/prelude/cooperative_groups" + part + ".cuh\"");
    }
}

}  // namespace lanewise::annotate
