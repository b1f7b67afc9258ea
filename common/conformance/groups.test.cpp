// Cooperative groups: each call's answer on random inputs, against the model; the GPU's plain build runs the
// toolkit's own header, so that this also holds the emulator's text to it.
//
// Not compared, because CUDA leaves it open: a shuffle from a lane that does not exist or takes no part; match_all,
// reduce and scan on a tile that the block's end cuts short; which lanes form coalesced_threads(). Of the last the
// group that was formed is read back and then held to.
#include <fstream>
#include <string>

#include "common/conformance/model.hpp"
#include "common/conformance/case_sweep.hpp"

namespace lanewise::conformance {
namespace {

const launch::KernelSet& kernels() {
    static const launch::KernelSet set = generated::conformance_groups();
    return set;
}

class Groups : public Sweep {
protected:
    template <class T, class Op>
    void reduce(const std::string& type, std::size_t tile, int which, Op op) {
        const Shape shape = this->shape(true);
        const std::vector<T> in = values<T>(shape.all());
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<T>("out", in.size());
        const std::string instance = type + ", " + std::to_string(tile) + ", " + std::to_string(which);
        plan.launch("tile_reduce", instance, shape.grid, shape.block, a, b);
        const auto out = bytes_as<T>(run(plan, kernels()).buffers[1]);
        for (std::size_t first = 0; first < in.size(); first += tile) {
            const std::vector<T> piece(in.begin() + static_cast<std::ptrdiff_t>(first),
                                       in.begin() + static_cast<std::ptrdiff_t>(first + tile));
            const std::vector<T> expected = tile_reduced(piece, op);
            for (std::size_t i = 0; i < tile; ++i)
                ASSERT_EQ(to_bits(out[first + i]), to_bits(expected[i])) << instance << " thread " << first + i;
        }
    }

    template <class T>
    void bits(const std::string& type, std::size_t tile) {
        const Shape shape = this->shape(true);
        std::vector<T> in = values<T>(shape.all());
        for (T& v : in) v = static_cast<T>(v | value<T>());  // else `and` over many lanes is always 0
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<T>("out", 3 * in.size());
        plan.launch("tile_bits", type + ", " + std::to_string(tile), shape.grid, shape.block, a, b);
        const auto out = bytes_as<T>(run(plan, kernels()).buffers[1]);
        for (std::size_t i = 0; i < in.size(); ++i) {
            T all = in[i], any = in[i], odd = 0;
            for (std::size_t j = i / tile * tile; j < (i / tile + 1) * tile; ++j)
                all = static_cast<T>(all & in[j]), any = static_cast<T>(any | in[j]), odd = static_cast<T>(odd ^ in[j]);
            ASSERT_EQ(out[3 * i], all) << type;
            ASSERT_EQ(out[3 * i + 1], any) << type;
            ASSERT_EQ(out[3 * i + 2], odd) << type;
        }
    }

    template <class T>
    void scans(const std::string& type, std::size_t tile) {
        const Shape shape = this->shape(true);
        const std::vector<T> in = values<T>(shape.all());
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<T>("out", 2 * in.size());
        plan.launch("tile_scans", type + ", " + std::to_string(tile), shape.grid, shape.block, a, b);
        const auto out = bytes_as<T>(run(plan, kernels()).buffers[1]);
        for (std::size_t first = 0; first < in.size(); first += tile) {
            const std::vector<T> piece(in.begin() + static_cast<std::ptrdiff_t>(first),
                                       in.begin() + static_cast<std::ptrdiff_t>(first + tile));
            const std::vector<T> sums = scanned(piece, plus<T>);
            for (std::size_t i = 0; i < tile; ++i) {
                ASSERT_EQ(to_bits(out[2 * (first + i)]), to_bits(sums[i])) << type;
                ASSERT_EQ(to_bits(out[2 * (first + i) + 1]), to_bits(below_rank(sums, piece, i))) << type;
            }
        }
    }

    template <class T>
    void lane_groups(const std::string& type, int how);

