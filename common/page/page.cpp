#include "common/base/error.hpp"
#include "common/page/document.hpp"
#include "common/page/page_parts.hpp"
#include "common/scene/outline.hpp"

namespace lanewise::page {
namespace {

std::string replaced(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& holes) {
    std::string all;
    while (!text.empty()) {
        const std::size_t at = text.find("{{");
        all += text.substr(0, at);
        if (at == std::string_view::npos) break;
        text.remove_prefix(at);
        bool found = false;
        for (const auto& [hole, with] : holes) {
            if (!text.starts_with(hole)) continue;
            all += with;
            text.remove_prefix(hole.size());
            found = true;
            break;
        }
        if (found) continue;
        all += text.substr(0, 2);
        text.remove_prefix(2);
    }
    return all;
}

std::string escaped_html(const std::string& text) {
    std::string all;
    for (const char c : text) {
        switch (c) {
            case '&': all += "&amp;"; break;
            case '<': all += "&lt;"; break;
            case '>': all += "&gt;"; break;
            case '"': all += "&quot;"; break;
            default: all += c;
        }
    }
    return all;
}

// JSON that may be in a <script>: no "</script>" and no "<!--" can come of it.
std::string escaped_json(const std::string& text) {
    std::string all;
    all.reserve(text.size());
    for (const char c : text) {
        if (c == '<') all += "\\u003c";
        else all += c;
    }
    return all;
}

}  // namespace

std::string page_html(const Document& document) {
    if (document.panels.empty()) throw Error("A page needs a run; give --variant.");
    std::string title = "Lanewise · " + document.lesson_title;
    for (std::size_t i = 0; document.others.empty() && i < document.panels.size(); ++i)
        title += (i == 0 ? " · " : " | ") + (document.panels[i].title.empty()
                                                 ? scene::outline_of(*document.panels[i].run).variant
                                                 : document.panels[i].title);
    return replaced(kPageFrame, {{"{{TITLE}}", escaped_html(title)},
                                 {"{{STYLE}}", std::string(kPageStyle)},
                                 {"{{DATA}}", escaped_json(page_json(document))},
                                 {"{{SCRIPT}}", std::string(kPageScript)}});
}

}  // namespace lanewise::page
