#include "common/scene/sums/atomic_chain.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/element.hpp"
#include "common/scene/sums/atomic_result.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

using trace::Op;
using trace::Record;

// Numbers of the joins in the order that their old values show.
class Order {
public:
    explicit Order(const std::vector<Join>& joins) : joins_(joins) {}

    // Empty, and `why` says so, where it cannot be known.
    std::vector<std::size_t> inferred(Element type, std::string& why) {
        // An atomic that changes nothing goes next to the one that left, or found, the value it saw.
        std::map<std::uint64_t, std::vector<std::size_t>> idle;
        std::map<std::uint64_t, std::size_t> finder;
        std::set<std::uint64_t> left;
        std::size_t changing = 0;
        for (std::size_t i = 0; i < joins_.size(); ++i) {
            const Join& join = joins_[i];
            if (!join.has_left) return fail(why, "a CAS returns what it found, not what it left");
            if (join.left == join.found) {
                idle[join.found].push_back(i);
                continue;
            }
            ++changing;
            if (!finder.emplace(join.found, i).second) return fail(why, "two of them found the same value");
            if (!left.insert(join.left).second) return fail(why, "two of them left the same value");
        }
        std::vector<std::vector<std::size_t>> runs;
        for (const auto& [found, first] : finder) {
            if (left.contains(found)) continue;
            runs.emplace_back();
            std::uint64_t held = found;
            for (auto next = finder.find(held); next != finder.end(); next = finder.find(held)) {
                take(idle, held, runs.back());
                runs.back().push_back(next->second);
                held = joins_[next->second].left;
                --changing;
            }
            take(idle, held, runs.back());
        }
        if (changing > 0) return fail(why, "the word came back to a value it had held before");
        for (auto& [held, who] : idle) {
            if (!who.empty()) runs.push_back(who);
        }
        if (runs.size() > 1 && !sort_runs(runs, type)) {
            return fail(why, "others changed the word in between, both up and down");
        }
        std::vector<std::size_t> order;
        for (const auto& run : runs) order.insert(order.end(), run.begin(), run.end());
        return order;
    }

private:
    static std::vector<std::size_t> fail(std::string& why, const char* reason) {
        why = reason;
        return {};
    }

    static void take(std::map<std::uint64_t, std::vector<std::size_t>>& idle, std::uint64_t held,
                     std::vector<std::size_t>& into) {
        const auto at = idle.find(held);
        if (at == idle.end()) return;
        into.insert(into.end(), at->second.begin(), at->second.end());
        idle.erase(at);
    }

    // Where each of them moves the word the same way, a word that only ever rises (or falls) shows which run was first.
    bool sort_runs(std::vector<std::vector<std::size_t>>& runs, Element type) const {
        bool up = false, down = false;
        for (const Join& join : joins_) {
            up |= is_less(type, join.found, join.left);
            down |= is_less(type, join.left, join.found);
        }
        if (up && down) return false;
        std::stable_sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) {
            const std::uint64_t x = joins_[a.front()].found, y = joins_[b.front()].found;
            return down ? is_less(type, y, x) : is_less(type, x, y);
        });
        return true;
    }

    const std::vector<Join>& joins_;
};

using WordKey = std::pair<std::uint32_t, std::int64_t>;   // array, index

// The words of the step, those of `warp` first.
std::vector<WordKey> words_at(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    std::vector<WordKey> words;
    const auto add = [&](const steps::WarpStep& part) {
        for (const std::size_t number : part.records) {
            const Record& record = steps.trace->records[number];
            if (!trace::is_atomic(record.op) || record.array >= steps.trace->arrays.size()) continue;
            for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
                const WordKey word{record.array, record.element_index[lane]};
                if ((record.active >> lane & 1u) && std::find(words.begin(), words.end(), word) == words.end())
                    words.push_back(word);
            }
        }
    };
    const steps::Step& shown = steps.steps[step];
    if (const steps::WarpStep* own = shown.find(warp)) add(*own);
    for (const steps::WarpStep& part : shown.warps) {
        const bool global =
            !part.records.empty() && steps.trace->arrays.size() > steps.trace->records[part.records.front()].array &&
            steps.trace->arrays[steps.trace->records[part.records.front()].array].space == Space::global;
        if (part.warp.launch == warp.launch && (global || part.warp.block == warp.block)) add(part);
    }
    return words;
}

Chain::Unit unit_of(const std::vector<Join>& joins) {
    std::set<std::uint32_t> blocks;
    std::set<std::pair<std::uint32_t, std::uint32_t>> warps;
    for (const Join& join : joins) {
        blocks.insert(join.warp.block);
        warps.insert({join.warp.block, join.warp.warp});
    }
    if (blocks.size() == joins.size()) return Chain::Unit::block;
    return warps.size() == joins.size() ? Chain::Unit::warp : Chain::Unit::lane;
}

