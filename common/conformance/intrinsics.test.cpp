// Each warp and block intrinsic on random inputs, masks, widths and arguments, against the model.
//
// Only what CUDA defines is called: a lane whose source takes no part, does not exist or is not named in the mask
// would get an undefined value; a mask that does not name its caller, or names a lane that calls elsewhere, is
// undefined as a whole; widths are powers of two up to 32; match and reduce intrinsics get masks of lanes that exist.
// Arguments below 0 and above 31 are defined (the PTX manual takes their low five bits) and are called.
// __activemask() may answer with any lanes that run here together: it is held to containing its caller and no lane
// that cannot be there.
#include <limits>
#include <string>

#include "common/conformance/model.hpp"
#include "common/conformance/case_sweep.hpp"

namespace lanewise::conformance {
namespace {

const launch::KernelSet& kernels() {
    static const launch::KernelSet set = generated::conformance_intrinsics();
    return set;
}

class Intrinsics : public Sweep {
protected:
    // Masks for the threads of a launch, 0 for those that are to keep out. Lanes of a warp in different groups call
    // at one place with different masks.
    std::vector<std::uint32_t> masks(const Shape& shape, bool may_name_absent) {
        std::vector<std::uint32_t> made(shape.all());
        for (std::uint32_t block = 0; block < shape.blocks(); ++block)
            for (std::uint32_t warp = 0; warp < shape.warps(); ++warp) {
                const std::uint32_t there = shape.lanes(warp);
                std::uint32_t groups[3] = {there, 0, 0};
                switch (below(5)) {
                    case 0: break;                                                           // all
                    case 1: groups[0] = 0xffffu, groups[1] = 0xffff0000u; break;             // halves
                    case 2:
                        groups[0] = static_cast<std::uint32_t>(random_());
                        break;  // some; the others keep out
                    case 3:                                                                  // three groups
                        groups[0] = static_cast<std::uint32_t>(random_());
                        groups[1] = static_cast<std::uint32_t>(random_()) & ~groups[0];
                        groups[2] = ~groups[0] & ~groups[1];
                        break;
                    default: groups[0] = 1u << below(32), groups[1] = ~groups[0]; break;     // one, and the rest
                }
                // A mask may name lanes that the block's end cut off.
                const bool absent = may_name_absent && below(2) == 0;
                for (std::uint32_t lane = 0; lane < 32 && 32 * warp + lane < shape.threads(); ++lane)
                    for (const std::uint32_t group : groups) {
                        const std::uint32_t mask = absent && group == there ? ~0u : absent ? group : group & there;
                        if (mask >> lane & 1) made[block * shape.threads() + 32 * warp + lane] = mask;
                    }
            }
        return made;
    }

    static int lane_of(const Shape& shape, std::size_t thread) {
        return static_cast<int>(thread % shape.threads() % 32);
    }
    static std::uint32_t there(const Shape& shape, std::size_t thread) {
        return shape.lanes(static_cast<std::uint32_t>(thread % shape.threads() / 32));
    }

    // What a record says a lane received is what the lane wrote down.
    template <class T>
    void expect_recorded(const trace::Trace& trace, const Shape& shape, const std::vector<T>& out) const {
        std::size_t compared = 0;
        for (const trace::Record& record : trace.records) {
            if (!trace::is_shuffle(record.op)) continue;
            const auto mode = static_cast<std::size_t>(record.op) - static_cast<std::size_t>(trace::Op::shfl_idx);
            for (const int lane : lanes_of(record.active)) {
                const std::size_t thread =
                    record.block * shape.threads() + 32 * record.warp + static_cast<std::size_t>(lane);
                ASSERT_EQ(static_cast<T>(record.received[static_cast<std::size_t>(lane)]), out[4 * thread + mode]);
                ++compared;
            }
        }
        // All of a block's lanes that called, four times each.
        std::size_t calls = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(2, shape.blocks()) * shape.threads(); ++i)
            calls += 4 * static_cast<std::size_t>(called_[i]);
        ASSERT_EQ(compared, calls);
    }

