// A plan: the buffers and launches that one variant is made of, as plain data. The GPU runs it, the emulator runs it,
// and the clock replays it; none of them knows the lesson.
//
//     auto in  = plan.input("in", values);
//     auto out = plan.total<float>("out", 1);             // zeroed before the first launch, which adds to it
//     plan.launch("block_sum_two_level", {256}, Grid{blocks}, Block{256}, in, out, n);
//     plan.expect(out, {reference}, bound);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/element.hpp"

namespace lanewise::launch {

struct Grid {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

struct Block {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint32_t count() const { return x * y * z; }
};

// A typed name for one of a plan's buffers. As an argument of a launch it stands for the address of element `first`.
template <class T>
struct Buffer {
    std::size_t index = 0;
    std::uint64_t first = 0;

    // The same buffer from `elements` further on: what a kernel gets that must not count on alignment.
    Buffer from(std::uint64_t elements) const { return {index, first + elements}; }
};

enum class BufferRole : std::uint8_t {
    input,    // holds `contents` before the first launch; launches may change it (each run starts afresh)
    output,   // zeroed before the first launch; launches write all of it, unless it is `added_to`
    scratch,  // contents undefined before the first launch
    kept,     // zeroed once, before the first launch; every launch must leave it as the next one needs it
};

struct BufferSpec {
    std::string name;
    BufferRole role = BufferRole::input;
    Element element = Element::f32;
    std::uint64_t count = 0;              // elements
    Bytes contents = {};                  // input: count * element_size bytes
    bool added_to = false;                 // an output that launches add to: a timed replay zeroes it first, and that
                                           // belongs to the variant's time
    std::uint64_t bytes() const { return count * static_cast<std::uint64_t>(element_size(element)); }
};

// The largest value that a launch may pass: a structure of 64 floats.
inline constexpr std::size_t kMaxArgumentBytes = 256;

// One argument of a launch: a buffer, or a value of up to kMaxArgumentBytes.
struct Argument {
    bool is_buffer = false;
    std::size_t buffer = 0;
    std::uint64_t offset_bytes = 0;   // into the buffer
    std::uint32_t size = 0;
    alignas(16) std::array<std::byte, kMaxArgumentBytes> value{};
    // A structure's pointers to buffers.
    struct Pointer {
        std::uint32_t at = 0;             // byte of the value
        std::size_t buffer = 0;
        std::uint64_t offset_bytes = 0;
    };
    std::vector<Pointer> pointers;
};

struct LaunchSpec {
    std::string kernel;
    std::string arguments;  // template arguments, "256"
    Grid grid;
    Block block;
    std::vector<Argument> values;
    bool cooperative = false;  // all blocks must run together (a grid barrier); a GPU only
    // Its blocks take work in turns, and a cluster has this many: a GPU launches no more of the grid's clusters than
    // run at once. 0: the whole grid.
    std::uint32_t cluster_in_turns = 0;
    // A GPU may start it while the launch before it still runs: its kernel waits for that one itself (programmatic
    // dependent launch, GPUs of sm_90 and later).
    bool overlaps = false;
};

// What an output must hold, from a double reference on the CPU.
struct Expectation {
    std::size_t buffer = 0;
    std::vector<double> reference;   // one for each element from `first` on; or one in all when `summed`
    double bound = 0;                // largest |value - reference| the contract allows
    bool summed = false;             // the host adds the elements (partial sums) in double before comparing
    std::string bound_reason;        // "n eps sum|x|": where the bound comes from
    std::uint64_t first = 0;         // element that the references begin with: a part of a long output may be checked
    std::vector<double> bounds = {}; // a bound for each reference, where they differ; `bound` is then not used
};

class Plan {
public:
    template <class T>
    Buffer<T> input(const std::string& name, const std::vector<T>& values) {
        BufferSpec spec{name, BufferRole::input, element_of<T>(), values.size(), {}};
        spec.contents.resize(values.size() * sizeof(T));
        if (!values.empty()) std::memcpy(spec.contents.data(), values.data(), spec.contents.size());
        buffers.push_back(std::move(spec));
        return {buffers.size() - 1};
    }

