#include "common/page/tables.hpp"

#include <cctype>

#include "common/scene/cell_text.hpp"

namespace lanewise::page {
namespace {

// Signs that a cell may have room for, on one line or two.
constexpr int kCellRooms[] = {7, 6, 5, 4};
constexpr std::size_t kLongestPlainNumber = 9;   // that is written as a number in JSON

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// 5 and -5, but not 00101 or 5000000000: those would not come back as they were.
bool is_plain_number(const std::string& text) {
    const std::string digits = text[0] == '-' ? text.substr(1) : text;
    return !digits.empty() && digits.size() <= kLongestPlainNumber && (digits == "0" ? text == "0" : digits[0] != '0');
}

}  // namespace

int Values::place(Element type, std::uint64_t bits) {
    const auto [at, is_new] = places_.try_emplace({type, bits}, static_cast<int>(all_.size()));
    if (!is_new) return at->second;
    const std::string whole = format_element(type, bits);
    nlohmann::json row = {whole, format_bits(type, bits), static_cast<int>(type)};
    if (whole.size() > 3)
        for (const int room : kCellRooms) row.push_back(scene::cell_text(type, bits, room));
    all_.push_back(std::move(row));
    return at->second;
}

int Values::place(const scene::LaneCell& cell) {
    if (cell.more.empty()) return place(cell.type, cell.bits);
    const std::string whole = scene::value_text(cell);
    std::string key = whole + " " + format_bits(cell.type, cell.bits);
    for (const auto& part : cell.more) key += " " + format_bits(part.type, part.bits);
    const auto [at, is_new] = with_parts_.try_emplace(std::move(key), static_cast<int>(all_.size()));
    if (!is_new) return at->second;
    nlohmann::json row = {whole, format_bits(cell.type, cell.bits), static_cast<int>(cell.type)};
    for (const int room : kCellRooms) row.push_back(scene::cell_text(cell, room));
    all_.push_back(std::move(row));
    return at->second;
}

int Values::place(const std::string& said) {
    const auto [at, is_new] = said_.try_emplace(said, static_cast<int>(all_.size()));
    if (is_new) all_.push_back(nlohmann::json::array({said}));
    return at->second;
}

nlohmann::json folded(const std::string& sentence, Strings& templates) {
    std::string form;
    nlohmann::json arguments = nlohmann::json::array();
    for (std::size_t i = 0; i < sentence.size();) {
        if (!is_digit(sentence[i])) {
            form += sentence[i++];
            continue;
        }
        std::size_t end = i;
        while (end < sentence.size() && is_digit(sentence[end])) ++end;
        const std::string number = sentence.substr(i, end - i);
        if (is_plain_number(number)) arguments.push_back(std::stoi(number));
        else arguments.push_back(number);
        form += kHole;
        i = end;
    }
    nlohmann::json result = nlohmann::json::array({templates.place(form)});
    for (auto& argument : arguments) result.push_back(std::move(argument));
    return result;
}

std::string unfolded(const nlohmann::json& folded, const std::vector<std::string>& templates) {
    std::string sentence;
    std::size_t next = 1;
    for (const char c : templates.at(folded.at(0).get<std::size_t>())) {
        if (c != kHole) {
            sentence += c;
            continue;
        }
        const auto& argument = folded.at(next++);
        sentence += argument.is_string() ? argument.get<std::string>() : std::to_string(argument.get<int>());
    }
    return sentence;
}

}  // namespace lanewise::page