    template <class T>
    static T plus(T a, T b) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        else return a + b;
    }
    template <class T>
    static T smaller(T a, T b) { return b < a ? b : a; }
    template <class T>
    static T greater(T a, T b) { return a < b ? b : a; }

    // An exclusive scan, from an inclusive one.
    template <class T>
    static T below_rank(const std::vector<T>& sums, const std::vector<T>& values, std::size_t rank) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(sums[rank]) - static_cast<std::uint64_t>(values[rank]));
        else return rank == 0 ? T() : sums[rank - 1];
    }
};

TEST_P(Groups, TilesShuffle) {
    struct Instance {
        const char* type;
        std::size_t bytes;
        int tile;
    };
    const Instance instances[] = {{"int", 4, 1}, {"int", 4, 2}, {"int", 4, 4}, {"int", 4, 8}, {"int", 4, 16},
                                  {"int", 4, 32}, {"unsigned char", 1, 8}, {"double", 8, 16}, {"uchar3", 3, 4},
                                  {"float3", 12, 32}, {"float4", 16, 8}};
    for (int round = 0; round < 8; ++round)
        for (const auto& [type, bytes, tile] : instances) {
            const Shape shape = this->shape();
            const std::vector<std::uint8_t> in = values<std::uint8_t>(shape.all() * bytes);
            const Shuffle modes[] = {Shuffle::idx, Shuffle::up, Shuffle::down, Shuffle::bfly};
            std::vector<int> arg(shape.all());
            const auto source = [&](std::size_t thread, int mode) {
                return shuffle_source(modes[mode], static_cast<int>(thread % shape.threads() % 32), arg[thread], tile);
            };
            const auto exists = [&](std::size_t thread, int mode) {
                const auto warp = static_cast<std::uint32_t>(thread % shape.threads() / 32);
                const int lane = static_cast<int>(thread % shape.threads() % 32), from = source(thread, mode);
                return from / tile == lane / tile && (shape.lanes(warp) >> from & 1) != 0;
            };
            for (std::size_t thread = 0; thread < arg.size(); ++thread)
                for (int tries = 0; tries < 9; ++tries) {
                    arg[thread] = tries == 8 ? 0 : between(0, tile > 1 ? tile + 3 : 1);
                    if (exists(thread, 0) && exists(thread, 1) && exists(thread, 2) && exists(thread, 3)) break;
                }
            Plan plan;
            const auto a = plan.input("in", in);
            const auto b = plan.input("arg", arg);
            const auto c = plan.output<std::uint8_t>("out", 4 * in.size());
            const std::string instance = std::string(type) + ", " + std::to_string(tile);
            plan.launch("tile_shuffles", instance, shape.grid, shape.block, a, b, c);
            const auto out = bytes_as<std::uint8_t>(run(plan, kernels()).buffers[2]);
            for (std::size_t thread = 0; thread < arg.size(); ++thread)
                for (int mode = 0; mode < 4; ++mode) {
                    const std::size_t from = thread - thread % shape.threads() % 32 +
                                             static_cast<std::size_t>(source(thread, mode));
                    for (std::size_t i = 0; i < bytes; ++i)
                        ASSERT_EQ(out[(4 * thread + static_cast<std::size_t>(mode)) * bytes + i], in[from * bytes + i])
                            << instance << " mode " << mode << " thread " << thread << " argument " << arg[thread];
                }
        }
}

