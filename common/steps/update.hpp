// A statement that changes a word of an array in place, `tree[t] += tree[t + offset]`, lane by lane.
#pragma once

#include <cstdint>
#include <optional>

#include "common/steps/steps.hpp"

namespace lanewise::steps {

// The first element of a lane's access.
inline std::uint64_t accessed(const trace::Record& record, std::size_t lane) {
    return trace::element_at(record.value[lane], record.type, 0);
}

inline bool takes_part(const trace::Record& record, std::size_t lane) { return record.active >> lane & 1; }

struct Update {
    const trace::Record* store = nullptr;
    const trace::Record* own = nullptr;    // the load of the word that is stored to
    const trace::Record* other = nullptr;  // the load of another word; null when there is none, or several
};

// What `lane` did in a step that ends in a store; `store` is null where it did not take part.
Update update_of(const trace::Trace& trace, const WarpStep& step, std::size_t lane);

// a + b in the type's own arithmetic.
std::uint64_t sum_bits(Element type, std::uint64_t a, std::uint64_t b);

// The name of an operation that gives `result` of a and b on every lane of the step: "add", "max", "min"; else
// "update". For labels only: which inputs a lane's value includes is known from the kernel's text.
const char* update_name(const trace::Trace& trace, const Step& step);

}  // namespace lanewise::steps
