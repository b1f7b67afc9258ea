// The operations of measure_costs(), each as a chain: start() sets it up, step(k) is one operation that needs what the
// step before it gave, result() is what came out. None of the steps can be left out or joined by a compiler: what it
// would have to know comes at run time, and loads, atomics and fences are PTX that is taken as it stands.
#pragma once

#include <cuda_runtime.h>

#include "common/measure/cost_kernels.hpp"

namespace lanewise::measure::cost {

constexpr unsigned kAll = 0xffffffffu;

// What start() is given.
struct Here {
    unsigned thread, block, chain, blocks, threads;
    unsigned* shared;   // kCostSharedBytes
    __device__ unsigned lane() const { return thread % 32; }
    __device__ unsigned warp() const { return thread / 32; }
    // Of all chains of the grid that run beside each other.
    __device__ unsigned word() const { return (chain * blocks + block) * threads + thread; }
    __device__ unsigned shared_address() const { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }
};

// What most operations are: one 32-bit value that each step replaces; all lanes; no shared memory.
struct OneValue {
    static constexpr CostCheck kCheck = CostCheck::value;
    static constexpr bool kOneLane = false;
    unsigned x;
    __device__ static void prepare(const Here&) {}
    __device__ unsigned result(const CostInput&, const Here&) const { return x; }
};

// Runs `step` on the host as often as the GPU did. `step` takes the number within a round.
template <class Step>
void repeat(unsigned rounds, unsigned unroll, const Step& step) {
    for (unsigned r = 0; r < rounds; ++r)
        for (unsigned k = 0; k < unroll; ++k) step(k);
}

struct ShuffleXor : OneValue {
    __device__ void start(const CostInput&, const Here& at) { x = at.lane() + 64 * at.chain; }
    __device__ void step(unsigned k) { x = __shfl_xor_sync(kAll, x, 1 << k % 5); }
    static unsigned expected(const CostInput&, const CostPlace& at, unsigned rounds, unsigned unroll) {
        unsigned lane = at.lane();
        repeat(rounds, unroll, [&](unsigned k) { lane ^= 1u << k % 5; });
        return lane + 64 * at.chain;
    }
};

struct ShuffleDown : OneValue {
    __device__ void start(const CostInput&, const Here& at) { x = at.lane() + 64 * at.chain; }
    __device__ void step(unsigned) { x = __shfl_down_sync(kAll, x, 1); }
    static unsigned expected(const CostInput&, const CostPlace& at, unsigned rounds, unsigned unroll) {
        const unsigned lane = at.lane() + rounds * unroll;
        return (lane < 31 ? lane : 31) + 64 * at.chain;
    }
};

// Each answer is the next source lane: a walk through all 32.
struct ShuffleIdx : OneValue {
    unsigned next;
    __host__ __device__ static constexpr unsigned after(unsigned lane) { return (lane * 5 + 3) % 32; }
    __device__ void start(const CostInput&, const Here& at) {
        next = after(at.lane());
        x = (at.lane() + at.chain) % 32;
    }
    __device__ void step(unsigned) { x = __shfl_sync(kAll, next, static_cast<int>(x)); }
    static unsigned expected(const CostInput&, const CostPlace& at, unsigned rounds, unsigned unroll) {
        unsigned lane = (at.lane() + at.chain) % 32;
        repeat(rounds, unroll, [&](unsigned) { lane = after(lane); });
        return lane;
    }
};

// The test of the lane's own bit makes the next predicate: one instruction more in each step.
struct Ballot : OneValue {
    unsigned bit;
    __device__ void start(const CostInput& in, const Here& at) {
        bit = in.one << at.lane();
        x = 0x0f0f1234u + at.chain;
    }
    __device__ void step(unsigned) { x = __ballot_sync(kAll, (x & bit) == 0); }
    static unsigned expected(const CostInput&, const CostPlace& at, unsigned rounds, unsigned unroll) {
        const unsigned first = 0x0f0f1234u + at.chain;
        return rounds * unroll % 2 ? ~first : first;
    }
};

// From predicate to predicate; the key, true, turns it over.
struct Any : OneValue {
    bool key, yes;
    __device__ void start(const CostInput& in, const Here& at) {
        key = in.words[at.chain] == 0;
        yes = at.chain % 2 != 0;
    }
    __device__ void step(unsigned) { yes = __any_sync(kAll, yes != key); }
    __device__ unsigned result(const CostInput&, const Here&) const { return yes; }
    static unsigned expected(const CostInput&, const CostPlace& at, unsigned rounds, unsigned unroll) {
        return (at.chain + rounds * unroll) % 2;
    }
};

// Lanes that hold the same stay together: the mask that they get is what they hold next.
template <bool kDifferent>
struct MatchAny : OneValue {
    __device__ void start(const CostInput& in, const Here& at) {
        x = (kDifferent ? at.lane() * in.one : in.one) + 32 * at.chain;
    }
    __device__ void step(unsigned) { x = __match_any_sync(kAll, x); }
    static unsigned expected(const CostInput&, const CostPlace& at, unsigned, unsigned) {
        return kDifferent ? 1u << at.lane() : kAll;
    }
};

struct MatchAll : OneValue {
    __device__ void start(const CostInput& in, const Here& at) { x = in.one + at.chain; }
    __device__ void step(unsigned) {
        int same = 0;
        x = __match_all_sync(kAll, x, &same);
    }
    static unsigned expected(const CostInput&, const CostPlace&, unsigned, unsigned) { return kAll; }
};

// Sums of sums run to zero in seven steps; a number of the lane's own in every fifth keeps them from it.
struct ReduceAdd : OneValue {
    unsigned salt;
    __device__ void start(const CostInput& in, const Here& at) { x = salt = at.lane() * 7 + in.one + at.chain; }
    __device__ void step(unsigned k) {
#if __CUDA_ARCH__ >= 800
        x = __reduce_add_sync(kAll, x);
        if (k % 5 == 4) x += salt;
#endif
    }
    static unsigned expected(const CostInput&, const CostPlace& at, unsigned rounds, unsigned unroll) {
        unsigned salts = 0;
        for (unsigned lane = 0; lane < 32; ++lane) salts += lane * 7 + 1 + at.chain;
        const unsigned own = at.lane() * 7 + 1 + at.chain;
        unsigned x = own, all = salts;   // this lane's, and the sum over the lanes
        repeat(rounds, unroll, [&](unsigned k) {
            x = all;
            all *= 32;
            if (k % 5 != 4) return;
            x += own;
            all += salts;
        });
        return x;
    }
};

struct Syncwarp : OneValue {
    static constexpr CostCheck kCheck = CostCheck::nothing;
    __device__ void start(const CostInput&, const Here&) { x = 0; }
    __device__ void step(unsigned) { __syncwarp(); }
};

// Where the compiler must reckon with lanes that come later.
struct SyncwarpApart : Syncwarp {
    unsigned never;
    __device__ void start(const CostInput& in, const Here& at) {
        x = at.lane();
        never = 0u - in.one;
    }
    __device__ void step(unsigned) {
        if (x == never) asm volatile("nanosleep.u32 0;");
        __syncwarp();
    }
};

struct AddF32 : OneValue {
    float sum, addend;
    __device__ void start(const CostInput& in, const Here& at) {
        addend = static_cast<float>(in.one);
        sum = static_cast<float>(at.lane() + at.chain);
    }
    __device__ void step(unsigned) { asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(sum) : "f"(addend)); }
    __device__ unsigned result(const CostInput&, const Here&) const { return static_cast<unsigned>(sum); }
    // Below 2^24, where floats count exactly.
    static unsigned expected(const CostInput&, const CostPlace& at, unsigned rounds, unsigned unroll) {
        return at.lane() + at.chain + rounds * unroll;
    }
};