    template <class T>
    void shuffles(const char* type);
    template <class T>
    void matches(const char* type);
    template <class T>
    void loads(const char* type, std::size_t count);

    std::vector<int> called_;  // by the last sweep of shuffles: did the thread call?
};

// T: an integer of the type's size, for bits are all that matters.
template <class T>
void Intrinsics::shuffles(const char* type) {
    const Shuffle modes[] = {Shuffle::idx, Shuffle::up, Shuffle::down, Shuffle::bfly};
    const Shape shape = this->shape();
    const std::vector<T> in = values<T>(shape.all());
    const std::vector<std::uint32_t> mask = masks(shape, true);
    called_.assign(mask.size(), 0);
    for (std::size_t thread = 0; thread < mask.size(); ++thread) called_[thread] = mask[thread] != 0;
    std::vector<int> arg(4 * in.size()), width(4 * in.size());
    const bool alike = below(2) == 0;
    int common_arg = between(0, 40), common_width = 1 << below(6);
    const auto source = [&](std::size_t thread, std::size_t mode) {
        return shuffle_source(modes[mode], lane_of(shape, thread), arg[4 * thread + mode], width[4 * thread + mode]);
    };
    for (std::size_t thread = 0; thread < in.size(); ++thread)
        for (std::size_t mode = 0; mode < 4; ++mode)
            for (int tries = 0;; ++tries) {
                const int odd = between(0, 3) == 0 ? static_cast<int>(random_()) : between(-40, 70);
                arg[4 * thread + mode] = alike && tries == 0 ? common_arg : odd;
                width[4 * thread + mode] = alike ? common_width : 1 << below(6);
                if (tries == 8) arg[4 * thread + mode] = mode == 0 ? lane_of(shape, thread) : 0;  // its own
                if ((mask[thread] & there(shape, thread)) >> source(thread, mode) & 1) break;
                if (mask[thread] == 0) break;
            }
    Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.input("mask", mask);
    const auto c = plan.input("arg", arg);
    const auto d = plan.input("width", width);
    const auto e = plan.output<T>("out", 4 * in.size());
    plan.launch("shuffles", type, shape.grid, shape.block, a, b, c, d, e);
    const launch::Outcome outcome = run(plan, kernels());
    const auto out = bytes_as<T>(outcome.buffers[4]);
    if (outcome.trace) expect_recorded(*outcome.trace, shape, out);
    for (std::size_t thread = 0; thread < in.size(); ++thread)
        for (std::size_t mode = 0; mode < 4; ++mode) {
            const std::size_t from = thread - static_cast<std::size_t>(lane_of(shape, thread)) +
                                     static_cast<std::size_t>(source(thread, mode));
            ASSERT_EQ(out[4 * thread + mode], mask[thread] ? in[from] : T(0))
                << type << " mode " << mode << " thread " << thread << " argument " << arg[4 * thread + mode]
                << " width " << width[4 * thread + mode] << " mask " << mask[thread];
        }
}

TEST_P(Intrinsics, Shuffle) {
    for (int round = 0; round < 12; ++round) {
        shuffles<std::uint32_t>("int");
        shuffles<std::uint32_t>("unsigned");
        shuffles<std::uint64_t>("long");
        shuffles<std::uint64_t>("long long");
        shuffles<std::uint64_t>("unsigned long long");
        shuffles<std::uint32_t>("float");
        shuffles<std::uint64_t>("double");
        shuffles<std::uint16_t>("__half");
        shuffles<std::uint32_t>("__half2");
        shuffles<std::uint16_t>("__nv_bfloat16");
        shuffles<std::uint32_t>("__nv_bfloat162");
    }
}

TEST_P(Intrinsics, Vote) {
    for (int round = 0; round < 40; ++round) {
        const Shape shape = this->shape();
        std::vector<int> in(shape.all());
        const int kinds = between(0, 3);
        for (int& v : in) v = kinds == 3 ? static_cast<int>(random_()) | 1 : between(0, kinds) * -4096;
        const std::vector<std::uint32_t> mask = masks(shape, true);
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.input("mask", mask);
        const auto c = plan.output<std::uint32_t>("out", 3 * in.size());
        plan.launch("votes", "", shape.grid, shape.block, a, b, c);
        const auto out = bytes_as<std::uint32_t>(run(plan, kernels()).buffers[2]);
        for (std::size_t thread = 0; thread < in.size(); ++thread) {
            if (mask[thread] == 0) continue;
            std::vector<int> predicate(32);
            for (const int lane : lanes_of(there(shape, thread)))
                predicate[static_cast<std::size_t>(lane)] =
                    in[thread - static_cast<std::size_t>(lane_of(shape, thread)) + static_cast<std::size_t>(lane)];
            const std::uint32_t lanes = mask[thread] & there(shape, thread), set = ballot(lanes, predicate);
            ASSERT_EQ(out[3 * thread], set != 0) << "thread " << thread << " mask " << mask[thread];
            ASSERT_EQ(out[3 * thread + 1], set == lanes) << "thread " << thread << " mask " << mask[thread];
            ASSERT_EQ(out[3 * thread + 2], set) << "thread " << thread << " mask " << mask[thread];
        }
    }
}

template <class T>
void Intrinsics::matches(const char* type) {
    const Shape shape = this->shape();
    const std::vector<T> few = {T(0), static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1)), value<T>(), value<T>()};
    const auto kinds = static_cast<std::uint32_t>(between(1, 4));  // 0 and -0 differ: bits are compared
    std::vector<T> in(shape.all());
    for (T& v : in) v = few[below(kinds)];
    const std::vector<std::uint32_t> mask = masks(shape, false);
    Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.input("mask", mask);
    const auto c = plan.output<std::uint32_t>("out", 3 * in.size());
    plan.launch("matches", type, shape.grid, shape.block, a, b, c);
    const auto out = bytes_as<std::uint32_t>(run(plan, kernels()).buffers[2]);
    for (std::size_t thread = 0; thread < in.size(); ++thread) {
        if (mask[thread] == 0) continue;
        const int lane = lane_of(shape, thread);
        std::vector<Bits> bits(32);
        for (const int other : lanes_of(there(shape, thread)))
            bits[static_cast<std::size_t>(other)] =
                in[thread - static_cast<std::size_t>(lane) + static_cast<std::size_t>(other)];
        ASSERT_EQ(out[3 * thread], match_any(mask[thread], bits, lane)) << type << " thread " << thread;
        ASSERT_EQ(out[3 * thread + 1], match_all(mask[thread], bits, lane)) << type << " thread " << thread;
        ASSERT_EQ(out[3 * thread + 2], match_all(mask[thread], bits, lane) != 0) << type << " thread " << thread;
    }
}

