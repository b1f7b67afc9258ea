#include "common/annotate/syntax/keywords.hpp"

#include <algorithm>

#include "common/annotate/refused.hpp"

namespace lanewise::annotate {

Keywords::Keywords(const std::vector<ParsedFile>& files) {
    device = {"__global__", "__device__", "__constant__", "__shared__", "__managed__"};
    kernel = {"__global__"};
    for (std::size_t before = 0; before != device.size() + kernel.size() + refused.size();) {
        before = device.size() + kernel.size() + refused.size();
        for (const ParsedFile& file : files)
            for (const Macro& macro : file.source->macros()) learn(macro);
    }
}

void Keywords::learn(const Macro& macro) {
    const std::size_t define = macro.text.find("define") + 6;
    const std::size_t begin = macro.text.find_first_not_of(" \t", define);
    if (begin == macro.text.npos) return;
    const std::size_t end = macro.text.find_first_of("( \t\r\n", begin);
    if (end == macro.text.npos) return;
    const std::string name(macro.text.substr(begin, end - begin));
    const auto says = [&](const std::string& keyword) {
        return find_identifier(macro.text, keyword, end) != macro.text.npos;
    };
    if (std::any_of(device.begin(), device.end(), says)) device.insert(name);
    if (std::any_of(kernel.begin(), kernel.end(), says)) kernel.insert(name);
    if (const std::string_view what = refused_in(macro); !what.empty()) refused.emplace(name, what);
    for (const auto& [keyword, what] : std::map<std::string, std::string>(refused))
        if (keyword != name && says(keyword)) refused.emplace(name, what);
}

}  // namespace lanewise::annotate