Chain chain_of(const steps::Steps& steps, const WordKey& word, const std::set<std::size_t>& now,
               const WarpRef& warp) {
    const trace::Trace& trace = *steps.trace;
    Chain chain;
    chain.array = trace.arrays[word.first].name;
    chain.index = word.second;
    chain.global = trace.arrays[word.first].space == Space::global;
    for (std::size_t number = 0; number < trace.records.size(); ++number) {
        const Record& record = trace.records[number];
        if (!trace::is_atomic(record.op) || record.array != word.first || record.launch != warp.launch) continue;
        if (!chain.global && record.block != warp.block) continue;
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
            if (!(record.active >> lane & 1u) || record.element_index[lane] != word.second) continue;
            Join join = join_of(record, number, static_cast<int>(lane));
            join.now = now.contains(number);
            if (join.now || chain.joins.empty()) {
                chain.type = record.type;
                chain.op = std::string_view(trace::op_name(record.op)).substr(std::string_view("atomic_").size());
            }
            chain.joins.push_back(join);
        }
    }
    chain.unit = unit_of(chain.joins);
    put_in_order(chain.joins, chain.type, chain.unknown);
    if (!chain.global) return chain;
    if (warp.launch < trace.header.launches.size()) {
        const auto& grid = trace.header.launches[warp.launch].grid;
        const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
        const auto recorded = static_cast<std::uint64_t>(
            std::count_if(steps.blocks.begin(), steps.blocks.end(),
                          [&](const WarpRef& block) { return block.launch == warp.launch; }));
        chain.blocks_missing = blocks > recorded ? blocks - recorded : 0;
    }
    // The outputs are what a word held when the last launch was over.
    const bool last = warp.launch + 1 >= trace.header.launches.size();
    for (const trace::Output& output : trace.outputs) {
        const auto at = static_cast<std::size_t>(chain.index);
        if (!last || output.name != chain.array || at >= output.values.size() || output.element != chain.type) continue;
        chain.has_end = true;
        chain.end = output.values[at];
        chain.end_follows = chain.unknown.empty() && !chain.joins.empty() && chain.joins.back().left == chain.end;
    }
    return chain;
}

std::string value(const Chain& chain, std::uint64_t bits) {
    return format_element(chain.type, bits) + " (0x" + format_bits(chain.type, bits) + ")";
}

}  // namespace

Join join_of(const Record& record, std::size_t number, int lane) {
    const auto l = static_cast<std::size_t>(lane);
    Join join;
    join.warp = {record.launch, record.block, record.warp};
    join.lane = lane;
    join.record = number;
    join.found = record.received[l];
    join.gave = trace::element_at(record.value[l], record.type, 0);
    const auto left =
        record.elements == 1 ? after_atomic(record.op, record.type, join.found, join.gave) : std::nullopt;
    join.has_left = left.has_value();
    join.left = left.value_or(0);
    return join;
}

bool put_in_order(std::vector<Join>& joins, Element type, std::string& why) {
    const std::vector<std::size_t> order = Order(joins).inferred(type, why);
    if (order.empty()) return false;
    std::vector<Join> sorted;
    for (const std::size_t i : order) sorted.push_back(joins[i]);
    joins = std::move(sorted);
    for (std::size_t i = 1; i < joins.size(); ++i) joins[i].follows = joins[i].found == joins[i - 1].left;
    return true;
}

std::vector<Chain> chains_at(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    if (step >= steps.size() || steps.steps[step].kind != StepKind::atomic) return {};
    std::set<std::size_t> now;
    for (const steps::WarpStep& part : steps.steps[step].warps) now.insert(part.records.begin(), part.records.end());
    std::vector<Chain> chains;
    for (const WordKey& word : words_at(steps, step, warp)) chains.push_back(chain_of(steps, word, now, warp));
    return chains;
}

const char* chain_verb(const Chain& chain) { return chain.op == "add" ? "added" : "operand"; }

std::string chain_sentence(const Chain& chain) {
    const char* unit = chain.unit == Chain::Unit::block ? "block" : chain.unit == Chain::Unit::warp ? "warp" : "lane";
    std::string text =
        counted(chain.joins.size(), unit) + (chain.joins.size() == 1 ? " updates " : " update ") + chain.word();
    if (chain.unknown.empty()) text += "; order inferred from returned values";
    else text += "; their order cannot be known: " + chain.unknown;
    const bool gap = std::any_of(chain.joins.begin(), chain.joins.end(),
                                 [&](const Join& join) { return &join != &chain.joins.front() && !join.follows; });
    if (chain.blocks_missing > 0)
        text += "; " + counted(chain.blocks_missing, "more block") + (chain.blocks_missing == 1 ? " was" : " were") +
                 " not recorded";
    else if (gap && chain.unknown.empty()) text += "; something that was not recorded changed it in between";
    return text + ".";
}

std::string describe_chain(const Chain& chain) {
    std::string out = chain_sentence(chain) + "\n";
    for (std::size_t i = 0; i < chain.joins.size(); ++i) {
        const Join& join = chain.joins[i];
        if (i > 0 && !join.follows && chain.unknown.empty())
            out += "  not recorded: what made " + value(chain, join.found) + " of it\n";
        out +=
            fmt::format("  block {} · warp {} · lane {}  before {}  {} {}  after {}{}\n", join.warp.block,
                        join.warp.warp, join.lane, value(chain, join.found), chain_verb(chain), value(chain, join.gave),
                        join.has_left ? value(chain, join.left) : "-", join.now ? "" : "  (in another step)");
    }
    if (chain.has_end) out += "  final " + value(chain, chain.end) + "\n";
    return out;
}

}  // namespace lanewise::scene
