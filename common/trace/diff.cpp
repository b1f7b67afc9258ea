#include "common/trace/diff.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "common/trace/fields.hpp"

namespace lanewise::trace {
namespace {

using WarpKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // launch, block, warp
using Sequence = std::vector<const Record*>;
using Sequences = std::map<WarpKey, Sequence>;

std::string place_of(const Record& record) {
    return fmt::format("launch {}, block {}, warp {}, record {}, line {} ({})", record.launch, record.block,
                       record.warp, record.index, record.line, op_name(record.op));
}

std::string shown(Element type, std::uint64_t bits) {
    return fmt::format("{} (0x{})", format_element(type, bits), format_bits(type, bits));
}

// Traces of different things: in what, or nothing.
std::optional<std::string> different_header(const Header& a, const Header& b) {
    const auto sentence = [](const char* what, const auto& left, const auto& right) {
        return fmt::format("The traces are of different {}: A has {}, B has {}.", what, left, right);
    };
    if (a.lesson != b.lesson) return sentence("lessons", a.lesson, b.lesson);
    if (a.variant != b.variant) return sentence("variants", a.variant, b.variant);
    if (a.n != b.n) return sentence("sizes n", a.n, b.n);
    if (a.columns != b.columns) return sentence("columns", a.columns, b.columns);
    if (a.warp_size != b.warp_size) return sentence("warp sizes", a.warp_size, b.warp_size);
    if (a.block != b.block) return sentence("block sizes", a.block, b.block);
    if (a.offset != b.offset) return sentence("offsets of the input", a.offset, b.offset);
    if (a.input != b.input) return sentence("inputs", a.input, b.input);
    if (a.controls != b.controls) return sentence("controls", input_text(a, false), input_text(b, false));
    if (a.values != b.values) return std::string("The traces are of different values of the input.");
    if (a.seed != b.seed) return sentence("seeds", a.seed, b.seed);
    if (!of_same_code(a, b))
        return sentence("kernel files", a.kernel_file + " " + a.kernel_hash, b.kernel_file + " " + b.kernel_hash);
    if (a.launches.size() != b.launches.size())
        return sentence("numbers of launches", a.launches.size(), b.launches.size());
    for (std::size_t i = 0; i < a.launches.size(); ++i) {
        const auto describe = [](const Launch& launch) {
            return fmt::format("{} on {}x{}x{} blocks of {}x{}x{} threads", launch.kernel, launch.grid[0],
                               launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2]);
        };
        if (describe(a.launches[i]) != describe(b.launches[i]))
            return sentence("launches", describe(a.launches[i]), describe(b.launches[i]));
    }
    return std::nullopt;
}

// Undefined values spread where no record shows it. From the first on, what may have come from one is not compared:
// the lane's own values; after the block's next barrier, all of the block's.
class Undefined {
public:
    void look_at(const Sequences& sequences) {
        for (const auto& [key, records] : sequences) {
            std::size_t barriers = 0;
            for (const Record* record : records) {
                barriers += is_block_barrier(record->op);
                if (record->undefined == 0) continue;
                const auto block = std::pair(std::get<0>(key), std::get<1>(key));
                const auto [at, added] = first_phase_.emplace(block, barriers);
                if (!added) at->second = std::min(at->second, barriers);
            }
        }
    }

    // Begins a warp.
    void enter(const WarpKey& key) {
        lanes_ = 0;
        barriers_ = 0;
        const auto found = first_phase_.find({std::get<0>(key), std::get<1>(key)});
        block_phase_ = found == first_phase_.end() ? kNever : found->second;
    }

    // The lanes whose offered values count, before the record.
    std::uint32_t clean() const { return ~lanes_; }

    // The lanes whose received values count; takes the record's own undefined lanes in.
    std::uint32_t receive(const Record& a, const Record& b) {
        std::uint32_t received = a.undefined | b.undefined;
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
            const int source = a.source[lane];
            if (is_shuffle(a.op) && source >= 0 && lanes_ >> source & 1) received |= std::uint32_t{1} << lane;
        }
        // What is made of all lanes' values is undefined with one of them.
        if ((is_vote(a.op) || is_reduce(a.op)) && (lanes_ & a.active) != 0) received = ~std::uint32_t{0};
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            if (received >> lane & 1 && a.effect[lane] != Effect::keep) lanes_ |= std::uint32_t{1} << lane;
        return ~received;
    }

