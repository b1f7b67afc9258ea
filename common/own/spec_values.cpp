#include "common/own/spec_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/suggest.hpp"

namespace lanewise::own {

namespace {

// Fills that are made of no more than a count; the others have numbers of their own.
struct FillKind {
    const char* name;
    std::size_t least, most;  // numbers after the count
};
constexpr FillKind kFills[] = {{"zeros", 0, 0},  {"ones", 0, 0},   {"fill", 1, 1},         {"ramp", 0, 2},
                               {"ramp1", 0, 0},  {"random", 0, 2}, {"small", 0, 0},        {"mean", 0, 0},
                               {"cancel", 0, 0}, {"huge", 0, 0},   {"uninitialized", 0, 0}};

const FillKind* find_fill(const std::string& name) {
    for (const FillKind& kind : kFills)
        if (name == kind.name) return &kind;
    return nullptr;
}

}  // namespace

bool is_fill(const std::string& name) { return find_fill(name) != nullptr; }

Fill list_of(Cursor& c) {
    Fill fill{"list", 0, {}, {}};
    c.need("[", "before a list");
    while (!c.take("]")) {
        if (!fill.numbers.empty()) c.need(",", "between two numbers of a list");
        fill.numbers.push_back(c.number());
    }
    fill.count = fill.numbers.size();
    return fill;
}

Fill file_of(Cursor& c) {
    Fill fill{"file", 0, {}, c.string()};
    return fill;
}

Fill fill_of(Cursor& c, const std::string& name, std::size_t at) {
    Fill fill{name, 0, {}, {}};
    c.need("(", fmt::format("after '{}'", name));
    if (name == "file") {
        if (!c.sees("\"") && !c.sees("'"))
            c.fail(fmt::format("file takes a path in quotation marks, but there is {}.", c.found()));
        fill.path = c.string();
        if (c.take(",")) fill.count = c.count("the number of elements", kMostElements);
        c.need(")", "after the file");
        return fill;
    }
    const FillKind* kind = find_fill(name);
    if (!kind) {
        const std::string near = nearest(name, fill_names());
        c.fail_there(at, near.empty()
                             ? fmt::format("there is no fill '{}'; there are {}.", name, fmt::join(fill_names(), ", "))
                             : fmt::format("there is no fill '{}'; did you mean '{}'?", name, near));
    }
    if (c.sees(")")) c.fail(fmt::format("{} needs the number of elements, as in {}(1024).", name, name));
    fill.count = c.count("the number of elements", kMostElements);
    while (c.take(",")) fill.numbers.push_back(c.number());
    if (fill.numbers.size() < kind->least || fill.numbers.size() > kind->most)
        c.fail_there(at, name == "fill" ? "fill takes the number of elements and a value: fill(1024, 2.5)."
                         : name == "random" || name == "ramp"
                             ? fmt::format("{} takes the number of elements and up to two numbers more: {}.", name,
                                           name == "ramp" ? "ramp(1024, first, step)" : "random(1024, low, high)")
                             : fmt::format("{} takes the number of elements alone.", name));
    c.need(")", fmt::format("after the values of {}", name));
    return fill;
}

namespace {

BufferUse use_of(Cursor& c, const std::string& name, std::size_t at) {
    BufferUse use{name, 0};
    if (c.sees("+") || c.sees("-")) {
        const Number offset = c.number();
        if (!offset.is_whole) c.fail_there(at, "a buffer begins at a whole element further on, as in in + 16.");
        use.first = offset.whole;
    }
    return use;
}

// A structure by its fields: C++, but for memory and buffers that its pointers are to point to.
void add_braces(Cursor& c, Code& code);

void add_element(Cursor& c, Code& code) {
    const std::size_t at = c.at();
    const auto add = [&](MemoryInCode memory) {
        code.text += Code::kMemoryHere;
        code.memory.push_back(std::move(memory));
    };
    if (c.sees("{")) return add_braces(c, code);
    if (c.sees("[")) return add({"", list_of(c), "", at});
    if (c.take(".")) {
        const std::string field = c.name();
        if (!field.empty() && c.take("=")) {
            code.text += "." + field + " = ";
            return add_element(c, code);
        }
    } else if (c.sees_name()) {
        const std::string name = c.name();
        const bool fill = c.sees("(") && (name == "file" || find_fill(name));
        if (fill) return add({"", fill_of(c, name, at), "", at});
        if (c.sees("=") && !c.sees("==")) {
            c.take("=");
            const std::size_t there = c.at();
            if (c.sees("[")) return add({name, list_of(c), "", at});
            const std::string kind = c.name();
            if (kind.empty() || !c.sees("("))
                c.fail_there(there, fmt::format("{} = is followed by memory, such as random(1024).", name));
            return add({name, fill_of(c, kind, there), "", at});
        }
        if ((name == "null" || name == "NULL") && (c.sees(",") || c.sees("}"))) {
            code.text += "nullptr";
            return;
        }
        const bool alone = c.sees(",") || c.sees("}");
        if (name.find("::") == name.npos && (alone || c.sees("+") || c.sees("-"))) {
            const std::size_t behind = c.at();
            if (!alone) c.take(c.sees("+") ? "+" : "-");
            const bool number = alone || c.sees_number();
            c.go_to(behind);
            BufferUse use = number ? use_of(c, name, at) : BufferUse{};
            if (number && (c.sees(",") || c.sees("}"))) {
                const std::size_t end = c.at();
                c.go_to(at);
                std::string text = c.element();
                c.go_to(end);
                return add({"", std::move(use), std::move(text), at});
            }
        }
    }
    c.go_to(at);
    const std::string text = c.element();
    if (text.empty()) c.fail(fmt::format("a field's value was expected, but there is {}.", c.found()));
    code.text += text;
}

void add_braces(Cursor& c, Code& code) {
    const std::size_t at = c.at();
    c.need("{", "in front of the fields");
    code.text += "{";
    for (bool first = true; !c.take("}"); first = false) {
        if (!first) {
            if (c.at_end()) c.fail_there(at, "this bracket is not closed.");
            c.need(",", "after a field");
            code.text += ", ";
        }
        add_element(c, code);
    }
    code.text += "}";
}

Code code_of(Cursor& c, std::string before = {}) {
    Code code{std::move(before), {}};
    add_braces(c, code);
    return code;
}

}  // namespace

Value value_of(Cursor& c) {
    const std::size_t at = c.at();
    if (c.sees("{")) return code_of(c);
    if (c.sees("[")) return list_of(c);
    if (c.sees("\"") || c.sees("'")) return file_of(c);
    if (c.sees_number()) return c.number();
    if (!c.sees_name()) c.fail(fmt::format("an argument was expected, but there is {}.", c.found()));
    const std::string name = c.name();
    if (name == "null" || name == "nullptr" || name == "NULL") return Null{};
    if (c.sees("(")) {
        if (name == "file" || find_fill(name) || name.find("::") == name.npos) {
            // make_float2(1, 2) and the like are C++; a near miss of a fill is a mistake.
            if (name == "file" || find_fill(name) || !nearest(name, fill_names()).empty()) return fill_of(c, name, at);
        }
        return Code{name + c.bracketed(), {}};
    }
    if (c.sees("{")) return code_of(c, name);
    if (name.find("::") != name.npos) return Code{name, {}};
    return use_of(c, name, at);
}

const std::vector<std::string>& fill_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const FillKind& kind : kFills) all.emplace_back(kind.name);
        all.emplace_back("file");
        return all;
    }();
    return names;
}

}  // namespace lanewise::own
