// Every atomic, type and scope, on random operands, on global and shared memory, in an unknown order.
//
// An order of the calls on one address explains what they returned and left only if each call found what the one before
// it left. So the values found, together with the last value, are the values left, together with the first: as bags
// these must be equal, for each address and whatever the operation. Where all orders end alike (sums of integers, min,
// max, and, or, xor) the last value is the model's as well.
//
// Not compared: NaN and subnormal floats (CUDA leaves open whether an atomic sum keeps the latter). A float2's,
// float4's or half pair's members are atomic one by one, no more, and are held to that.
#include <algorithm>
#include <functional>
#include <string>

#include "common/conformance/model.hpp"
#include "common/conformance/case_sweep.hpp"

namespace lanewise::conformance {
namespace {

constexpr std::uint32_t kSlots = 8;  // of each block; kernels.cuh says the same

const launch::KernelSet& kernels() {
    static const launch::KernelSet set = generated::conformance_atomics();
    return set;
}

// One kind of call on members of type T.
template <class T>
struct Operation {
    std::function<T(T old, T value, T compare)> next;  // PTX ISA, "atom": what a call leaves
    bool any_order_ends_alike = false;
};

class Atomics : public Sweep {
protected:
    // `members` of T make up the kernel's type: a float4 has four.
    template <class T>
    void calls(const std::string& kernel, const std::string& type, const Operation<T>& operation,
               std::function<T()> operand, std::size_t members = 1) {
        for (const bool shared : {false, true}) {
            if (shared && kernel == "add_vector") continue;
            for (int scope = 0; scope < 3; ++scope)
                calls_in<T>(kernel, type, operation, operand, members, shared, scope);
        }
    }

    template <class T>
    void calls_in(const std::string& kernel, const std::string& type, const Operation<T>& operation,
                  const std::function<T()>& operand, std::size_t members, bool shared, int scope) {
        const Shape shape = this->shape();
        const std::size_t slots = std::size_t{kSlots} * shape.blocks();
        std::vector<T> memory(slots * members), value(shape.all() * members), compare(value.size());
        for (T& m : memory) m = operand();
        for (T& v : value) v = operand();
        for (T& c : compare) c = operand();
        // A block's own slots where only its own threads may touch them.
        const bool own = shared || scope == 1;
        std::vector<int> slot(shape.all());
        for (std::size_t thread = 0; thread < slot.size(); ++thread)
            slot[thread] = static_cast<int>(own ? thread / shape.threads() * kSlots + below(kSlots)
                                                : below(static_cast<std::uint32_t>(slots)));
        Plan plan;
        const auto a = plan.input("memory", memory);
        const auto b = plan.input("value", value);
        const auto c = plan.input("compare", compare);
        const auto d = plan.input("slot", slot);
        const auto e = plan.output<T>("old", value.size());
        plan.launch(kernel + (shared ? "_shared" : "_global"), type, shape.grid, shape.block, a, b, c, d, e, scope);
        const auto buffers = run(plan, kernels()).buffers;
        const auto after = bytes_as<T>(buffers[0]);
        const auto old = bytes_as<T>(buffers[4]);
        for (std::size_t place = 0; place < slots; ++place)
            for (std::size_t m = 0; m < members; ++m) {
                T expected = memory[place * members + m];
                std::vector<Bits> found = {to_bits(after[place * members + m])}, left = {to_bits(expected)};
                for (std::size_t thread = 0; thread < slot.size(); ++thread) {
                    if (static_cast<std::size_t>(slot[thread]) != place) continue;
                    const std::size_t at = thread * members + m;
                    found.push_back(to_bits(old[at]));
                    left.push_back(to_bits(operation.next(old[at], value[at], compare[at])));
                    expected = operation.next(expected, value[at], compare[at]);
                }
                std::sort(found.begin(), found.end());
                std::sort(left.begin(), left.end());
                ASSERT_EQ(found, left) << kernel << " of " << type << (shared ? " shared" : " global") << " scope "
                                       << scope;
                if (operation.any_order_ends_alike) {
                    ASSERT_EQ(to_bits(after[place * members + m]), to_bits(expected)) << kernel << " of " << type;
                }
            }
    }

    // Integers of all sizes, and small ones, so that calls meet equal and wrapped values.
    template <class T>
    std::function<T()> integers() {
        return [this] { return static_cast<T>(below(3) == 0 ? random_() : below(6)); };
    }
    template <class T>
    std::function<T()> floats() {
        return [this] { return value<T>(); };
    }
    // Bits of halves small enough that no sum overflows.
    std::function<std::uint16_t()> small_floats(SmallFloat format) {
        return [this, format] { return static_cast<std::uint16_t>(format.encode(value<double>() / 16)); };
    }
    static Operation<std::uint16_t> small_sum(SmallFloat format) {
        return {[format](std::uint16_t a, std::uint16_t b, std::uint16_t) {
            return static_cast<std::uint16_t>(format.encode(format.decode(a) + format.decode(b)));
        }};
    }

