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

// Of a number between -1 and 1: as many first digits as fit, without a mark (".04", "-.04"), else one with its power of
// ten ("4e-5"); empty where neither fits.
std::string first_digits(std::string_view whole, const std::function<bool(std::string_view)>& fits);

// The same as short_number in a cell of so few columns, of which a small number never looks like 0: where "0…" is all
// that short_number has, first_digits, else how small it is ("-e-3"), else "…" or "-…".
std::string number_in_columns(std::string_view whole, int columns);

// Signs of a text, of which "…" is one in three bytes.
int count_signs(std::string_view text);

}  // namespace lanewise