    // Passes a block barrier; false when its snapshot may hold something undefined.
    bool pass_barrier() {
        const bool known = block_phase_ == kNever || barriers_ < block_phase_;
        if (++barriers_ > block_phase_ && block_phase_ != kNever) lanes_ = ~std::uint32_t{0};
        return known;
    }

private:
    static constexpr std::size_t kNever = static_cast<std::size_t>(-1);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> first_phase_;  // barriers before the first, by block
    std::uint32_t lanes_ = 0;
    std::size_t barriers_ = 0;
    std::size_t block_phase_ = kNever;
};

class Comparison {
public:
    Comparison(const Trace& a, const Trace& b) : a_(a), b_(b) {
        const auto has_accesses = [](const Trace& trace) {
            return trace.header.source.kind == SourceKind::emulator &&
                   std::any_of(trace.records.begin(), trace.records.end(),
                               [](const Record& record) { return is_access(record.op); });
        };
        with_accesses_ = has_accesses(a) && has_accesses(b);
    }

    Difference run() {
        if (const auto header = different_header(a_.header, b_.header)) return differ(*header);
        const std::set<std::uint32_t> blocks = common_blocks();
        if (blocks.empty() && !(a_.header.blocks.empty() && b_.header.blocks.empty()))
            return differ("The traces have no recorded block in common. Record the same blocks.");
        tolerance_ = std::max(a_.header.tolerance, b_.header.tolerance);
        const Sequences left = sequences(a_, blocks);
        const Sequences right = sequences(b_, blocks);
        undefined_.look_at(left);
        undefined_.look_at(right);
        std::set<WarpKey> warps;
        for (const auto& [key, records] : left) warps.insert(key);
        for (const auto& [key, records] : right) warps.insert(key);
        for (const WarpKey& key : warps) {
            const auto at = [&key](const Sequences& all) {
                const auto found = all.find(key);
                return found == all.end() ? Sequence() : found->second;
            };
            if (!compare_warp(key, at(left), at(right))) return result_;
        }
        const std::string compared = fmt::format("{} records of {} warps, {} snapshots", result_.records_compared,
                                                 warps.size(), result_.snapshots_compared);
        if (a_.partial || b_.partial)
            return differ(fmt::format("{} is incomplete; as far as it goes the traces are equal: {}.",
                                      a_.partial ? "A" : "B", compared));
        result_.sentence =
            "equal" + (tolerance_ > 0 ? fmt::format(" within {:.2g}", tolerance_) : "") + ": " + compared;
        if (skipped_ > 0)
            result_.sentence += fmt::format("; {} values not compared: CUDA leaves them undefined", skipped_);
        return result_;
    }

private:
    Difference differ(std::string sentence) {
        result_.equal = false;
        result_.sentence = std::move(sentence);
        return result_;
    }

    // Describes the first difference; false, so that comparing stops.
    bool unlike(const Record& a, std::string_view what, std::string_view left, std::string_view right) {
        differ(fmt::format("{}: {}: A has {}, B has {}.", place_of(a), what, left, right));
        return false;
    }

    std::set<std::uint32_t> common_blocks() const {
        const std::set<std::uint32_t> left(a_.header.blocks.begin(), a_.header.blocks.end());
        std::set<std::uint32_t> both;
        for (const std::uint32_t block : b_.header.blocks)
            if (left.contains(block)) both.insert(block);
        return both;
    }

    Sequences sequences(const Trace& trace, const std::set<std::uint32_t>& blocks) const {
        Sequences result;
        for (const Record& record : trace.records) {
            if (is_access(record.op) && !with_accesses_) continue;
            if (record.op == Op::active_mask) continue;
            if (!blocks.empty() && !blocks.contains(record.block)) continue;
            result[{record.launch, record.block, record.warp}].push_back(&record);
        }
        return result;
    }

    bool compare_warp(const WarpKey& key, const Sequence& left, const Sequence& right) {
        undefined_.enter(key);
        for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
            if (!compare(*left[i], *right[i])) return false;
        if (left.size() == right.size() || a_.partial || b_.partial) return true;
        const bool more_left = left.size() > right.size();
        const Record& extra = more_left ? *left[right.size()] : *right[left.size()];
        differ(fmt::format("{}: only {} has it; of this warp A has {} records to compare, B has {}.", place_of(extra),
                           more_left ? "A" : "B", left.size(), right.size()));
        return false;
    }