TEST_P(Intrinsics, Match) {
    for (int round = 0; round < 12; ++round) {
        matches<std::uint32_t>("int");
        matches<std::uint32_t>("unsigned");
        matches<std::uint64_t>("long long");
        matches<std::uint64_t>("unsigned long long");
        matches<std::uint32_t>("float");
        matches<std::uint64_t>("double");
    }
}

// PTX ISA, "redux.sync": add, min and max of u32 or s32 (add keeps the low 32 bits), and, or, xor of b32.
TEST_P(Intrinsics, Reduce) {
    if (!has_architecture(800)) GTEST_SKIP() << "the reduce intrinsics exist from sm_80 on";
    for (int round = 0; round < 30; ++round) {
        const Shape shape = this->shape();
        std::vector<std::uint32_t> in = values<std::uint32_t>(shape.all());
        if (round % 3 == 0)
            for (std::uint32_t& v : in) v |= value<std::uint32_t>() | value<std::uint32_t>();
        const std::vector<std::uint32_t> mask = masks(shape, false);
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.input("mask", mask);
        const auto c = plan.output<std::int32_t>("signed", 3 * in.size());
        const auto d = plan.output<std::uint32_t>("out", 6 * in.size());
        plan.launch("reductions", "", shape.grid, shape.block, a, b, c, d);
        const auto buffers = run(plan, kernels()).buffers;
        const auto signed_out = bytes_as<std::int32_t>(buffers[2]);
        const auto out = bytes_as<std::uint32_t>(buffers[3]);
        for (std::size_t thread = 0; thread < in.size(); ++thread) {
            if (mask[thread] == 0) continue;
            std::uint32_t add = 0, least = ~0u, most = 0, all = ~0u, any = 0, odd = 0;
            std::int32_t low = std::numeric_limits<std::int32_t>::max(),
                         high = std::numeric_limits<std::int32_t>::min();
            for (const int lane : lanes_of(mask[thread])) {
                const std::uint32_t v = in[thread - static_cast<std::size_t>(lane_of(shape, thread)) +
                                           static_cast<std::size_t>(lane)];
                add += v, least = std::min(least, v), most = std::max(most, v), all &= v, any |= v, odd ^= v;
                low = std::min(low, static_cast<std::int32_t>(v)), high = std::max(high, static_cast<std::int32_t>(v));
            }
            const std::vector<std::int32_t> as_signed = {static_cast<std::int32_t>(add), low, high};
            const std::vector<std::uint32_t> as_unsigned = {add, least, most, all, any, odd};
            const auto s = signed_out.begin() + 3 * static_cast<std::ptrdiff_t>(thread);
            const auto u = out.begin() + 6 * static_cast<std::ptrdiff_t>(thread);
            ASSERT_EQ(std::vector<std::int32_t>(s, s + 3), as_signed)
                << "thread " << thread << " mask " << mask[thread];
            ASSERT_EQ(std::vector<std::uint32_t>(u, u + 6), as_unsigned)
                << "thread " << thread << " mask " << mask[thread];
        }
    }
}

