// From an address in a compiled kernel to its place in the kernel's text.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace lanewise::emu {

struct SourcePlace {
    int line = 0;      // 0: not known (the program was stripped of its debug information)
    int column = 0;    // tells apart two accesses on one line
};

// Reads the debug information of the file that holds the code (this program, or a library it loaded) when it is first
// asked for. Code inlined from the prelude or a system header counts as the kernel line that called it.
class SourceLines {
public:
    SourceLines();
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    // `return_address` of a call: the place of the call.
    SourcePlace find(const void* return_address);

private:
    struct Reader;
    std::unique_ptr<Reader> reader_;
    std::unordered_map<const void*, SourcePlace> known_;
};

}  // namespace lanewise::emu