TEST_P(Groups, SayWhereAThreadIs) {
    for (int round = 0; round < 6; ++round)
        for (const std::uint32_t tile : {2u, 16u, 32u}) {
            const Shape shape = this->shape();
            Plan plan;
            const auto a = plan.output<std::uint32_t>("out", 12 * shape.all());
            plan.launch("tile_places", std::to_string(tile), shape.grid, shape.block, a);
            const auto out = bytes_as<std::uint32_t>(run(plan, kernels()).buffers[0]);
            for (std::uint32_t thread = 0; thread < shape.all(); ++thread) {
                const std::uint32_t t = thread % shape.threads(), half = tile / 2;
                const std::vector<std::uint32_t> expected = {
                    t % tile, t / tile, (shape.threads() + tile - 1) / tile, t % half, t % tile / half, 2,
                    t / tile + 1000 * tile, t % tile, std::min(tile, shape.threads() - t / tile * tile), t,
                    shape.threads(), half + 100 * (t % half)};
                const auto first = out.begin() + 12 * static_cast<std::ptrdiff_t>(thread);
                ASSERT_EQ(std::vector<std::uint32_t>(first, first + 12), expected)
                    << "tile " << tile << " thread " << t;
            }
        }
}

TEST_P(Groups, TilesVote) {
    for (int round = 0; round < 10; ++round)
        for (const std::uint32_t tile : {1u, 4u, 16u, 32u}) {
            const Shape shape = this->shape();
            std::vector<int> in(shape.all());
            const int kinds = between(1, 4);
            for (int& v : in) v = between(0, kinds) * (round % 2 ? 1 : -77777);
            Plan plan;
            const auto a = plan.input("in", in);
            const auto b = plan.output<std::uint32_t>("out", 6 * in.size());
            plan.launch("tile_votes", std::to_string(tile), shape.grid, shape.block, a, b);
            const auto out = bytes_as<std::uint32_t>(run(plan, kernels()).buffers[1]);
            for (std::uint32_t thread = 0; thread < shape.all(); ++thread) {
                const std::uint32_t t = thread % shape.threads(), first = t / tile * tile;
                const std::uint32_t length = std::min(tile, shape.threads() - first);
                std::uint32_t set = 0, same = 0;
                for (std::uint32_t i = 0; i < length; ++i) {
                    const int other = in[thread - t + first + i];
                    if (other != 0) set |= 1u << i;
                    if (other == in[thread]) same |= 1u << i;
                }
                const std::uint32_t whole = ~0u >> (32 - tile);
                const std::uint32_t* mine = &out[6 * thread];
                ASSERT_EQ(mine[0], set != 0);
                ASSERT_EQ(mine[1], set == whole);
                ASSERT_EQ(mine[2], set);
                ASSERT_EQ(mine[3], same);
                if (length < tile) continue;
                ASSERT_EQ(mine[4], same == whole ? whole : 0u);
                ASSERT_EQ(mine[5], same == whole);
            }
        }
}

TEST_P(Groups, TilesWaitForTheirOwn) {
    for (int round = 0; round < 4; ++round)
        for (const std::uint32_t tile : {4u, 32u}) {
            const Shape shape = this->shape(true);
            const std::vector<int> in = values<int>(shape.all());
            Plan plan;
            const auto a = plan.input("in", in);
            const auto b = plan.output<int>("out", in.size());
            plan.launch("tile_sync", std::to_string(tile), shape.grid, shape.block, a, b);
            const auto out = bytes_as<int>(run(plan, kernels()).buffers[1]);
            for (std::uint32_t thread = 0; thread < shape.all(); ++thread) {
                const std::uint32_t t = shape.threads() - 1 - thread % shape.threads();
                const std::uint32_t from = t / tile * tile + (t + 1) % tile;
                const auto next = static_cast<std::uint32_t>(in[thread / shape.threads() * shape.threads() + from]);
                ASSERT_EQ(static_cast<std::uint32_t>(out[thread]), 3 * next);
            }
        }
}