    template <class T>
    void sums(const char* type) {  // of integers, modulo a power of two
        const Operation<T> add{[](T a, T b, T) { return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b)); },
                               true};
        calls<T>("add", type, add, integers<T>());
    }
    template <class T>
    void differences(const char* type) {
        const Operation<T> sub{[](T a, T b, T) { return static_cast<T>(static_cast<Bits>(a) - static_cast<Bits>(b)); },
                               true};
        calls<T>("sub", type, sub, integers<T>());
    }
    template <class T>
    void orders(const char* type) {
        const Operation<T> least{[](T a, T b, T) { return std::min(a, b); }, true};
        const Operation<T> greatest{[](T a, T b, T) { return std::max(a, b); }, true};
        calls<T>("least", type, least, integers<T>());
        calls<T>("greatest", type, greatest, integers<T>());
    }
    template <class T>
    void bits(const char* type) {
        const Operation<T> all{[](T a, T b, T) { return static_cast<T>(a & b); }, true};
        const Operation<T> any{[](T a, T b, T) { return static_cast<T>(a | b); }, true};
        const Operation<T> odd{[](T a, T b, T) { return static_cast<T>(a ^ b); }, true};
        calls<T>("bit_and", type, all, [this] { return static_cast<T>(value<T>() | value<T>()); });
        calls<T>("bit_or", type, any, [this] { return static_cast<T>(value<T>() & value<T>()); });
        calls<T>("bit_xor", type, odd, integers<T>());
    }
    template <class T>
    void exchanges(const char* type, std::function<T()> operand) {
        calls<T>("exch", type, {[](T, T b, T) { return b; }}, std::move(operand));
    }
    template <class T>
    void compares(const char* kernel, const char* type) {
        // Of three values, so that many comparisons hold.
        calls<T>(kernel, type, {[](T a, T b, T c) { return a == c ? b : a; }},
                 [this] { return static_cast<T>(below(3) * 21845); });
    }
};

TEST_P(Atomics, Add) {
    for (int round = 0; round < 2; ++round) {
        sums<std::int32_t>("int");
        sums<std::uint32_t>("unsigned");
        sums<std::uint64_t>("unsigned long long");
        const Operation<float> add{[](float a, float b, float) { return a + b; }};
        calls<float>("add", "float", add, floats<float>());
        calls<double>("add", "double", {[](double a, double b, double) { return a + b; }}, floats<double>());
        calls<std::uint16_t>("add_unscoped", "__half", small_sum(kHalf), small_floats(kHalf));
        calls<std::uint16_t>("add_unscoped", "__half2", small_sum(kHalf), small_floats(kHalf), 2);
        if (has_architecture(800)) {
            calls<std::uint16_t>("add_unscoped", "__nv_bfloat16", small_sum(kBfloat), small_floats(kBfloat));
            calls<std::uint16_t>("add_unscoped", "__nv_bfloat162", small_sum(kBfloat), small_floats(kBfloat), 2);
        }
        if (has_architecture(900)) {
            calls<float>("add_vector", "float2", add, floats<float>(), 2);
            calls<float>("add_vector", "float4", add, floats<float>(), 4);
        }
    }
}

TEST_P(Atomics, Subtract) {
    differences<std::int32_t>("int");
    differences<std::uint32_t>("unsigned");
}

TEST_P(Atomics, KeepTheLeastAndTheGreatest) {
    orders<std::int32_t>("int");
    orders<std::uint32_t>("unsigned");
    orders<std::int64_t>("long long");
    orders<std::uint64_t>("unsigned long long");
}

TEST_P(Atomics, JoinBits) {
    bits<std::int32_t>("int");
    bits<std::uint32_t>("unsigned");
    bits<std::int64_t>("long long");
    bits<std::uint64_t>("unsigned long long");
}

TEST_P(Atomics, CountUpAndDownWithin) {
    using U = std::uint32_t;
    calls<U>("inc", "unsigned", {[](U old, U top, U) { return old >= top ? 0 : old + 1; }}, integers<U>());
    calls<U>("dec", "unsigned", {[](U old, U top, U) { return old == 0 || old > top ? top : old - 1; }}, integers<U>());
}

TEST_P(Atomics, Exchange) {
    exchanges<std::int32_t>("int", integers<std::int32_t>());
    exchanges<std::uint32_t>("unsigned", integers<std::uint32_t>());
    exchanges<std::uint64_t>("unsigned long long", integers<std::uint64_t>());
    exchanges<float>("float", floats<float>());
}

TEST_P(Atomics, CompareAndSwap) {
    compares<std::int32_t>("cas", "int");
    compares<std::uint32_t>("cas", "unsigned");
    compares<std::uint64_t>("cas", "unsigned long long");
    compares<std::uint16_t>("cas_unscoped", "unsigned short");
}

LANEWISE_SWEEP(Atomics);

}  // namespace
}  // namespace lanewise::conformance
