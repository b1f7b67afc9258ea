#include "common/base/short_number.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace lanewise {
namespace {

constexpr std::string_view kCut = "…";

// A number's digits without zeros at either end: 0.DIGITS x 10^point.
struct Digits {
    std::string sign;
    std::string digits;
    int point = 0;
};

Digits digits_of(std::string_view whole) {
    Digits made;
    if (whole.front() == '-') {
        made.sign = "-";
        whole.remove_prefix(1);
    }
    int exponent = 0;
    if (const std::size_t e = whole.find('e'); e != std::string_view::npos) {
        std::string_view power = whole.substr(e + 1);
        if (power.starts_with('+')) power.remove_prefix(1);
        std::from_chars(power.data(), power.data() + power.size(), exponent);
        whole = whole.substr(0, e);
    }
    const std::size_t point = std::min(whole.find('.'), whole.size());
    made.point = static_cast<int>(point) + exponent;
    made.digits = whole.substr(0, point);
    if (point < whole.size()) made.digits += whole.substr(point + 1);
    const std::size_t first = std::min(made.digits.find_first_not_of('0'), made.digits.size());
    made.digits.erase(0, first);
    made.point -= static_cast<int>(first);
    made.digits.erase(made.digits.find_last_not_of('0') + 1);
    return made;
}

// With `before` digits before its point and `after` after it; "…" where digits are left out.
std::string shown(const Digits& number, int before, int after, std::string_view unit) {
    std::string digits = number.digits;
    if (before > static_cast<int>(digits.size())) digits.append(static_cast<std::size_t>(before) - digits.size(), '0');
    const auto has = static_cast<int>(digits.size());
    const int kept = std::min(has, before + after);
    std::string text = number.sign + digits.substr(0, static_cast<std::size_t>(before));
    if (kept > before)
        text += "." + digits.substr(static_cast<std::size_t>(before), static_cast<std::size_t>(kept - before));
    // Digits belong before an exponent, so their mark does too.
    const std::string mark(kept < has ? kCut : "");
    return unit.starts_with('e') ? text + mark + std::string(unit) : text + std::string(unit) + mark;
}

bool is_cut(std::string_view text) { return text.find(kCut) != std::string_view::npos; }

// All forms, the best first.
std::vector<std::string> forms_of(const Digits& number, std::string_view whole) {
    const auto count = static_cast<int>(number.digits.size());
    std::vector<std::string> exact{std::string(whole)}, cut;
    const auto add = [&](std::string text) { (is_cut(text) ? cut : exact).push_back(std::move(text)); };
    // As it is, ever fewer digits after the point.
    if (number.point > 0 && number.point <= 18) {
        for (int after = count - number.point; after >= 0; --after) add(shown(number, number.point, after, ""));
    } else if (number.point <= 0 && number.point > -18) {
        const std::string zeros(static_cast<std::size_t>(-number.point), '0');
        const auto fraction = [&](int digits) {
            return "." + zeros + number.digits.substr(0, static_cast<std::size_t>(digits)) +
                   std::string(digits < count ? kCut : "");
        };
        for (int digits = count; digits >= 2; --digits) add(number.sign + "0" + fraction(digits));
        for (int digits = count; digits >= 1; --digits) add(number.sign + fraction(digits));
        add(number.sign + "0" + fraction(1));
    }
    // In thousands and millions.
    for (const auto& [power, unit] : {std::pair{3, "k"}, std::pair{6, "M"}}) {
        const int before = number.point - power;
        // 300 is not ".3k" next to a 258 that has no such form.
        if (before < (power == 3 ? 1 : 0) || before > 3) continue;
        for (int after = std::max(0, count - before); after >= (before > 0 ? 0 : 1); --after)
            add(shown(number, before, after, unit));
    }
    if (number.point > 3 || number.point < -1) {
        const std::string exponent = "e" + std::to_string(number.point - 1);
        for (int after = count - 1; after >= 0; --after) add(shown(number, 1, after, exponent));
        if (number.point <= 0) cut.push_back(number.sign + "0" + std::string(kCut));
        else cut.push_back(number.sign + std::string(kCut) + exponent);
    } else if (number.point <= 0) {
        cut.push_back(number.sign + "0" + std::string(kCut));
    }
    exact.insert(exact.end(), cut.begin(), cut.end());
    return exact;
}

}  // namespace

int count_signs(std::string_view text) {
    return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
    }));
}

std::string first_digits(std::string_view whole, const std::function<bool(std::string_view)>& fits) {
    const Digits number = digits_of(whole);
    if (number.digits.empty() || number.point > 0) return "";
    std::string plain = number.sign + "." + std::string(static_cast<std::size_t>(-number.point), '0');
    std::string longest;
    for (const char digit : number.digits) {
        plain += digit;
        if (!fits(plain)) break;
        longest = plain;
    }
    if (!longest.empty()) return longest;
    const std::string power = number.sign + number.digits.substr(0, 1) + "e" + std::to_string(number.point - 1);
    return fits(power) ? power : "";
}

std::string number_in_columns(std::string_view whole, int columns) {
    const auto fits = [&](std::string_view text) { return count_signs(text) <= columns; };
    const std::string text = short_number(whole, fits);
    if (text != "0…" && text != "-0…") return text;
    if (const std::string digits = first_digits(whole, fits); !digits.empty()) return digits;
    const Digits number = digits_of(whole);
    const std::string power = number.sign + "e" + std::to_string(number.point - 1);
    return fits(power) ? power : number.sign + std::string(kCut);
}

std::string short_number(std::string_view whole, const std::function<bool(std::string_view)>& fits) {
    if (whole.empty() || fits(whole)) return std::string(whole);
    if (whole == "inf") return "∞";
    if (whole == "-inf") return "-∞";
    if (whole.find_first_of("123456789") == std::string_view::npos) return std::string(whole);   // 0, nan
    const std::vector<std::string> forms = forms_of(digits_of(whole), whole);
    for (const std::string& form : forms)
        if (fits(form)) return form;
    return *std::min_element(forms.begin(), forms.end(), [](const std::string& a, const std::string& b) {
        return count_signs(a) < count_signs(b);
    });
}

}  // namespace lanewise