struct FmaF32 : AddF32 {
    __device__ void step(unsigned) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(sum) : "f"(addend)); }
};

// A walk through shared memory in which kWays lanes at a time want different words of one bank. A set is one place for
// each lane; each set leads to the next.
template <unsigned kWays>
struct SharedLoad : OneValue {
    static constexpr unsigned kSetWords = 32 * kWays, kSets = kCostSharedBytes / 4 / kSetWords;
    __host__ __device__ static constexpr unsigned place(unsigned lane, unsigned set) {
        return set * kSetWords + lane % kWays * 32 + lane / kWays;
    }
    unsigned base;
    __device__ static void prepare(const Here& at) {
        for (unsigned i = at.thread; i < 32 * kSets; i += at.threads)
            at.shared[place(i % 32, i / 32)] = at.shared_address() + 4 * place(i % 32, (i / 32 + 1) % kSets);
    }
    __device__ void start(const CostInput&, const Here& at) {
        base = at.shared_address();
        x = base + 4 * place(at.lane(), (at.warp() + at.chain) % kSets);
    }
    __device__ void step(unsigned) { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x) : : "memory"); }
    __device__ unsigned result(const CostInput&, const Here&) const { return (x - base) / 4; }
    static unsigned expected(const CostInput&, const CostPlace& at, unsigned rounds, unsigned unroll) {
        return place(at.lane(), (at.warp() + at.chain + rounds * unroll) % kSets);
    }
};

