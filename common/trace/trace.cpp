#include "common/trace/trace.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "common/base/error.hpp"

namespace lanewise::trace {
namespace {

// In the order of Op.
constexpr std::array<const char*, kOpCount> kNames = {
    "shfl_idx",       "shfl_up",    "shfl_down",        "shfl_xor",       "reduce_add",     "reduce_min",
    "reduce_max",     "reduce_and", "reduce_or",        "reduce_xor",     "vote_any",       "vote_all",
    "vote_ballot",    "vote_match_any", "vote_match_all", "sync_warp",    "sync_block",     "sync_block_count",
    "sync_block_and", "sync_block_or",  "active_mask",  "fence",          "load",           "store",
    "atomic_add",     "atomic_sub", "atomic_min",       "atomic_max",     "atomic_inc",     "atomic_dec",
    "atomic_and",     "atomic_or",  "atomic_xor",       "atomic_exch",    "atomic_cas"};
static_assert(kNames.back() != nullptr);

}  // namespace

const char* op_name(Op op) { return kNames.at(static_cast<std::size_t>(op)); }

Op op_from_name(const std::string& name) {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (name == kNames[i]) return static_cast<Op>(i);
    throw Error("There is no instruction \"" + name + "\" in this trace format.");
}

std::string run_name(const Source& source) {
    return source.kind == SourceKind::gpu ? "traced run" : source.order.empty() ? "this run" : source.order;
}

bool records_accesses(const Trace& trace) {
    return std::any_of(trace.records.begin(), trace.records.end(),
                       [](const Record& record) { return is_access(record.op); });
}

void show_as_floats(Trace& trace, const std::vector<std::string>& names) {
    std::vector<bool> shown(trace.arrays.size());
    for (std::size_t i = 0; i < trace.arrays.size(); ++i) {
        Array& array = trace.arrays[i];
        shown[i] = array.space == Space::shared && array.element == Element::u32 &&
                   std::find(names.begin(), names.end(), array.name) != names.end();
        if (shown[i]) array.element = Element::f32;
    }
    for (Record& record : trace.records) {
        const bool access = is_access(record.op) && record.array < shown.size() && shown[record.array];
        if (access && record.type == Element::u32) record.type = Element::f32;
    }
}

bool of_same_code(const Header& a, const Header& b) {
    return a.code_hash.empty() || b.code_hash.empty() ? a.kernel_hash == b.kernel_hash : a.code_hash == b.code_hash;
}

std::string input_text(const Header& header, bool seeded) {
    std::string text = header.input;
    if (seeded) text += " · seed " + std::to_string(header.seed);
    for (const auto& [name, value] : header.controls) text += " · " + name + " " + value;
    return text;
}

std::string block_text(const Header& header) {
    std::string text;
    std::set<std::string> shown;
    for (const Launch& launch : header.launches) {
        const auto& [x, y, z] = launch.block;
        std::string one = std::to_string(x);
        if (y > 1 || z > 1) one += " x " + std::to_string(y);
        if (z > 1) one += " x " + std::to_string(z);
        if (shown.insert(one).second) text += (text.empty() ? "" : ", ") + one;
    }
    return text.empty() ? std::to_string(header.block) : text;
}

const char* verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::clean: return "clean for this run";
        case Verdict::wrong: return "wrong";
        case Verdict::not_decided: return "not decided";
        default: return "not checked";
    }
}

bool is_shuffle(Op op) { return op <= Op::shfl_xor; }
bool is_reduce(Op op) { return op >= Op::reduce_add && op <= Op::reduce_xor; }
bool is_vote(Op op) { return op >= Op::vote_any && op <= Op::vote_match_all; }
bool is_block_barrier(Op op) { return op >= Op::sync_block && op <= Op::sync_block_or; }
bool is_atomic(Op op) { return op >= Op::atomic_add; }
bool is_exchange(Op op) { return is_shuffle(op) || is_reduce(op); }
bool is_predicate_vote(Op op) { return op >= Op::vote_any && op <= Op::vote_ballot; }
bool is_barrier_vote(Op op) { return is_block_barrier(op) && op != Op::sync_block; }
bool is_access(Op op) { return op == Op::load || op == Op::store; }
bool is_collective(Op op) { return op <= Op::sync_block_or; }

Element received_type(const Record& record) {
    const bool is_match = is_vote(record.op) && !is_predicate_vote(record.op);
    return is_match || is_block_barrier(record.op) || record.op == Op::active_mask ? Element::u32 : record.type;
}

}  // namespace lanewise::trace