    bool compare(const Record& a, const Record& b) {
        ++result_.records_compared;
        const auto instruction = [](const Record& record) {
            return fmt::format("{} at line {}", op_name(record.op), record.line);
        };
        if (a.op != b.op || a.line != b.line) return unlike(a, "the instruction", instruction(a), instruction(b));
        const auto lanes = [](std::uint32_t bits) { return fmt::format("0x{:08x}", bits); };
        if (a.active != b.active) return unlike(a, "the lanes that took part", lanes(a.active), lanes(b.active));
        if (a.mask != b.mask) return unlike(a, "the mask", lanes(a.mask), lanes(b.mask));
        if (a.op == Op::sync_warp) return true;
        if (a.op == Op::fence) return compare_scopes(a, b);
        if (is_block_barrier(a.op)) return compare_barriers(a, b);
        if (a.type != b.type) return unlike(a, "the type", element_name(a.type), element_name(b.type));
        if (is_shuffle(a.op) && a.width != b.width)
            return unlike(a, "the width", std::to_string(a.width), std::to_string(b.width));
        if (is_access(a.op) || is_atomic(a.op)) {
            if (!compare_place(a, b)) return false;
        }
        return compare_lanes(a, b);
    }

    // The array and the number of elements of an access.
    bool compare_place(const Record& a, const Record& b) {
        const auto name = [](const Trace& trace, const Record& record) {
            return record.array < trace.arrays.size() ? trace.arrays[record.array].name
                                                      : fmt::format("array {}", record.array);
        };
        if (name(a_, a) != name(b_, b)) return unlike(a, "the array", name(a_, a), name(b_, b));
        if (a.elements != b.elements)
            return unlike(a, "elements for each lane", std::to_string(a.elements), std::to_string(b.elements));
        return true;
    }