// What an atomic finds is what the next one adds. Each thread notes what it added, beside the chain; what the words
// hold in the end is taken off again, so that over all threads nothing must be left.
struct SharedAtomic : OneValue {
    static constexpr CostCheck kCheck = CostCheck::adds;
    unsigned added, address;
    __device__ static void prepare(const Here& at) {
        for (unsigned i = at.thread; i < kCostSharedBytes / 4; i += at.threads) at.shared[i] = 0;
    }
    __device__ void start(const CostInput& in, const Here& at) {
        added = 0;
        x = at.lane() + in.one;
        address = at.shared_address() + 4 * (at.chain * at.threads + at.thread) * in.word_step;
    }
    __device__ void step(unsigned) {
        unsigned old;
        asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(x) : "memory");
        added += x;
        x = old;
    }
    __device__ unsigned result(const CostInput& in, const Here& at) const {
        const unsigned word = (at.chain * at.threads + at.thread) * in.word_step;
        const bool takes_off = in.word_step != 0 || at.chain + at.thread == 0;
        return takes_off ? added - at.shared[word] : added;
    }
};

// As SharedAtomic, in words that the host reads back: their sum must be what all threads added.
template <bool kLane>
struct GlobalAtomic : OneValue {
    static constexpr CostCheck kCheck = CostCheck::adds;
    static constexpr bool kOneLane = kLane;
    unsigned added;
    unsigned* address;
    __device__ void start(const CostInput& in, const Here& at) {
        added = 0;
        x = at.lane() + in.one;
        address = in.words + static_cast<unsigned long long>(at.word()) * in.word_step;
    }
    __device__ void step(unsigned) {
        unsigned old;
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(x) : "memory");
        added += x;
        x = old;
    }
    __device__ unsigned result(const CostInput&, const Here&) const { return added; }
};

template <bool kLane>
struct GlobalAtomicVoid : GlobalAtomic<kLane> {
    __device__ void step(unsigned) {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(this->address), "r"(this->x) : "memory");
        this->added += this->x;
    }
};

// A float atomic: +1 in even steps of a round, -1 in odd ones, so that every sum on the way is a small whole number and
// exact. A logic instruction makes each operand of the bits that the atomic before returned. `added` counts in whole
// numbers. kShared: in shared memory, else in the words that the host reads back.
template <bool kShared, bool kLane>
struct FloatAtomic : OneValue {
    static constexpr CostCheck kCheck = kShared ? CostCheck::adds : CostCheck::adds_f32;
    static constexpr bool kOneLane = kLane;
    static constexpr unsigned kPlusOne = 0x3f800000u, kMinusOne = 0xbf800000u;
    unsigned zero, place;
    int added;
    float* address;
    __device__ static void prepare(const Here& at) {
        if constexpr (kShared)
            for (unsigned i = at.thread; i < kCostSharedBytes / 4; i += at.threads) at.shared[i] = 0;
    }
    __device__ void start(const CostInput& in, const Here& at) {
        x = 0;
        added = 0;
        zero = in.one - 1;
        place = (at.chain * at.threads + at.thread) * in.word_step;
        address = reinterpret_cast<float*>(kShared ? at.shared + place
                                                   : in.words + static_cast<unsigned long long>(at.word()) * in.word_step);
    }
    __device__ float operand(unsigned k) {
        added += k % 2 == 0 ? 1 : -1;
        return __uint_as_float((x & zero) | (k % 2 == 0 ? kPlusOne : kMinusOne));
    }
    __device__ void step(unsigned k) {
        const float addend = operand(k);
        float old;
        if (kShared) {
            const auto at = static_cast<unsigned>(__cvta_generic_to_shared(address));
            asm volatile("atom.shared.add.f32 %0, [%1], %2;" : "=f"(old) : "r"(at), "f"(addend) : "memory");
        } else {
            asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(old) : "l"(address), "f"(addend) : "memory");
        }
        x = __float_as_uint(old);
    }
    // In shared memory what the word holds in the end is taken off again, as by SharedAtomic.
    __device__ unsigned result(const CostInput& in, const Here& at) const {
        const bool takes_off = kShared && (in.word_step != 0 || at.chain + at.thread == 0);
        const int held = takes_off ? static_cast<int>(reinterpret_cast<const float*>(at.shared)[place]) : 0;
        return static_cast<unsigned>(added - held);
    }
};

