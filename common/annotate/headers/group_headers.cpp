#include "common/annotate/headers/group_headers.hpp"

namespace lanewise::annotate {

void replace_group_headers(const Source& source, Edits& edits) {
    const std::string& text = source.text();
    for (const Directive& directive : source.directives()) {
        if (directive.name != "include") continue;
        const std::size_t open = text.find_first_not_of(" \t", directive.rest);
        if (open >= directive.span.end || (text[open] != '<' && text[open] != '"')) continue;
        const std::size_t close = text.find(text[open] == '<' ? '>' : '"', open + 1);
        if (close >= directive.span.end) continue;
        const std::string_view name = std::string_view(text).substr(open + 1, close - open - 1);
        std::string part;
        if (name == "cooperative_groups/reduce.h") part = "_reduce";
        else if (name == "cooperative_groups/scan.h") part = "_scan";
        else if (name != "cooperative_groups.h") continue;
        edits.replace(open, close + 1 - open, "\"common/prelude/cooperative_groups" + part + ".cuh\"");
    }
}

}  // namespace lanewise::annotate
