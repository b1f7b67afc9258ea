#include "common/own/kernel_heads.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanewise::own {

namespace {

struct Piece {
    std::string text;  // a name, a number or one sign
    int line = 0;
    bool is_name = false;
};

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::vector<Piece> pieces_of(const std::string& text) {
    std::vector<Piece> pieces;
    int line = 1;
    bool begins_line = true;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const std::string_view rest = std::string_view(text).substr(at);
        const auto skip_to = [&](std::size_t end) {
            end = std::min(end, text.size());
            line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
            at = end;
        };
        if (c == '\n') {
            ++line, ++at;
            begins_line = true;
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            ++at;
        } else if (rest.starts_with("//")) {
            skip_to(text.find('\n', at));
        } else if (rest.starts_with("/*")) {
            const std::size_t end = text.find("*/", at + 2);
            skip_to(end == text.npos ? end : end + 2);
        } else if (c == '#' && begins_line) {
            std::size_t end = text.find('\n', at);
            while (end != text.npos && end > 0 && text[end - 1] == '\\') end = text.find('\n', end + 1);
            skip_to(end);
        } else if (c == '"' || (c == '\'' && (at == 0 || !is_name_part(text[at - 1])))) {
            std::size_t end = at + 1;
            while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
            begins_line = false;
            pieces.push_back({"\"\"", line, false});
            skip_to(end + 1);
        } else if (is_name_part(c)) {
            std::size_t end = at;
            while (end < text.size() && is_name_part(text[end])) ++end;
            pieces.push_back({text.substr(at, end - at), line, !std::isdigit(static_cast<unsigned char>(c))});
            at = end;
            begins_line = false;
        } else {
            pieces.push_back({rest.starts_with("::") ? "::" : std::string(1, c), line, false});
            at += pieces.back().text.size();
            begins_line = false;
        }
    }
    return pieces;
}

// After the bracket that closes the one at `at`.
std::size_t behind(const std::vector<Piece>& all, std::size_t at) {
    const std::string open = all[at].text, close = open == "(" ? ")" : open == "<" ? ">" : open == "{" ? "}" : "]";
    for (int depth = 0; at < all.size(); ++at) {
        if (all[at].text == open) ++depth;
        if (all[at].text == close && --depth == 0) return at + 1;
    }
    return all.size();
}

std::string text_of(const std::vector<Piece>& all, std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
        const bool apart = !text.empty() && all[i].text != "," && all[i].text != "::" && all[i].text != "*" &&
                           all[i].text != "&" && all[i].text != "<" && all[i].text != ">" && all[i].text != "[" &&
                           all[i].text != "]" && text.back() != '<' && !text.ends_with("::");
        text += (apart ? " " : "") + all[i].text;
    }
    return text;
}

HeadParameter parameter_of(const std::vector<Piece>& all, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
        if (all[i].text == "=") end = i;  // a default
    const std::size_t whole = end;
    bool is_array = false;
    while (end > begin && (all[end - 1].text == "]" || all[end - 1].text == "[" || !all[end - 1].is_name) &&
           all[end - 1].text != "*" && all[end - 1].text != "&" && all[end - 1].text != ">") {
        is_array |= all[end - 1].text == "]";
        --end;
    }
    static constexpr std::string_view kTypes[] = {"int",        "float",    "double", "unsigned", "char",
                                                  "long",       "short",    "bool",   "void",     "__restrict__",
                                                  "__restrict", "restrict", "const",  "half",     "size_t"};
    const bool named = end > begin + 1 && all[end - 1].is_name &&
                       std::find(std::begin(kTypes), std::end(kTypes), all[end - 1].text) == std::end(kTypes);
    if (!named) return {text_of(all, begin, whole), ""};
    std::string type;
    std::vector<Piece> kept;
    for (std::size_t i = begin; i + 1 < end; ++i)
        if (!all[i].text.starts_with("__restrict") && all[i].text != "restrict") kept.push_back(all[i]);
    type = text_of(kept, 0, kept.size());
    return {type + (is_array ? "*" : ""), all[end - 1].text};
}

}  // namespace

