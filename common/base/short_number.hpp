// A number in little room: the same number, or its first digits with "…" after them. Never rounded to another number.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lanewise {

// `whole` as format_element writes it, in the first of these forms that `fits`: whole ("0.75"), without the zero before
// its point (".75"), with k or M for thousands and millions or an exponent ("100k", "1e30"), its first digits ("0.13…",
// "32k…", "1…e-7"), "0…" of what is small. Where nothing fits, the shortest of them.
std::string short_number(std::string_view whole, const std::function<bool(std::string_view)>& fits);

// The same in a cell of so few columns, of which a small number never looks like 0: where "0…" is all that short_number
// has, its first digits without a mark (".04", "-.04"), else how small it is ("4e-5", "-e-3"), else "…" or "-…".
std::string number_in_columns(std::string_view whole, int columns);

// Signs of a text, of which "…" is one in three bytes.
int count_signs(std::string_view text);

}  // namespace lanewise
