// residual_out = a + b;  y = residual_out * weight / sqrt(mean(residual_out^2) + epsilon), row by row, in one kernel.
//
//     add_rms_norm::Description description;
//     description.set_all(add_rms_norm::contiguous(add_rms_norm::Type::f16, rows, dim));
//     add_rms_norm::AddRmsNorm norm;
//     auto status = add_rms_norm::AddRmsNorm::create(&norm, description);      // once: checks everything that it can
//     if (!status) fail(status.sentence());
//     cudaMalloc(&workspace, norm.workspace_size());                           // often 0: then null is allowed
//     status = norm.run(workspace, norm.workspace_size(), y, residual_out, a, b, weight, stream);   // every layer
//
// run() launches one kernel on `stream`. It never allocates and never synchronizes, and a graph can capture it. Several
// threads and streams may call it at once (each stream needs a workspace of its own). README.md in this folder defines
// what is computed, to the last rounding, what may alias what, and the order of the checks.
//
// This header needs neither CUDA's headers nor any other file. CUDA's `cudaStream_t` is a `CUstream_st*`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace add_rms_norm {

enum class Type : int { f16, bf16, f32 };

// Which sum the mean square uses, and which is normalized: a + b in float, or the rounded one in residual_out.
enum class Sum : int {
    rounded,       // both use what residual_out holds
    unrounded,     // both use a + b in float
    rounded_in_y,  // the mean square uses a + b in float, y what residual_out holds
};

// x is the sum, r = 1 / sqrt(mean + epsilon), T the type of the activations.
enum class Cast : int {
    once,           // y = T((x * r) * weight), in float until the end
    before_weight,  // y = T(T(x * r) * weight): the normalized value is rounded to T first
};

// What can be wrong. If several things are, the first in this order is reported.
enum class Code : int {
    ok,
    not_created,   // run() of an operator that create() has not filled
    null_pointer,  // a pointer is null
    types,         // element types without a kernel
    shape,         // rank, extents, or tensors whose shapes differ
    strides,       // a last dimension with gaps, negative strides, an output whose rows overlap
    parameter,     // epsilon, sum, cast
    alignment,     // a pointer that is not a multiple of its element's size
    aliasing,      // an output that overlaps another tensor, and is not exactly a or b
    workspace,     // null, too small, misaligned or over a tensor, although one is needed
    device,        // no such GPU, one too old, or not the current one
    launch,        // CUDA refused the launch
    memory,        // no host memory for an operator: only in c_interface.cpp, where create() allocates one
};

// A code, and a sentence that says what is wrong, with the value, and what to do. Neither allocates.
class Status {
public:
    Status() noexcept { text_[0] = '\0'; }
    explicit Status(Code code) noexcept : code_(code) { text_[0] = '\0'; }
    Code code() const noexcept { return code_; }
    explicit operator bool() const noexcept { return code_ == Code::ok; }
    const char* sentence() const noexcept { return code_ == Code::ok ? "All is well." : text_; }

    static constexpr std::size_t kLongest = 240;
    char* text() noexcept { return text_; }  // kLongest bytes, for the function that reports

private:
    Code code_ = Code::ok;
    char text_[kLongest];
};

// Type, shape and strides, in elements, of (batch, dim), (batch, heads, dim) or, for the weight, (dim). The last
// dimension has stride 1. The stride of a dimension of one element is ignored.
struct Tensor {
    Type type = Type::f32;
    int rank = 0;
    std::array<std::int64_t, 3> shape{};
    std::array<std::int64_t, 3> strides{};
};

// Tensors without gaps.
Tensor contiguous(Type type, std::int64_t dim);
Tensor contiguous(Type type, std::int64_t batch, std::int64_t dim);
Tensor contiguous(Type type, std::int64_t batch, std::int64_t heads, std::int64_t dim);