    // Values rounded to `element`, for formats that C++ has no type for (f16, bf16, e4m3, e5m2).
    Buffer<void> input_as(const std::string& name, Element element, const std::vector<double>& values) {
        BufferSpec spec{name, BufferRole::input, element, values.size(), {}};
        const auto size = static_cast<std::size_t>(element_size(element));
        spec.contents.resize(values.size() * size);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint64_t bits = element_from_double(element, values[i]);
            std::memcpy(spec.contents.data() + i * size, &bits, size);
        }
        buffers.push_back(std::move(spec));
        return {buffers.size() - 1};
    }
    Buffer<void> output_as(const std::string& name, Element element, std::uint64_t count) {
        buffers.push_back({name, BufferRole::output, element, count, {}});
        return {buffers.size() - 1};
    }

    template <class T>
    Buffer<T> output(const std::string& name, std::uint64_t count) {
        buffers.push_back({name, BufferRole::output, element_of<T>(), count, {}});
        return {buffers.size() - 1};
    }

    // An output that launches add to: its zeroing belongs to the time.
    template <class T>
    Buffer<T> total(const std::string& name, std::uint64_t count) {
        const Buffer<T> buffer = output<T>(name, count);
        buffers.back().added_to = true;
        return buffer;
    }
    Buffer<void> total_as(const std::string& name, Element element, std::uint64_t count) {
        const Buffer<void> buffer = output_as(name, element, count);
        buffers.back().added_to = true;
        return buffer;
    }

    template <class T>
    Buffer<T> scratch(const std::string& name, std::uint64_t count) {
        buffers.push_back({name, BufferRole::scratch, element_of<T>(), count, {}});
        return {buffers.size() - 1};
    }

    Buffer<void> scratch_as(const std::string& name, Element element, std::uint64_t count) {
        buffers.push_back({name, BufferRole::scratch, element, count, {}});
        return {buffers.size() - 1};
    }

    template <class T>
    Buffer<T> kept(const std::string& name, std::uint64_t count) {
        buffers.push_back({name, BufferRole::kept, element_of<T>(), count, {}});
        return {buffers.size() - 1};
    }

    // `arguments` are the kernel's template arguments as written in entries.inc ("256"; "" for none).
    template <class... A>
    void launch(const std::string& kernel, const std::string& arguments, Grid grid, Block block, const A&... values) {
        launches.push_back({kernel, arguments, grid, block, {argument(values)...}, false});
    }

    template <class T>
    void expect(Buffer<T> buffer, std::vector<double> reference, double bound, std::string reason,
                bool summed = false) {
        expectations.push_back({buffer.index, std::move(reference), bound, summed, std::move(reason), 0, {}});
    }

    // Elements from `first` on, counted from where the buffer is, each with a bound of its own.
    template <class T>
    void expect_each(Buffer<T> buffer, std::uint64_t first, std::vector<double> reference, std::vector<double> bounds,
                     std::string reason) {
        expectations.push_back({buffer.index, std::move(reference), 0, false, std::move(reason), buffer.first + first,
                                std::move(bounds)});
    }

    // The kernel moves values through this buffer in global memory: at each block barrier a recording keeps the
    // elements [block * per_block, (block + 1) * per_block) of it, cut at its end, beside the block's shared memory.
    template <class T>
    void snapshot(Buffer<T> buffer, std::uint64_t per_block) {
        snapshots.push_back({buffer.index, per_block});
    }

    // What a __constant__ or __device__ variable of a library of kernels holds before the first launch.
    struct Variable {
        std::string name;
        std::uint64_t place = 0;   // from the library's beginning on
        std::vector<std::byte> contents;
    };

    struct Snapshot {
        std::size_t buffer = 0;
        std::uint64_t per_block = 0;   // elements
    };

    std::vector<BufferSpec> buffers;
    std::vector<Snapshot> snapshots;
    std::vector<Variable> variables;
    std::vector<LaunchSpec> launches;
    std::vector<Expectation> expectations;
    std::uint64_t bytes_moved = 0;   // global bytes the contract needs (each input read once, each output written
                                     // once): what GB/s is made of. 0: the sum over input and output buffers

private:
    template <class T>
    Argument argument(Buffer<T> buffer) const {
        const auto size = static_cast<std::uint64_t>(element_size(buffers.at(buffer.index).element));
        return {true, buffer.index, buffer.first * size, sizeof(void*), {}, {}};
    }
    template <class T>
    static Argument argument(const T& value) {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kMaxArgumentBytes,
                      "an argument is at most kMaxArgumentBytes plain bytes");
        Argument result{false, 0, 0, sizeof(T), {}, {}};
        std::memcpy(result.value.data(), &value, sizeof(T));
        return result;
    }
};

}  // namespace lanewise::launch
