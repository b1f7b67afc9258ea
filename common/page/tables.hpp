// Tables that a page's facts point into, so that what is said a thousand times is written once.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/element.hpp"
#include "common/scene/held.hpp"

namespace lanewise::page {

// Different strings, in the order they came.
class Strings {
public:
    int place(const std::string& text) {
        const auto [at, is_new] = places_.try_emplace(text, static_cast<int>(all_.size()));
        if (is_new) all_.push_back(text);
        return at->second;
    }
    const std::vector<std::string>& all() const { return all_; }

private:
    std::map<std::string, int> places_;
    std::vector<std::string> all_;
};

// Different values: [text, hex, type, shorter forms for narrow cells…]; what is said instead of a value is [text].
class Values {
public:
    int place(Element type, std::uint64_t bits);
    int place(const scene::LaneCell& cell);   // all parts of a value; hex and type are the first's
    int place(const std::string& said);
    const nlohmann::json& all() const { return all_; }

private:
    std::map<std::pair<Element, std::uint64_t>, int> places_;
    std::map<std::string, int> with_parts_;
    std::map<std::string, int> said_;
    nlohmann::json all_ = nlohmann::json::array();
};

// A sentence as [template, number, …]: a template has kHole where a number stood. Sentences of one kind share theirs.
inline constexpr char kHole = '\x01';
nlohmann::json folded(const std::string& sentence, Strings& templates);
std::string unfolded(const nlohmann::json& folded, const std::vector<std::string>& templates);

}  // namespace lanewise::page