// CUDA C++ Programming Guide, "Synchronization Functions": over the block's threads that have not ended.
TEST_P(Intrinsics, VoteAtBlockBarriers) {
    for (int round = 0; round < 40; ++round) {
        const Shape shape = this->shape();
        std::vector<int> in(shape.all()), leaves(shape.all());
        const int kinds = between(0, 2);
        for (int& v : in) v = kinds == 2 ? 5 : between(0, kinds) * -65536;
        const bool some_leave = below(2) == 0;
        for (int& l : leaves) l = some_leave && below(3) == 0;
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.input("leaves", leaves);
        const auto c = plan.output<std::int32_t>("out", 3 * in.size());
        plan.launch("block_votes", "", shape.grid, shape.block, a, b, c);
        const auto out = bytes_as<std::int32_t>(run(plan, kernels()).buffers[2]);
        for (std::size_t thread = 0; thread < in.size(); ++thread) {
            if (leaves[thread]) continue;
            std::int32_t set = 0, asked = 0;
            const std::size_t first = thread / shape.threads() * shape.threads();
            for (std::size_t other = first; other < first + shape.threads(); ++other)
                if (!leaves[other]) ++asked, set += in[other] != 0;
            ASSERT_EQ(out[3 * thread], set);
            ASSERT_EQ(out[3 * thread + 1] != 0, set == asked);
            ASSERT_EQ(out[3 * thread + 2] != 0, set != 0);
        }
    }
}

TEST_P(Intrinsics, AskWhoIsActive) {
    for (int round = 0; round < 20; ++round) {
        const Shape shape = this->shape();
        std::vector<int> in(shape.all());
        for (int& v : in) v = between(0, 1 + round % 2) != 0;
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<std::uint32_t>("out", in.size());
        plan.launch("active", "", shape.grid, shape.block, a, b);
        const auto out = bytes_as<std::uint32_t>(run(plan, kernels()).buffers[1]);
        for (std::size_t thread = 0; thread < in.size(); ++thread) {
            std::uint32_t able = 0;
            const auto lane = static_cast<std::size_t>(lane_of(shape, thread));
            for (const int other : lanes_of(there(shape, thread)))
                if (in[thread - lane + static_cast<std::size_t>(other)]) able |= 1u << other;
            if (!in[thread]) able = 0;
            ASSERT_EQ(out[thread] & ~able, 0u);
            ASSERT_EQ(out[thread] >> lane & 1, in[thread] ? 1u : 0u);
        }
    }
}

