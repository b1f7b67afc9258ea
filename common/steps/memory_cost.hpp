// What one warp's access costs the memory system, counted from the lanes' addresses, as the CUDA C++ Programming Guide
// describes it for compute capability 5.0 and later: global memory moves in sectors of 32 bytes; shared memory has 32
// banks of four bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/trace/trace.hpp"

namespace lanewise::steps {

inline constexpr int kSectorBytes = 32;
inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;

// The sectors that one access or atomic touches, by number in their array (its first byte lies at the start of sector
// 0: a buffer is aligned to 256 bytes), ascending, each once.
std::vector<std::int64_t> sectors_of(const trace::Trace& trace, const trace::Record& record);

// Bytes that the lanes asked for, a word that several lanes ask for counted once.
std::uint32_t useful_bytes(const trace::Trace& trace, const trace::Record& record);

// One shared-memory access. A request whose lanes need more than 128 bytes is made in turns of 128 bytes (half warps
// for 8-byte, quarter warps for 16-byte words); in each turn lanes that want different words of one bank wait for one
// another, lanes that want the same word do not.
struct BankUse {
    int passes = 0;                          // in all turns: the least is the number of turns
    int turns = 0;
    std::array<std::uint8_t, kBanks> words{};  // different words wanted of each bank, the most in one turn
};
BankUse banks_of(const trace::Trace& trace, const trace::Record& record);

}  // namespace lanewise::steps