struct Description {
    Tensor y, residual_out, a, b;  // of one type and shape, each with its own strides
    Tensor weight;                 // (dim)
    float epsilon = 1e-6f;         // finite, 0 or more: added to the mean square, inside the root
    Sum sum = Sum::rounded;
    Cast cast = Cast::once;
    int device = -1;  // a CUDA device; -1: the current one
    // On GPUs of compute capability 9.0 and later: the kernel may be launched while the kernel before it on the stream
    // still runs; it then waits for that kernel's end (CUDA's programmatic dependent launch).
    bool overlap = true;

    // y, residual_out, a and b are `tensor`; the weight has its type and last dimension.
    void set_all(const Tensor& tensor);
};

// What one launch does. Chosen by create(); others are for measuring.
struct Shape {
    enum class Route : int {
        group,      // `threads` of a warp take a row, in registers: several rows a block
        block,      // a block takes a row, in registers
        held,       // `cluster` blocks take a whole row, of which they keep what residual_out holds, in few registers
        full,       // … or a block or two a long one that they fill: eight packs a thread
        on_demand,  // … or eight blocks a long one that they fill, and then the next that no other cluster has taken
        cluster,    // … any longer one, or one that they keep in float
        wide,       // … a row that begins anywhere, in float
        packed,     // … or one block, as packs, of which 16 bits need half as many registers
        element,    // a block takes a row, value by value: any alignment, any length
    };
    Route route = Route::element;
    int packs = 1;    // of 16 bytes, that a thread takes of each input's row: 1, 2, 4 or 8
    int threads = 0;  // a row (group), or a block
    int rows = 1;     // a block
    int cluster = 1;  // blocks a row
};

const char* route_name(Shape::Route route);

// Checks that need no GPU: codes `types` to `parameter`.
Status check(const Description& description) noexcept;

// A tensor as kernels take it: rows at batch * strides[0] + head * strides[1].
struct RowLayout {
    std::array<std::int64_t, 2> strides{};  // in elements
    std::int64_t extent = 0;                // from the first element to past the last
};

// If batches and heads have one common stride in all tensors, they are one dimension here.
struct Layout {
    Type type = Type::f32, weight = Type::f32;
    bool wide = false;  // y uses sums in float that residual_out does not hold
    std::int64_t batch = 0, heads = 1, dim = 0;
    std::array<RowLayout, 4> tensors{};  // y, residual_out, a, b
    std::int64_t rows() const noexcept { return batch * heads; }
};

class AddRmsNorm {
public:
    AddRmsNorm() = default;

    // Fills *norm, or leaves it unchanged and says why. Codes, in this order: null_pointer, types, shape, strides,
    // parameter, device.
    static Status create(AddRmsNorm* norm, const Description& description) noexcept;

    // Bytes that run() needs, at an address that is a multiple of 16; what they hold before does not matter. More than 0
    // in two cases. Rows taken on demand: 16, which count them. Sum::unrounded for 16-bit rows that do not fit in a
    // block's shared memory (more than 58,000 values on an H200): such rows are taken value by value, and the sums in
    // float are kept in the workspace.
    std::size_t workspace_size() const noexcept { return workspace_size_; }

    // Codes, in this order: not_created, null_pointer, alignment, aliasing, workspace, device, launch. Only with `ok` a
    // kernel was launched. A description without rows does nothing, whatever the pointers are.
    Status run(void* workspace, std::size_t size, void* y, void* residual_out, const void* a, const void* b,
               const void* weight, CUstream_st* stream) const noexcept;

    // What run() launches: if all tensors begin at multiples of 16 bytes; if they begin equally far after such
    // multiples; and otherwise. If no kernel takes whole rows, the first is the same as the second.
    const Shape& aligned() const noexcept { return aligned_; }
    const Shape& shifted() const noexcept { return shifted_; }
    const Shape& by_element() const noexcept { return element_; }

