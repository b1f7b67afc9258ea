// The sizes of a sweep: the field's S×K table, or a geometric row from one size to another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::timing {

struct Size {
    std::uint64_t n = 0;
    std::string name;   // "1024×2048" in the table; empty in a sweep
    std::uint64_t columns = 0;   // of a table of rows; 0 elsewhere
    bool operator==(const Size&) const = default;
};

// The nine S×K shapes that published reductions are timed at, S and K in {1024, 2048, 4096}, S slower: a sum of all S·K
// values. Shapes of the same product are rows of their own.
std::vector<Size> table_sizes();

// The twelve shapes that row operators are timed at: 1024, 4096 and 16384 rows of 1024, 4096, 8192 and 65536 columns.
std::vector<Size> row_sizes();

// From "table"; "LO:HI" (LO, 2·LO, 4·LO, … up to HI); "LO:HI:xF", which multiplies by F (a number from 1.01 to 1024)
// instead of 2; or "LO:HI:+-1", in steps of 2, each with the number before it and the one after it. A number may be
// written as a power, 2^20. Each size once. Throws Error that names the text and what would be right, also for sizes of
// 0, above `most`, and for more than kMostSizes of them.
std::vector<Size> parse_sizes(const std::string& text, std::uint64_t most);
inline constexpr std::size_t kMostSizes = 512;

// "2^20" for a power of two from 2^10 on, else the digits.
std::string size_text(std::uint64_t n);

}  // namespace lanewise::timing
