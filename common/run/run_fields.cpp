#include "common/run/run_fields.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "common/run/run.hpp"

namespace lanewise::run {
namespace {

constexpr char kBetween = '\x1f';   // in no flag's value

void leave_out(RunChanges& changes, std::string_view name) {
    std::erase_if(changes, [&](const RunChange& change) { return change.first == name; });
}

std::string quoted(const std::string& text) {
    const auto bare = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == ',' || c == '-' || c == '_'; };
    if (!text.empty() && std::all_of(text.begin(), text.end(), bare)) return text;
    std::string token = "'";
    for (const char c : text) token += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return token + "'";
}

}  // namespace

void set_change(RunChanges& changes, const std::string& name, const std::string& text) {
    static constexpr std::pair<std::string_view, std::string_view> kOneOf[] = {
        {"n", "rows"},       {"n", "columns"}, {"rows", "n"},   {"columns", "n"},
        {"input", "values"}, {"values", "input"}, {"values", "n"}};
    for (const auto& [chosen, other] : kOneOf)
        if (chosen == name) leave_out(changes, other);
    const auto at = std::find_if(changes.begin(), changes.end(), [&](const RunChange& c) { return c.first == name; });
    if (at != changes.end()) at->second = text;
    else changes.emplace_back(name, text);
}

RunChanges changes_for(const RunChanges& changes, const std::vector<RunField>& fields) {
    RunChanges fitting;
    for (const RunChange& change : changes) {
        const auto at = std::find_if(fields.begin(), fields.end(),
                                     [&](const RunField& field) { return field.name == change.first; });
        if (at == fields.end()) continue;
        const auto& choices = at->choices;
        if (at->kind == FieldKind::choice && std::find(choices.begin(), choices.end(), change.second) == choices.end())
            continue;
        fitting.push_back(change);
    }
    return fitting;
}

std::string flags_of(const RunChanges& changes) {
    std::string flags;
    for (const auto& [name, text] : changes)
        flags += fmt::format("{}--{} {}", flags.empty() ? "" : " ", name,
                             name == "order" && text.starts_with("seed ") ? text.substr(5) : quoted(text));
    return flags;
}

std::string value_of_field(const Run& run, const RunField& field) {
    const trace::Header& header = run.trace.header;
    const std::string& name = field.name;
    if (name == "n") return fmt::format("{}", header.n);
    if (name == "columns") return fmt::format("{}", header.columns);
    if (name == "rows") return fmt::format("{}", header.n / std::max<std::uint64_t>(header.columns, 1));
    if (name == "block") return fmt::format("{}", header.block);
    if (name == "warp") return fmt::format("{}", header.warp_size);
    if (name == "offset") return fmt::format("{}", header.offset);
    if (name == "seed") return fmt::format("{}", header.seed);
    if (name == "input") return header.input;
    if (name == "values") return with_count(run.inputs, run.inputs.size());
    if (name == "order") return header.source.order.empty() ? field.standard : header.source.order;
    for (const auto& [control, text] : header.controls)
        if (control == name) return text;
    return field.standard;
}

RunChanges changes_of_run(const Run& run, const std::vector<RunField>& fields) {
    const bool typed = run.trace.header.input == "values";
    RunChanges changes;
    for (const RunField& field : fields) {
        const std::string value = value_of_field(run, field);
        const bool numbers = field.name == "values";
        // Typed numbers say how many there are, and are an input of their own.
        if (numbers != typed && (numbers || field.name == "n" || field.name == "input")) continue;
        if (field.name == "seed" && std::find(field.choices.begin(), field.choices.end(), run.trace.header.input) ==
                                        field.choices.end())
            continue;
        if (value != field.standard) changes.emplace_back(field.name, value);
    }
    return changes;
}

std::string field_of_error(std::string_view sentence) {
    if (!sentence.starts_with("--")) return {};
    const auto ends = [](unsigned char c) { return !std::isalnum(c) && c != '_' && c != '-'; };
    const auto* end = std::find_if(sentence.begin() + 2, sentence.end(), ends);
    return {sentence.begin() + 2, end};
}

std::string with_value(const std::vector<double>& values, std::size_t index, const std::string& text) {
    std::string all;
    for (std::size_t i = 0; i < values.size(); ++i)
        all += (i > 0 ? "," : "") + (i == index ? text : fmt::format("{}", values[i]));
    return all;
}

std::string with_count(const std::vector<double>& values, std::size_t n) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i)
        all += (i > 0 ? "," : "") + fmt::format("{}", i < values.size() ? values[i] : 0);
    return all;
}

std::string packed(const RunChanges& changes) {
    std::string text;
    for (const auto& [name, value] : changes) text += name + kBetween + value + kBetween;
    return text;
}

RunChanges unpacked(std::string_view text) {
    RunChanges changes;
    while (!text.empty()) {
        const std::size_t middle = text.find(kBetween);
        const std::size_t end = middle == text.npos ? text.npos : text.find(kBetween, middle + 1);
        if (end == text.npos) break;
        changes.emplace_back(text.substr(0, middle), text.substr(middle + 1, end - middle - 1));
        text.remove_prefix(end + 1);
    }
    return changes;
}

}  // namespace lanewise::run
