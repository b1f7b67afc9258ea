// From an address in a compiled kernel to its place in the kernel's text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lanewise::emu {

struct SourcePlace {
    int line = 0;      // 0: not known (the program was stripped of its debug information)
    int column = 0;    // distinguishes two accesses on one line
};

// Code at these addresses, the end excluded.
struct CodeRange {
    std::uint64_t begin = 0, end = 0;
};

// Reads the debug information of the file that holds the code (this program, or a library it loaded) when it is first
// asked for. Code inlined from the prelude or a system header counts as the kernel line that called it;
// a half that a function is given by value is read where it is passed.
class SourceLines {
public:
    SourceLines();
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    // `return_address` of a call: the place of the call.
    SourcePlace find(const void* return_address);
    // The same for an address that may lie anywhere: nowhere where that is in no kernel.
    SourcePlace find_kernel(const void* return_address);
    // Where the function `name` begins that was compiled with what lies at `in_unit`; 0: not known.
    int line_of_function(const void* in_unit, std::string_view name);
    // Another process loaded the library `path` to the address `base`: addresses there are meant so from now on.
    void library_at(const std::string& path, std::uint64_t base);
    // All code that was compiled with what lies at `address`.
    std::vector<CodeRange> unit_of(const void* address);

private:
    struct Reader;
    struct Library {
        std::string path;
        std::uint64_t base = 0;
    };
    Reader& reader();
    Library library_;
    std::unique_ptr<Reader> reader_;
    std::unordered_map<const void*, SourcePlace> known_;
};

}  // namespace lanewise::emu
