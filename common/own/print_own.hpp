// What a run of a kernel file came to, in a terminal.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "common/compile/build.hpp"
#include "common/own/spec.hpp"
#include "common/print/print.hpp"

namespace lanewise::own {

// The lines of a kernel file and of those it includes, which count through.
class SourceText {
public:
    explicit SourceText(const std::vector<compile::TextFile>& files);
    struct Place {
        std::string name;  // "sum.cu:12"
        std::string text;  // of that line
    };
    Place at(int line) const;
    // A sentence with the lines that it names as their own files count them.
    std::string with_files(const std::string& sentence) const;

private:
    std::vector<std::string> lines_;
    std::vector<std::string> names_;  // for each
    std::size_t first_file_ = 0;      // its lines: they are named without the file
};

// For each program what was expected and what came out, its verdict, and its findings with their lines. Returns how
// many are wrong or did not give what is expected.
int print_checks(std::ostream& out, const SourceText& source, const std::vector<Program>& programs,
                 const std::vector<print::CheckedVariant>& rows, print::Paint paint);

}  // namespace lanewise::own
