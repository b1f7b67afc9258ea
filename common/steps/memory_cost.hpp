// What one warp's access costs the memory system, counted from the lanes' addresses, as the CUDA C++ Programming Guide
// describes it for compute capability 5.0 and later: global memory moves in sectors of 32 bytes; shared memory has 32
// banks of four bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/memory_units.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::steps {

using lanewise::BankUse;
using lanewise::kBankBytes;
using lanewise::kBanks;
using lanewise::kSectorBytes;

// The sectors that one access or atomic touches, by number in their array (its first byte lies at the start of sector
// 0: a buffer is aligned to 256 bytes), ascending, each once.
std::vector<std::int64_t> sectors_of(const trace::Trace& trace, const trace::Record& record);

// Bytes that the lanes asked for, a word that several lanes ask for counted once.
std::uint32_t useful_bytes(const trace::Trace& trace, const trace::Record& record);

// What a shared-memory access asks of the banks.
BankUse banks_of(const trace::Trace& trace, const trace::Record& record);

}  // namespace lanewise::steps