template <bool kLane>
struct FloatAtomicVoid : FloatAtomic<false, kLane> {
    __device__ void step(unsigned k) {
        const float addend = this->operand(k);
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(this->address), "f"(addend) : "memory");
    }
};

// From node to node, all lanes at the same one.
template <bool kL1>
struct Chase : OneValue {
    static constexpr CostCheck kCheck = CostCheck::node;
    unsigned long long node;
    __device__ void start(const CostInput& in, const Here&) {
        node = reinterpret_cast<unsigned long long>(in.nodes) +
               static_cast<unsigned long long>(in.first_node) * in.node_stride;
    }
    __device__ void step(unsigned) {
        if (kL1) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(node) : : "memory");
        else asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(node) : : "memory");
    }
    __device__ unsigned result(const CostInput& in, const Here&) const {
        return static_cast<unsigned>((node - reinterpret_cast<unsigned long long>(in.nodes)) / in.node_stride);
    }
};

// Line after line, none waiting for another; the warps of the grid share the lines. From the L1 cache: each block over
// the same few.
template <bool kL1>
struct Stream : OneValue {
    const unsigned* lines;
    unsigned line, step_lines, last;
    __host__ __device__ static unsigned first_of(unsigned block, unsigned warp, unsigned threads) {
        return kL1 ? warp : block * (threads / 32) + warp;
    }
    __host__ __device__ static unsigned step_of(unsigned blocks, unsigned threads) {
        return kL1 ? 1 : blocks * (threads / 32);
    }
    __device__ void start(const CostInput& in, const Here& at) {
        x = 0;
        lines = in.stream + at.lane();
        last = in.stream_lines - 1;
        line = first_of(at.block, at.warp(), at.threads) & last;
        step_lines = step_of(at.blocks, at.threads);
    }
    __device__ void step(unsigned) {
        unsigned word;
        const unsigned* const at = lines + static_cast<unsigned long long>(line) * 32;
        if (kL1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(at));
        else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at));
        x += word;
        line = (line + step_lines) & last;
    }
    static unsigned expected(const CostInput& in, const CostPlace& at, unsigned rounds, unsigned unroll) {
        unsigned sum = 0, line = first_of(at.block, at.warp(), at.threads) & (in.stream_lines - 1);
        repeat(rounds, unroll, [&](unsigned) {
            sum += (line * 32 + at.lane()) * kCostWordFactor;
            line = (line + step_of(at.blocks, at.threads)) & (in.stream_lines - 1);
        });
        return sum;
    }
};

struct Syncthreads : OneValue {
    static constexpr CostCheck kCheck = CostCheck::nothing;
    __device__ void start(const CostInput&, const Here&) { x = 0; }
    __device__ void step(unsigned) { __syncthreads(); }
};

struct Threadfence : Syncthreads {
    __device__ void step(unsigned) { __threadfence(); }
};

// With something to wait for: a store to a word of its own.
struct StoreFence : OneValue {
    unsigned* address;
    __device__ void start(const CostInput& in, const Here& at) {
        x = 0;
        address = in.words + at.word();
    }
    __device__ void step(unsigned) {
        ++x;
        asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(x) : "memory");
        __threadfence();
    }
    __device__ unsigned result(const CostInput&, const Here&) const {
        unsigned stored;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(stored) : "l"(address) : "memory");
        return stored;
    }
    static unsigned expected(const CostInput&, const CostPlace&, unsigned rounds, unsigned unroll) {
        return rounds * unroll;
    }
};

}  // namespace lanewise::measure::cost
