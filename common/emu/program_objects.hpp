// The variables of kernel files: __device__, __constant__ and static ones, which the emulated copies keep as ordinary
// variables of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanewise::emu {

struct ProgramObject {
    std::string name;                  // as the kernel file says: "visits"
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    std::vector<std::byte> initial;    // what it holds when the program starts; empty: zeros
};

// Those of one program or library, from its symbol table: empty where that was stripped. Never changes.
class ProgramObjects {
public:
    // Of the program or library that holds `code`.
    static std::shared_ptr<const ProgramObjects> of(const void* code);

    // Gives all of them what they held when the program started.
    void reset() const;

    // The one that lies at `address`; null where there is none.
    const ProgramObject* find(const void* address) const;

    // Does `address` lie in the program's or library's file as it was loaded?
    bool holds(const void* address) const { return address >= begin_ && address < end_; }

private:
    void read(const char* path, const void* base);

    std::vector<ProgramObject> objects_;   // by address
    const std::byte* begin_ = nullptr;
    const std::byte* end_ = nullptr;
};

}  // namespace lanewise::emu