    bool compare_lanes(const Record& a, const Record& b) {
        const std::uint32_t offered = undefined_.clean();
        const std::uint32_t received = undefined_.receive(a, b);
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
            if (!(a.active >> lane & 1)) continue;
            const bool offered_counts = offered >> lane & 1;
            const bool received_counts = received >> lane & 1;
            skipped_ += !offered_counts || !received_counts;
            if (!compare_numbers(a, b, lane, offered_counts)) return false;
            const auto bits_as = [&](Element type, const char* what, std::uint64_t left, std::uint64_t right) {
                return same(type, left, right) ||
                       unlike(a, fmt::format("lane {}: {}", lane, what), shown(type, left), shown(type, right));
            };
            const auto bits = [&](const char* what, std::uint64_t left, std::uint64_t right) {
                return bits_as(a.type, what, left, right);
            };
            const bool offers = is_exchange(a.op) || (is_vote(a.op) && !is_predicate_vote(a.op));
            if (offers && offered_counts && !bits("before", a.before[lane], b.before[lane])) return false;
            if (!is_atomic(a.op) && !is_access(a.op) && received_counts &&
                !bits_as(received_type(a), "received", a.received[lane], b.received[lane]))
                return false;
            const bool after = has_after(a.op) && a.has_after >> lane & b.has_after >> lane & 1;
            // Kept, the lane's value is as good as it was; else it holds what it received as well.
            const bool after_counts = offered_counts && (received_counts || a.effect[lane] == Effect::keep);
            if (after && after_counts && !bits_as(type_of_after(a), "after", a.after[lane], b.after[lane]))
                return false;
            if (!is_atomic(a.op) && !is_access(a.op)) continue;
            for (int k = 0; k < a.elements && offered_counts; ++k) {
                const std::string what = a.elements == 1 ? "the value" : fmt::format("the value's element {}", k);
                if (!bits(what.c_str(), element_at(a.value[lane], a.type, k), element_at(b.value[lane], a.type, k)))
                    return false;
            }
        }
        return true;
    }

    // Bit by bit, or within the tolerance of the traces.
    bool same(Element type, std::uint64_t left, std::uint64_t right) const {
        if (same_value(type, left, right)) return true;
        if (tolerance_ == 0 || !is_float(type)) return false;
        const double x = element_to_double(type, left), y = element_to_double(type, right);
        if (!std::isfinite(x) || !std::isfinite(y)) return false;
        return std::abs(x - y) <= tolerance_ * std::max({std::abs(x), std::abs(y), 1.0});
    }

    bool same_number(const Record& a, std::size_t lane, const char* what, std::int64_t left, std::int64_t right) {
        return left == right ||
               unlike(a, fmt::format("lane {}: {}", lane, what), fmt::format("{} (0x{:x})", left, left),
                      fmt::format("{} (0x{:x})", right, right));
    }

    bool compare_scopes(const Record& a, const Record& b) {
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            if (a.active >> lane & 1 && !same_number(a, lane, "the fence's scope", a.arg[lane], b.arg[lane]))
                return false;
        return true;
    }

    // The answer is made of the whole block's predicates: one that may come from something undefined spoils it.
    bool compare_barriers(const Record& a, const Record& b) {
        const std::uint32_t offered = undefined_.clean();
        const bool known = undefined_.pass_barrier();
        for (std::size_t lane = 0; lane < kWarpSize && is_barrier_vote(a.op); ++lane) {
            if (!(a.active >> lane & 1)) continue;
            const bool offered_counts = offered >> lane & 1;
            skipped_ += !offered_counts || !known;
            if (offered_counts && !same_number(a, lane, "the predicate", a.arg[lane], b.arg[lane])) return false;
            if (known && !same_number(a, lane, "received", static_cast<std::int64_t>(a.received[lane]),
                                      static_cast<std::int64_t>(b.received[lane])))
                return false;
        }
        return !known || compare_snapshots(a, b);
    }

    // What is not a value of the lane's type: argument, source lane, place in an array, what the statement does.
    bool compare_numbers(const Record& a, const Record& b, std::size_t lane, bool offered_counts) {
        const auto numbers = [&](const char* what, std::int64_t left, std::int64_t right) {
            return same_number(a, lane, what, left, right);
        };
        if (is_exchange(a.op)) {
            if (is_shuffle(a.op) && !numbers("the argument", a.arg[lane], b.arg[lane])) return false;
            if (is_shuffle(a.op) && !numbers("the source lane", a.source[lane], b.source[lane])) return false;
            if (!numbers("the statement's effect", static_cast<int>(a.effect[lane]), static_cast<int>(b.effect[lane])))
                return false;
            return numbers("a value after recorded", a.has_after >> lane & 1, b.has_after >> lane & 1);
        }
        if (is_vote(a.op) && !is_predicate_vote(a.op)) return true;
        if (is_vote(a.op)) return !offered_counts || numbers("the predicate", a.arg[lane], b.arg[lane]);
        return numbers("the element", a.element_index[lane], b.element_index[lane]);
    }

    // Elements written by the record of either. Where neither trace knows (two GPUs), what they held before is left
    // over from another kernel, and nothing can be said.
    bool compare_snapshots(const Record& a, const Record& b) {
        std::size_t compared = 0;
        for (const ArrayImage& left : a.shared) {
            if (left.array >= a_.arrays.size()) continue;
            for (const ArrayImage& right : b.shared) {
                if (right.array >= b_.arrays.size()) continue;
                const Array& array = a_.arrays[left.array];
                const Array& other = b_.arrays[right.array];
                if (array.name != other.name || array.space != other.space) continue;
                if (!compare_images(a, array, left, right, compared)) return false;
            }
        }
        result_.snapshots_compared += compared > 0;
        return true;
    }

    // The elements that both images cover.
    bool compare_images(const Record& a, const Array& array, const ArrayImage& left, const ArrayImage& right,
                        std::size_t& compared) {
        const auto is_written = [](const ArrayImage& image, std::size_t i) {
            return i < image.written.size() && image.written[i];
        };
        const std::uint64_t last = std::min(left.first + left.values.size(), right.first + right.values.size());
        for (std::uint64_t element = std::max(left.first, right.first); element < last; ++element) {
            const auto l = static_cast<std::size_t>(element - left.first);
            const auto r = static_cast<std::size_t>(element - right.first);
            if (!is_written(left, l) && !is_written(right, r)) continue;
            ++compared;
            if (same(array.element, left.values[l], right.values[r])) continue;
            return unlike(a, fmt::format("{}[{}] in the snapshot", array.name, element),
                          shown(array.element, left.values[l]), shown(array.element, right.values[r]));
        }
        return true;
    }

    const Trace& a_;
    const Trace& b_;
    bool with_accesses_ = false;
    double tolerance_ = 0;
    Undefined undefined_;
    std::size_t skipped_ = 0;
    Difference result_;
};

}  // namespace

Difference diff(const Trace& a, const Trace& b) { return Comparison(a, b).run(); }

}  // namespace lanewise::trace