std::vector<KernelHead> kernel_heads(const std::string& text) {
    const std::vector<Piece> all = pieces_of(text);
    std::vector<KernelHead> heads;
    struct Open {
        std::string name;  // of a namespace; empty: another brace
        bool is_space = false;
    };
    std::vector<Open> open;
    std::string space_name, template_text;
    bool space_next = false, specializes = false;
    for (std::size_t at = 0; at < all.size(); ++at) {
        const std::string& piece = all[at].text;
        if (piece == "namespace") {
            space_next = true;
            space_name.clear();
        } else if (space_next && (all[at].is_name || piece == "::")) {
            space_name += piece;
        } else if (piece == "{") {
            open.push_back({space_next ? space_name : "", space_next});
            space_next = false;
        } else if (piece == "}") {
            if (!open.empty()) open.pop_back();
            template_text.clear();
            specializes = false;
        } else if (piece == ";") {
            template_text.clear();
            space_next = specializes = false;
        } else if (piece == "template" && at + 1 < all.size() && all[at + 1].text == "<") {
            const std::size_t end = behind(all, at + 1);
            template_text = text_of(all, at + 2, end - 1);
            specializes = end == at + 3;
            at = end - 1;
        } else if (piece == "__global__") {
            std::size_t name = at + 1;
            while (name < all.size() && all[name].text != ";" && all[name].text != "{") {
                const bool call = name + 1 < all.size() && all[name + 1].text == "(";
                const bool attribute = all[name].text.starts_with("__launch_bounds__") ||
                                       all[name].text == "__attribute__" || all[name].text == "__maxnreg__" ||
                                       all[name].text == "__cluster_dims__";
                if (call && attribute) name = behind(all, name + 1);
                else if (call && all[name].is_name) break;
                else ++name;
            }
            if (name + 1 >= all.size() || !all[name].is_name) continue;
            if (specializes) {  // template <>: the kernel that it belongs to is before it
                at = name;
                continue;
            }
            KernelHead head;
            for (const Open& one : open)
                if (one.is_space && !one.name.empty()) head.name += one.name + "::";
            head.name += all[name].text;
            head.line = all[name].line;
            head.template_parameters = template_text;
            const std::size_t end = behind(all, name + 1);
            int depth = 0;
            for (std::size_t i = name + 2, begin = i; i < end; ++i) {
                const std::string& sign = all[i].text;
                const bool last = i + 1 == end;
                if (!last)
                    depth += sign == "<" || sign == "(" || sign == "["   ? 1
                             : sign == ">" || sign == ")" || sign == "]" ? -1
                                                                         : 0;
                if (!last && !(sign == "," && depth == 0)) continue;
                if (i > begin && !(i == begin + 1 && all[begin].text == "void"))
                    head.parameters.push_back(parameter_of(all, begin, i));
                begin = i + 1;
            }
            head.is_defined = end < all.size() && all[end].text == "{";
            template_text.clear();
            heads.push_back(std::move(head));
            at = end - 1;
        }
    }
    // A declaration says nothing that the definition does not.
    std::vector<KernelHead> result;
    for (const KernelHead& head : heads) {
        const auto same = [&](const KernelHead& other) { return other.name == head.name && other.is_defined; };
        if (head.is_defined || std::none_of(heads.begin(), heads.end(), same)) result.push_back(head);
    }
    return result;
}

std::string KernelHead::text() const {
    std::vector<std::string> all;
    for (const HeadParameter& parameter : parameters)
        all.push_back(parameter.type + (parameter.name.empty() ? "" : " " + parameter.name));
    return fmt::format("{}{}({})", template_parameters.empty() ? "" : "template <" + template_parameters + "> ", name,
                       fmt::join(all, ", "));
}

std::string KernelHead::offer() const {
    std::vector<std::string> types, values;
    for (std::size_t at = 0; !template_parameters.empty() && at <= template_parameters.size();) {
        const std::size_t end = std::min(template_parameters.find(',', at), template_parameters.size());
        const std::string one = template_parameters.substr(at, end - at);
        const bool is_type = one.find("typename") != one.npos || one.find("class") != one.npos;
        types.push_back(is_type ? "float" : one.find("bool") != one.npos ? "true" : "256");
        at = end + 1;
    }
    for (const HeadParameter& parameter : parameters) {
        const bool pointer = parameter.type.find('*') != std::string::npos;
        const bool constant =
            parameter.type.starts_with("const") || parameter.type.find(" const*") != std::string::npos;
        const bool real =
            parameter.type.find("float") != std::string::npos || parameter.type.find("double") != std::string::npos;
        const std::string label = parameter.name.empty() ? "" : parameter.name + " = ";
        values.push_back(pointer ? label + (constant ? "random(1024)" : "zeros(1024)") : real ? "1.0" : "1024");
    }
    return fmt::format("// run: {}{}<<<4, 256>>>({})", name,
                       types.empty() ? "" : fmt::format("<{}>", fmt::join(types, ", ")), fmt::join(values, ", "));
}

}  // namespace lanewise::own
