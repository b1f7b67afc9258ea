// How memory is built and asked for: banks of shared memory, sectors of global memory.
#pragma once

#include <array>
#include <cstdint>

namespace lanewise {

inline constexpr int kSectorBytes = 32;
inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;

// One shared-memory access. A request whose lanes need more than 128 bytes is made in turns of 128 bytes (half warps
// for 8-byte, quarter warps for 16-byte accesses); in each turn lanes that want different words of one bank wait for
// one another, lanes that want the same word do not.
struct BankUse {
    int wavefronts = 0;                      // in all turns: the least is the number of turns
    int turns = 0;
    std::array<std::uint8_t, kBanks> words{};  // different words wanted of each bank, the most in one turn
};

}  // namespace lanewise