    // For measuring: another shape for tensors that begin at multiples of 16 bytes. Returns false, and changes nothing,
    // if there is no such kernel or the row does not fit. May change workspace_size().
    bool use_shape(const Shape& shape) noexcept;

    int device() const noexcept { return device_; }

private:
    // Readies what aligned_ needs: room in the workspace, and how many clusters run at once. A CUDA error, or 0.
    int prepare_aligned() noexcept;

    bool created_ = false;
    bool whole_ = false;    // whole packs, strides that are multiples of 16 bytes, and a kernel for such rows
    bool alike_ = false;    // if the tensors begin equally far after a multiple of 16 bytes, so do their rows
    bool evict_last_ = false;   // L2 is asked to evict what is read last
    int rows_first_ = 0;        // so many of the first rows are prefetched before the kernel before has ended
    int rows_ahead_ = 0;        // a block prefetches the row so many rows ahead of its own; 0: none
    bool sm90_ = false;     // the GPU and this build have clusters and launches that overlap
    bool overlap_ = false;  // … and launches that overlap are wanted
    int device_ = 0;
    int processors_ = 1;           // multiprocessors
    int clusters_ = 0;             // of rows on demand, that run at once
    std::size_t shared_size_ = 0;  // the most that a block may have, for row values of the element route
    std::size_t sums_size_ = 0;    // of the element route's sums in float, in the workspace
    std::size_t workspace_size_ = 0;
    float epsilon_ = 0;
    Sum sum_ = Sum::rounded;
    Cast cast_ = Cast::once;
    Layout layout_;
    Shape aligned_, shifted_, element_;
};

// What the source files share.
namespace detail {
inline constexpr std::int64_t kMostRows = 0x7fffffff;  // blocks of a grid

// checks.cpp
Status failed(Code code, const char* format, ...) noexcept;
// Do two tensors of these layouts share no element? False if that cannot be decided.
bool are_disjoint(const void* p, const RowLayout& a, const void* q, const RowLayout& b, const Layout& layout) noexcept;

struct Pointers {
    const void* y;
    const void* residual_out;
    const void* a;
    const void* b;
    const void* weight;
};
// run()'s checks before it looks at the device; `needed`: bytes of workspace.
Status check_pointers(const Layout& layout, const Pointers& pointers, std::size_t needed, const void* workspace,
                      std::size_t size) noexcept;

// shape.cpp
std::size_t size_of(Type type) noexcept;
Layout layout_of(const Description& description) noexcept;
// Do rows consist of whole packs of 16 bytes, and begin at multiples of 16 if the tensors do?
bool has_whole_packs(const Layout& layout) noexcept;
// Of all four tensors.
std::int64_t bytes_moved(const Layout& layout) noexcept;
// What is asked of an L2 of so many bytes: to evict last what was read; how many of the first rows it is to bring
// before the kernel before has ended; and how many rows ahead of the one that a block works on, where memory is fast.
// 0: none.
bool evicts_last(const Layout& layout, std::int64_t l2_bytes) noexcept;
int rows_first(const Layout& layout, std::int64_t l2_bytes) noexcept;
int rows_ahead(const Layout& layout, std::int64_t l2_bytes, bool fast_memory) noexcept;
// Do the rows of all tensors begin equally far after a multiple of 16 bytes if the tensors do?
bool is_alike(const Layout& layout) noexcept;
// The shapes for rows of whole packs, for rows that begin anywhere, and for any rows.
// `on_demand`: rows may be taken on demand.
Shape whole_shape(const Layout& layout, int processors, bool sm90, bool on_demand = true) noexcept;
Shape shifted_shape(const Layout& layout, int processors, bool sm90) noexcept;
Shape element_shape(const Layout& layout) noexcept;
// Is there a kernel that takes such rows in this shape? `whole`: rows of whole packs.
bool fits(const Shape& shape, const Layout& layout, bool sm90, bool whole) noexcept;
}  // namespace detail

}  // namespace add_rms_norm