TEST_P(Groups, TilesReduceInTheToolkitsOrder) {
    for (int round = 0; round < 4; ++round) {
        reduce<float>("float", 4, 0, plus<float>);
        reduce<float>("float", 16, 2, greater<float>);
        reduce<float>("float", 32, 0, plus<float>);
        reduce<float>("float", 32, 1, smaller<float>);
        reduce<double>("double", 8, 0, plus<double>);
        reduce<double>("double", 32, 3, greater<double>);
        reduce<int>("int", 8, 0, plus<int>);
        reduce<int>("int", 16, 0, plus<int>);
        reduce<int>("int", 32, 1, smaller<int>);
        reduce<int>("int", 32, 2, greater<int>);
        reduce<unsigned>("unsigned", 32, 0, plus<unsigned>);
        reduce<unsigned>("unsigned", 16, 1, smaller<unsigned>);
        reduce<short>("short", 16, 0, plus<short>);
        reduce<unsigned char>("unsigned char", 32, 2, greater<unsigned char>);
        reduce<long long>("long long", 32, 0, plus<long long>);
        bits<int>("int", 8);
        bits<unsigned>("unsigned", 32);
        bits<unsigned short>("unsigned short", 16);
        bits<unsigned long long>("unsigned long long", 32);
        scans<float>("float", 32);
        scans<int>("int", 16);
    }
}

template <class T>
void Groups::lane_groups(const std::string& type, int how) {
    const Shape shape = this->shape(how != 1);
    const std::vector<T> in = values<T>(shape.all());
    std::vector<int> label(in.size()), arg(in.size()), predicate(in.size());
    const int labels = between(0, 3);
    for (int& l : label) l = between(0, labels);
    for (int& a : arg) a = between(0, 40);
    const int kinds = between(0, 2);
    for (int& p : predicate) p = between(0, kinds);
    Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.input("label", label);
    const auto c = plan.input("arg", arg);
    const auto d = plan.input("predicate", predicate);
    const auto e = plan.output<std::uint32_t>("out", 12 * in.size());
    const auto f = plan.output<T>("values", 7 * in.size());
    plan.launch("lane_groups", type + ", " + std::to_string(how), shape.grid, shape.block, a, b, c, d, e, f);
    const auto buffers = run(plan, kernels()).buffers;
    const auto out = bytes_as<std::uint32_t>(buffers[4]);
    const auto given = bytes_as<T>(buffers[5]);
    for (std::size_t thread = 0; thread < in.size(); ++thread) {
        const auto lane = static_cast<int>(thread % shape.threads() % 32);
        const std::size_t base = thread - static_cast<std::size_t>(lane);
        const std::uint32_t there = shape.lanes(static_cast<std::uint32_t>(thread % shape.threads() / 32));
        const std::uint32_t* mine = &out[12 * thread];
        SCOPED_TRACE(::testing::Message() << type << " kind " << how << " thread " << thread << " mask " << mine[0]);
        if (how == 1 && label[thread] != 0) {
            ASSERT_EQ(mine[11], 0u);
            continue;
        }
        // The group, by the labels.
        std::uint32_t mask = 0, leaders = 0;
        for (const int other : lanes_of(there)) {
            const int l = label[base + static_cast<std::size_t>(other)];
            if (how == 3 ? (l == 0) == (label[thread] == 0) : l == label[thread]) mask |= 1u << other;
            bool first = true;
            for (int before = 0; before < other; ++before)
                first = first && label[base + static_cast<std::size_t>(before)] != l;
            if (first) leaders |= 1u << other;
        }
        auto meta_rank = static_cast<std::uint32_t>(std::popcount(leaders & ((1u << std::countr_zero(mask)) - 1)));
        auto meta_size = static_cast<std::uint32_t>(std::popcount(leaders));
        if (how == 1) {  // some of these, alike for each of them
            ASSERT_EQ(mine[0] & ~mask, 0u);
            ASSERT_TRUE(mine[0] >> lane & 1);
            mask = mine[0];
            for (const int other : lanes_of(mask)) ASSERT_EQ(out[12 * (base + static_cast<std::size_t>(other))], mask);
            meta_rank = 0, meta_size = 1;
        }
        if (how == 2 && std::popcount(mask) > 4) {
            const std::vector<int> all = lanes_of(mask);
            const auto rank = static_cast<std::size_t>(std::find(all.begin(), all.end(), lane) - all.begin());
            mask = 0;
            for (std::size_t r = rank / 4 * 4; r < std::min(rank / 4 * 4 + 4, all.size()); ++r) mask |= 1u << all[r];
            meta_rank = static_cast<std::uint32_t>(rank / 4),
            meta_size = static_cast<std::uint32_t>((all.size() + 3) / 4);
        }
        if (how == 3) {
            meta_rank = mask != there && label[thread] == 0, meta_size = mask == there ? 1 : 2;
        }
        const std::vector<int> lanes = lanes_of(mask);
        const auto rank = static_cast<std::size_t>(std::find(lanes.begin(), lanes.end(), lane) - lanes.begin());
        std::vector<T> values;
        std::uint32_t set = 0, same = 0;
        for (const int other : lanes) {
            const std::size_t at = base + static_cast<std::size_t>(other);
            values.push_back(in[at]);
            if (predicate[at] != 0) set |= 1u << other;
            if (predicate[at] == predicate[thread]) same |= 1u << other;
        }
        const auto size = static_cast<std::uint32_t>(lanes.size());
        const std::vector<std::uint32_t> expected = {
            mask, static_cast<std::uint32_t>(rank), size, set != 0, set == mask, packed(mask, set), packed(mask, same),
            same == mask ? packed(mask, mask) : 0, same == mask, meta_rank, meta_size, 1};
        ASSERT_EQ(std::vector<std::uint32_t>(mine, mine + 12), expected);
        const bool full = mask == ~0u;
        const auto delta = static_cast<std::size_t>(arg[thread]) & (full ? 31u : ~0u);
        const std::vector<T> sums = scanned(values, plus<T>);
        const std::vector<T> wanted = {
            values[static_cast<std::size_t>(arg[thread]) % size], values[delta <= rank ? rank - delta : rank],
            values[rank + delta < size ? rank + delta : rank],
            full ? tile_reduced(values, plus<T>)[rank] : sums.back(),
            full ? tile_reduced(values, greater<T>)[rank] : scanned(values, greater<T>).back(), sums[rank],
            below_rank(sums, values, rank)};
        for (std::size_t i = 0; i < wanted.size(); ++i)
            ASSERT_EQ(to_bits(given[7 * thread + i]), to_bits(wanted[i])) << "value " << i << " of rank " << rank;
    }
}

