// Traces in files: NDJSON, one header line, then arrays, records, findings, outputs and reruns a line each, and a
// footer with the count of lines and a checksum. Floats are hex bits.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "common/trace/trace.hpp"

namespace lanewise::trace {

// Caps on what is read, so that a mangled or hostile file cannot exhaust memory.
inline constexpr std::size_t kMaxFileBytes = 256u << 20;
inline constexpr std::size_t kMaxLineBytes = 4u << 20;
inline constexpr std::size_t kMaxRecords = 1u << 20;
inline constexpr std::size_t kMaxStringBytes = 4096;
// Records times the blocks they are of: steps count for each block what happened so far. Beside these (at most 350 MB)
// what is read takes memory in proportion to the file.
inline constexpr std::size_t kMaxRecordsTimesBlocks = std::size_t{1} << 22;
inline constexpr std::size_t kMaxReruns = 64;
inline constexpr std::size_t kMaxRerunOutputs = 64;
inline constexpr std::size_t kMaxUses = 256;   // names in one statement

void write(std::ostream& out, const Trace& trace);

// Writes to a temporary file beside `path` and renames it, so that nothing half-written is left behind. Throws Error
// naming the path and the system's reason.
void save(const std::filesystem::path& path, const Trace& trace);

// Reads a trace. A file cut off in the middle gives its valid prefix with `partial` set and the reason. Throws Error
// where there is nothing to show: no such file, not a trace, a newer major version (naming both versions), a cap
// exceeded in the header. `name` is used in sentences.
Trace read(std::istream& in, const std::string& name);
Trace load(const std::filesystem::path& path);

// FNV-1a 64 of a text, as 16 hex digits.
std::string fnv1a_hex(std::string_view text);

// Says in the header which kernel file was run; `text`: of it and of the files beside it that it includes.
void set_kernel_file(Header& header, const std::string& file, std::string_view text);

// Is `text` the code that ran? Comments count where the header is of before minor version 5.
bool is_code_of(const Header& header, std::string_view text);

}  // namespace lanewise::trace
