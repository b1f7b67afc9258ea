// Columns of text for the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lanewise::print {

// Rows of cells under headings; the first columns are aligned left, the others right.
class Table {
public:
    Table(std::vector<std::string> headings, std::size_t left_columns);
    void add(std::vector<std::string> cells);

    // One string a row, without its line end.
    std::vector<std::string> lines() const;

private:
    std::vector<std::vector<std::string>> rows_;
    std::size_t left_columns_;
};

// "0" or "1.25e-03"
std::string format_error(double error);

}  // namespace lanewise::print
