// The same run again, blocks in other orders: what each gave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// One run's value of the output that is compared.
struct RerunRow {
    std::string how;         // "ascending", "descending", "seed 3", "launch 2"
    std::uint64_t bits = 0;
};

struct RerunTable {
    std::string output;                // "out"
    Element type = Element::f32;
    std::vector<RerunRow> rows;        // the run that is shown, then the others; empty where there are no others
    std::size_t results = 0;           // different ones among them

    // Digits of a row's hex form that differ from the first row's, by place from the left.
    std::vector<bool> differing(std::size_t row) const;
};

// Of the first element of the first output that all runs kept, one that differs before one that does not.
RerunTable rerun_table(const trace::Trace& trace);
// "The same sum, blocks in other orders: 3 different results in 5 runs."
std::string rerun_sentence(const RerunTable& table);
std::string describe_reruns(const RerunTable& table);

}  // namespace lanewise::scene