TEST_P(Intrinsics, WarpBarriersOrderMemory) {
    for (int round = 0; round < 20; ++round) {
        const Shape shape = this->shape();
        const std::vector<int> in = values<int>(shape.all());
        const std::vector<std::uint32_t> mask = masks(shape, true);
        std::vector<int> partner(in.size());
        for (std::size_t thread = 0; thread < in.size(); ++thread) {
            const std::vector<int> lanes = lanes_of(mask[thread] & there(shape, thread));
            if (!lanes.empty()) partner[thread] = lanes[below(static_cast<std::uint32_t>(lanes.size()))];
        }
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.input("mask", mask);
        const auto c = plan.input("partner", partner);
        const auto d = plan.output<int>("out", in.size());
        plan.launch("warp_barrier", "", shape.grid, shape.block, a, b, c, d);
        const auto out = bytes_as<int>(run(plan, kernels()).buffers[3]);
        for (std::size_t thread = 0; thread < in.size(); ++thread) {
            const std::size_t from = thread - static_cast<std::size_t>(lane_of(shape, thread)) +
                                     static_cast<std::size_t>(partner[thread]);
            ASSERT_EQ(out[thread], mask[thread] ? in[from] : 0);
        }
    }
}

TEST_P(Intrinsics, FencesPublishWhatWasWrittenBefore) {
    for (const char* scope : {"1", "2"})
        for (const std::uint32_t blocks : {1u, 7u, 64u}) {
            std::vector<int> in(1000);
            int sum = 0;
            for (int& v : in) sum += v = between(-1000, 1000);
            Plan plan;
            const auto a = plan.input("in", in);
            const auto b = plan.scratch<int>("partial", blocks);
            const auto c = plan.output<std::uint32_t>("arrived", 1);
            const auto d = plan.output<int>("out", 1);
            plan.launch("last_block", scope, {blocks}, {64}, a, b, c, d, 1000);
            const auto buffers = run(plan, kernels()).buffers;
            EXPECT_EQ(bytes_as<int>(buffers[3])[0], sum);
            EXPECT_EQ(bytes_as<std::uint32_t>(buffers[2])[0], 0u);  // atomicInc came round
        }
    const std::vector<int> in = {5, -3, 77};
    Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.output<int>("out", 3 * 96);
    plan.launch("flagged", "", {3}, {96}, a, b);
    const auto out = bytes_as<int>(run(plan, kernels()).buffers[1]);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], in[i / 96]);
}

// T: the type's elements, `count` of them.
template <class T>
void Intrinsics::loads(const char* type, std::size_t count) {
    const Shape shape = this->shape();
    const std::vector<T> in = values<T>(shape.all() * count);
    Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.output<T>("out", 10 * in.size());
    plan.launch("loads_and_stores", type, shape.grid, shape.block, a, b);
    const auto out = bytes_as<T>(run(plan, kernels()).buffers[1]);
    for (std::size_t thread = 0; thread < shape.all(); ++thread)
        for (std::size_t way = 0; way < 10; ++way)
            for (std::size_t i = 0; i < count; ++i)
                ASSERT_EQ(out[(10 * thread + way) * count + i], in[thread * count + i]) << type << " way " << way;
}

TEST_P(Intrinsics, LoadAndStorePastCaches) {
    for (int round = 0; round < 3; ++round) {
        loads<std::int32_t>("int", 1);
        loads<std::uint8_t>("unsigned char", 1);
        loads<std::int64_t>("long long", 1);
        loads<float>("float", 1);
        loads<double>("double", 1);
        loads<std::uint16_t>("__half", 1);
        loads<std::uint32_t>("__half2", 1);
        loads<float>("float2", 2);
        loads<float>("float4", 4);
        loads<std::int32_t>("int4", 4);
        loads<std::uint8_t>("uchar4", 4);
    }
}

LANEWISE_SWEEP(Intrinsics);

}  // namespace
}  // namespace lanewise::conformance