TEST_P(Groups, OfAnyLanesCountTheirRanks) {
    for (int round = 0; round < 8; ++round) {
        lane_groups<float>("float", 0);
        lane_groups<float>("float", 1);
        lane_groups<double>("double", 2);
        lane_groups<int>("int", 3);
    }
}

// What is recorded is on the kernel's line, not on the prelude's, with each round's partial result.
TEST_P(Groups, AreRecordedOnTheCallersLine) {
    std::ifstream file(LANEWISE_CONFORMANCE_FOLDER "/groups/kernels.cuh");
    std::string text;
    int line = 1;
    while (std::getline(file, text) && text.find("cg::reduce(tile, value, cg::plus<T>())") == std::string::npos) ++line;
    ASSERT_TRUE(file.good());
    const std::vector<float> in = values<float>(32);
    Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.output<float>("out", 32);
    plan.launch("tile_reduce", "float, 32, 0", {1}, {32}, a, b);
    const launch::Outcome outcome = run(plan, kernels());
    ASSERT_EQ(outcome.trace.has_value(), GetParam().traced);
    if (!outcome.trace) return;
    int rounds = 0;
    std::vector<float> held = in;
    for (const trace::Record& record : outcome.trace->records) {
        if (!trace::is_shuffle(record.op)) continue;
        ++rounds;
        EXPECT_EQ(record.op, trace::Op::shfl_xor);
        EXPECT_EQ(record.line, line);
        ASSERT_EQ(record.has_after, ~0u);
        const std::vector<float> old = held;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            held[lane] = old[lane] + old[lane ^ static_cast<std::size_t>(32 >> rounds)];
            EXPECT_EQ(record.after[lane], to_bits(held[lane]));
        }
    }
    EXPECT_EQ(rounds, 5);
}

LANEWISE_SWEEP(Groups);

}  // namespace
}  // namespace lanewise::conformance
