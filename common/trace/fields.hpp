// Which fields a record of each kind has in a file: one rule for writing and reading.
#pragma once

#include "common/trace/trace.hpp"

namespace lanewise::trace {

inline bool has_type(Op op) { return op != Op::sync_warp && op != Op::sync_block && op != Op::fence; }
inline bool has_arg(Op op) { return is_shuffle(op) || is_predicate_vote(op) || is_barrier_vote(op) || op == Op::fence; }
inline bool has_before(Op op) { return is_exchange(op) || (is_vote(op) && !is_predicate_vote(op)); }
inline bool has_received(Op op) {
    return is_exchange(op) || is_vote(op) || is_barrier_vote(op) || is_atomic(op) || op == Op::active_mask;
}

inline bool has_after(Op op) { return is_exchange(op) || op == Op::load; }
inline Element type_of_after(const Record& record) { return record.op == Op::load ? record.after_type : record.type; }

}  // namespace lanewise::trace
