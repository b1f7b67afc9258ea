// What needs no GPU: descriptions and pointers are checked, and a shape is chosen.
#include "add_rms_norm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace add_rms_norm {

namespace {

constexpr std::int64_t kMostRows = 0x7fffffff;  // blocks of a grid
constexpr std::int64_t kLargestDim = std::int64_t{1} << 30;
constexpr std::int64_t kLargestOffset = std::int64_t{1} << 59;  // elements: their bytes fit in 64 bits

constexpr const char* kNames[] = {"y", "residual_out", "a", "b"};

using detail::failed;

const char* name_of(Type type) {
    switch (type) {
        case Type::f16:
            return "f16";
        case Type::bf16:
            return "bf16";
        case Type::f32:
            return "f32";
    }
    return "no type";
}

bool is_type(Type type) { return type == Type::f16 || type == Type::bf16 || type == Type::f32; }

std::array<const Tensor*, 4> tensors_of(const Description& d) { return {&d.y, &d.residual_out, &d.a, &d.b}; }

long long number(std::int64_t value) { return static_cast<long long>(value); }

Status check_types(const Description& d) {
    const auto tensors = tensors_of(d);
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (!is_type(tensors[i]->type))
            return failed(Code::types, "%s has type number %d; give Type::f16, Type::bf16 or Type::f32.", kNames[i],
                          static_cast<int>(tensors[i]->type));
    if (!is_type(d.weight.type))
        return failed(Code::types, "weight has type number %d; give Type::f16, Type::bf16 or Type::f32.",
                      static_cast<int>(d.weight.type));
    for (std::size_t i = 1; i < tensors.size(); ++i)
        if (tensors[i]->type != d.y.type)
            return failed(Code::types, "%s is %s and y is %s; y, residual_out, a and b must have one type.", kNames[i],
                          name_of(tensors[i]->type), name_of(d.y.type));
    if (d.y.type == Type::f32 && d.weight.type != Type::f32)
        return failed(Code::types, "The activations are f32 and the weight is %s; give a weight of f32.",
                      name_of(d.weight.type));
    return {};
}

Status check_shapes(const Description& d) {
    const auto tensors = tensors_of(d);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& tensor = *tensors[i];
        if (tensor.rank != 2 && tensor.rank != 3)
            return failed(Code::shape, "%s has rank %d; give (batch, dim) or (batch, heads, dim).", kNames[i],
                          tensor.rank);
        for (int k = 0; k < tensor.rank; ++k)
            if (tensor.shape[static_cast<std::size_t>(k)] < 0)
                return failed(Code::shape, "%s has %lld elements in dimension %d; give 0 or more.", kNames[i],
                              number(tensor.shape[static_cast<std::size_t>(k)]), k);
        if (tensor.rank != d.y.rank)
            return failed(Code::shape,
                          "%s has rank %d and y has rank %d; y, residual_out, a and b must have one shape.", kNames[i],
                          tensor.rank, d.y.rank);
        for (int k = 0; k < tensor.rank; ++k) {
            const auto at = static_cast<std::size_t>(k);
            if (tensor.shape[at] != d.y.shape[at])
                return failed(Code::shape,
                              "%s has %lld elements in dimension %d and y has %lld; y, residual_out, a and b must have "
                              "one shape.",
                              kNames[i], number(tensor.shape[at]), k, number(d.y.shape[at]));
        }
    }
    const auto last = static_cast<std::size_t>(d.y.rank - 1);
    const std::int64_t dim = d.y.shape[last], batch = d.y.shape[0], heads = d.y.rank == 3 ? d.y.shape[1] : 1;
    if (dim < 1 || dim > kLargestDim)
        return failed(Code::shape, "A row has %lld values; give 1 to %lld.", number(dim), number(kLargestDim));
    if (batch > kMostRows || heads > kMostRows || batch * heads > kMostRows)
        return failed(Code::shape, "%lld times %lld rows are more than %lld; split them over several runs.",
                      number(batch), number(heads), number(kMostRows));
    if (d.weight.rank != 1) return failed(Code::shape, "weight has rank %d; give (dim).", d.weight.rank);
    if (d.weight.shape[0] != dim)
        return failed(Code::shape, "weight has %lld values and a row has %lld; give as many.",
                      number(d.weight.shape[0]), number(dim));
    return {};
}

Status check_strides(const Tensor& tensor, const char* name, bool output) {
    const auto last = static_cast<std::size_t>(tensor.rank - 1);
    const std::int64_t dim = tensor.shape[last];
    if (dim > 1 && tensor.strides[last] != 1)
        return failed(Code::strides, "%s has stride %lld in its last dimension; give rows without gaps, of stride 1.",
                      name, number(tensor.strides[last]));
    // Strides of the dimensions that have more than one element, the larger first.
    std::int64_t strides[2] = {0, 0}, counts[2] = {1, 1};
    int dimensions = 0;
    for (std::size_t k = 0; k < last; ++k) {
        const std::int64_t count = tensor.shape[k], stride = tensor.strides[k];
        if (count <= 1) continue;
        if (stride < 0)
            return failed(Code::strides, "%s has stride %lld in dimension %zu; give 0 or more.", name, number(stride),
                          k);
        if (stride > kLargestOffset / count)
            return failed(Code::strides, "%s has stride %lld in dimension %zu of %lld elements; no memory is so large.",
                          name, number(stride), k, number(count));
        strides[dimensions] = stride;
        counts[dimensions++] = count;
    }
    if (!output) return {};
    if (dimensions == 2 && strides[0] < strides[1]) {
        std::swap(strides[0], strides[1]);
        std::swap(counts[0], counts[1]);
    }
    std::int64_t inner = dim;
    for (int k = dimensions - 1; k >= 0; --k) {
        if (strides[k] < inner)
            return failed(Code::strides,
                          "%s has stride %lld where %lld elements are written: rows of an output must not overlap.",
                          name, number(strides[k]), number(inner));
        inner += strides[k] * (counts[k] - 1);
    }
    return {};
}

Status check_parameters(const Description& d) {
    if (!(d.epsilon >= 0) || !std::isfinite(d.epsilon))
        return failed(Code::parameter, "epsilon is %g; give a finite number, 0 or more.",
                      static_cast<double>(d.epsilon));
    if (d.sum != Sum::rounded && d.sum != Sum::unrounded && d.sum != Sum::rounded_in_y)
        return failed(Code::parameter, "sum is number %d; give Sum::rounded, Sum::unrounded or Sum::rounded_in_y.",
                      static_cast<int>(d.sum));
    if (d.cast != Cast::once && d.cast != Cast::before_weight)
        return failed(Code::parameter, "cast is number %d; give Cast::once or Cast::before_weight.",
                      static_cast<int>(d.cast));
    return {};
}

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::int64_t ceil_div(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

int round_up(std::int64_t value, int to) { return static_cast<int>(ceil_div(value, to) * to); }

// The least power of two that is not below value.
int power_of_two(std::int64_t value) {
    int power = 1;
    while (power < value) power *= 2;
    return power;
}

// Threads that a kernel with so many packs in registers has room for: as its launch bounds say.
int most_threads(int packs) { return packs == 4 ? 512 : 1024; }

constexpr int kGroupBlock = 128;          // threads of a block that takes several rows
constexpr int kMostGroupThreads = 256;    // … and at most
constexpr std::int64_t kGroupPacks = 64;  // packs of the longest row that a warp takes
constexpr int kLargestCluster = 8;        // that every GPU with clusters has
constexpr int kMostClusterThreads = 512;  // of a block that keeps its part of a row in float
constexpr int kMostPackedThreads = 1024;  // … or packed
constexpr int kLeastShiftedThreads = 16;  // for a row's ends

std::int64_t values_of_pack(const Layout& layout) {
    return static_cast<std::int64_t>(16 / detail::size_of(layout.type));
}

// Threads that a row should have. About 256: several blocks on a multiprocessor, of which some load while others wait
// or store. More where all rows together do not keep the GPU busy for long.
std::int64_t wanted_threads(const Layout& layout, std::int64_t packs, int processors) {
    const std::int64_t of_processor = layout.rows() * packs / processors;
    return of_processor <= 1024 ? 1024 : of_processor <= 8192 ? 512 : 256;
}

// Packs a thread of cluster_kernel: four of 16 bits and their weights fit its 64 registers only where the weights are
// halves, as others widen to twice the room before the sum is there.
int cluster_packs(const Layout& layout) {
    return layout.type == Type::f32 || layout.weight == Type::f16 ? 4 : 2;
}

// Whole rows that outgrow a block of block_kernel.
Shape long_whole_shape(const Layout& layout, std::int64_t packs, bool sm90) {
    const int each = cluster_packs(layout);
    for (int cluster = 2; cluster <= (sm90 ? kLargestCluster : 1); cluster *= 2) {
        const int threads = round_up(ceil_div(packs, std::int64_t{each} * cluster), 32);
        if (threads <= kMostClusterThreads && layout.rows() <= kMostRows / cluster)
            return {.route = Shape::Route::cluster, .packs = each, .threads = threads, .cluster = cluster};
    }
    return detail::element_shape(layout);
}

// … and rows that begin anywhere.
Shape long_shifted_shape(const Layout& layout, std::int64_t packs, bool sm90) {
    const int most = layout.wide ? kMostClusterThreads : kMostPackedThreads;
    for (int cluster = layout.wide ? 2 : 1; cluster <= (sm90 ? kLargestCluster : 1); cluster *= 2) {
        const int threads = round_up(ceil_div(packs, std::int64_t{4} * cluster), 32);
        if (threads <= most && layout.rows() <= kMostRows / cluster)
            return {.route = layout.wide ? Shape::Route::wide : Shape::Route::packed,
                    .packs = 4,
                    .threads = threads,
                    .cluster = cluster};
    }
    return detail::element_shape(layout);
}

}  // namespace

namespace detail {

Status failed(Code code, const char* format, ...) noexcept {
    Status status(code);
    va_list values;
    va_start(values, format);
    std::vsnprintf(status.text(), Status::kLongest, format, values);
    va_end(values);
    return status;
}

std::size_t size_of(Type type) noexcept { return type == Type::f32 ? 4 : 2; }

Layout layout_of(const Description& d) noexcept {
    Layout layout;
    layout.type = d.y.type;
    layout.weight = d.weight.type;
    layout.wide = d.sum == Sum::unrounded && d.y.type != Type::f32;
    const bool heads = d.y.rank == 3;
    layout.batch = d.y.shape[0];
    layout.heads = heads ? d.y.shape[1] : 1;
    layout.dim = d.y.shape[heads ? 2 : 1];
    const auto tensors = tensors_of(d);
    bool even = true;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        RowLayout& row = layout.tensors[i];
        row.strides[0] = layout.batch > 1 ? tensors[i]->strides[0] : 0;
        row.strides[1] = layout.heads > 1 ? tensors[i]->strides[1] : 0;
        row.extent = layout.rows() == 0
                         ? 0
                         : row.strides[0] * (layout.batch - 1) + row.strides[1] * (layout.heads - 1) + layout.dim;
        even = even && (layout.heads == 1 || layout.batch <= 1 || row.strides[0] == row.strides[1] * layout.heads);
    }
    if (layout.heads > 1 && even) {
        for (RowLayout& row : layout.tensors) row.strides = {row.strides[1], 0};
        layout.batch *= layout.heads;
        layout.heads = 1;
    }
    return layout;
}

bool are_disjoint(const void* p, const RowLayout& a, const void* q, const RowLayout& b, const Layout& layout) noexcept {
    const auto size = static_cast<std::uint64_t>(size_of(layout.type));
    const std::uint64_t first = address(p), second = address(q);
    const bool p_first = first <= second;
    const std::uint64_t delta = p_first ? second - first : first - second;
    const std::uint64_t reach = static_cast<std::uint64_t>(p_first ? a.extent : b.extent) * size;
    if (delta >= reach) return true;
    if (a.strides != b.strides) return false;
    // Rows of one tensor between those of the other: places modulo a stride tell.
    std::uint64_t strides[2],
        counts[2] = {static_cast<std::uint64_t>(layout.batch), static_cast<std::uint64_t>(layout.heads)};
    for (std::size_t k = 0; k < 2; ++k) strides[k] = static_cast<std::uint64_t>(a.strides[k]) * size;
    if (strides[0] < strides[1]) {
        std::swap(strides[0], strides[1]);
        std::swap(counts[0], counts[1]);
    }
    const std::uint64_t row = static_cast<std::uint64_t>(layout.dim) * size;
    const std::uint64_t inner = counts[1] > 1 ? strides[1] * (counts[1] - 1) + row : row;
    const auto apart = [&](std::uint64_t stride, std::uint64_t length) {
        const std::uint64_t place = delta % stride;
        return length <= place && place + length <= stride;
    };
    if (counts[0] > 1 && strides[0] > 0 && apart(strides[0], inner)) return true;
    return counts[1] > 1 && strides[1] > 0 && (counts[0] <= 1 || strides[0] % strides[1] == 0) &&
           apart(strides[1], row);
}

}  // namespace detail

Tensor contiguous(Type type, std::int64_t dim) { return {type, 1, {dim, 0, 0}, {1, 0, 0}}; }
Tensor contiguous(Type type, std::int64_t batch, std::int64_t dim) { return {type, 2, {batch, dim, 0}, {dim, 1, 0}}; }
Tensor contiguous(Type type, std::int64_t batch, std::int64_t heads, std::int64_t dim) {
    return {type, 3, {batch, heads, dim}, {heads * dim, dim, 1}};
}

void Description::set_all(const Tensor& tensor) {
    y = residual_out = a = b = tensor;
    const bool known = tensor.rank == 2 || tensor.rank == 3;
    weight = contiguous(tensor.type, known ? tensor.shape[static_cast<std::size_t>(tensor.rank - 1)] : 0);
}

const char* route_name(Shape::Route route) {
    switch (route) {
        case Shape::Route::group:
            return "group";
        case Shape::Route::block:
            return "block";
        case Shape::Route::cluster:
            return "cluster";
        case Shape::Route::wide:
            return "wide";
        case Shape::Route::packed:
            return "packed";
        case Shape::Route::element:
            return "element";
    }
    return "no route";
}

Status check(const Description& d) noexcept {
    if (Status status = check_types(d); !status) return status;
    if (Status status = check_shapes(d); !status) return status;
    const auto tensors = tensors_of(d);
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (Status status = check_strides(*tensors[i], kNames[i], i < 2); !status) return status;
    if (Status status = check_strides(d.weight, "weight", false); !status) return status;
    return check_parameters(d);
}

namespace detail {

Status check_pointers(const Layout& layout, const Pointers& given, std::size_t needed, const void* workspace,
                      std::size_t size) noexcept {
    const void* pointers[] = {given.y, given.residual_out, given.a, given.b};
    const void* weight = given.weight;
    for (std::size_t i = 0; i < 4; ++i)
        if (!pointers[i]) return failed(Code::null_pointer, "%s is null; give a device address.", kNames[i]);
    if (!weight) return failed(Code::null_pointer, "weight is null; give a device address.");
    const std::size_t element = size_of(layout.type), weight_element = size_of(layout.weight);
    for (std::size_t i = 0; i < 4; ++i)
        if (address(pointers[i]) % element)
            return failed(Code::alignment, "%s is at %p; its address must be a multiple of %zu.", kNames[i],
                          pointers[i], element);
    if (address(weight) % weight_element)
        return failed(Code::alignment, "weight is at %p; its address must be a multiple of %zu.", weight,
                      weight_element);
    const auto& tensors = layout.tensors;
    if (!are_disjoint(given.y, tensors[0], given.residual_out, tensors[1], layout))
        return failed(Code::aliasing, "y and residual_out overlap; give each memory of its own.");
    const std::uintptr_t weight_end = address(weight) + static_cast<std::size_t>(layout.dim) * weight_element;
    for (std::size_t out = 0; out < 2; ++out) {
        for (std::size_t in = 2; in < 4; ++in) {
            const bool same = pointers[out] == pointers[in] && tensors[out].strides == tensors[in].strides;
            if (!same && !are_disjoint(pointers[out], tensors[out], pointers[in], tensors[in], layout))
                return failed(
                    Code::aliasing,
                    "%s overlaps %s; an output may be exactly an input, address and strides, or apart from it.",
                    kNames[out], kNames[in]);
        }
        const std::uintptr_t end = address(pointers[out]) + static_cast<std::size_t>(tensors[out].extent) * element;
        if (address(pointers[out]) < weight_end && address(weight) < end)
            return failed(Code::aliasing, "%s overlaps weight; give each memory of its own.", kNames[out]);
    }
    if (needed == 0) return {};
    if (size < needed)
        return failed(Code::workspace, "The workspace has %zu bytes and %zu are needed: ask workspace_size().", size,
                      needed);
    if (!workspace)
        return failed(Code::workspace, "The workspace is null and %zu bytes are needed; give a device address.",
                      needed);
    if (address(workspace) % 16)
        return failed(Code::workspace, "The workspace is at %p; its address must be a multiple of 16.", workspace);
    return {};
}

bool has_whole_packs(const Layout& layout) noexcept {
    const std::int64_t pack = values_of_pack(layout);
    return layout.dim % pack == 0 &&
           std::all_of(layout.tensors.begin(), layout.tensors.end(),
                       [&](const RowLayout& row) { return row.strides[0] % pack == 0 && row.strides[1] % pack == 0; });
}

bool is_alike(const Layout& layout) noexcept {
    const std::int64_t pack = values_of_pack(layout);
    const RowLayout& first = layout.tensors[0];
    return std::all_of(layout.tensors.begin(), layout.tensors.end(), [&](const RowLayout& row) {
        return row.strides[0] % pack == first.strides[0] % pack && row.strides[1] % pack == first.strides[1] % pack;
    });
}

Shape element_shape(const Layout& layout) noexcept {
    return {.route = Shape::Route::element, .threads = round_up(std::min<std::int64_t>(layout.dim, 512), 32)};
}

Shape whole_shape(const Layout& layout, int processors, bool sm90) noexcept {
    const std::int64_t packs = layout.dim / values_of_pack(layout);
    if (packs <= kGroupPacks) {
        const int threads = power_of_two(std::min<std::int64_t>(packs, 32));
        return {.route = Shape::Route::group,
                .packs = power_of_two(ceil_div(packs, threads)),
                .threads = threads,
                .rows = kGroupBlock / threads};
    }
    const std::int64_t wanted = wanted_threads(layout, packs, processors);
    int each = std::min(4, power_of_two(ceil_div(packs, wanted)));
    if (wanted == 256) each = std::max(each, 2);
    const auto threads = [&] { return round_up(ceil_div(packs, each), 32); };
    if (threads() > most_threads(each)) each = 4;
    if (threads() <= most_threads(each)) return {.route = Shape::Route::block, .packs = each, .threads = threads()};
    return long_whole_shape(layout, packs, sm90);
}

Shape shifted_shape(const Layout& layout, int processors, bool sm90) noexcept {
    const std::int64_t packs = layout.dim / values_of_pack(layout);
    if (packs <= kGroupPacks) {
        const int threads = std::max(kLeastShiftedThreads, power_of_two(ceil_div(packs, 4)));
        return {.route = Shape::Route::group, .packs = 4, .threads = threads, .rows = kGroupBlock / threads};
    }
    const std::int64_t wanted = wanted_threads(layout, packs, processors);
    const int each = packs <= 2 * wanted ? 2 : 4, threads = round_up(ceil_div(packs, each), 32);
    if (threads <= most_threads(each)) return {.route = Shape::Route::block, .packs = each, .threads = threads};
    return long_shifted_shape(layout, packs, sm90);
}

bool fits(const Shape& shape, const Layout& layout, bool sm90, bool whole) noexcept {
    if (whole ? !has_whole_packs(layout) : !is_alike(layout)) return false;
    const std::int64_t packs = layout.dim / values_of_pack(layout);
    const int each = shape.packs, threads = shape.threads, rows = shape.rows, cluster = shape.cluster;
    if ((each != 1 && each != 2 && each != 4) || cluster < 1 || cluster > kLargestCluster ||
        cluster != power_of_two(cluster) || layout.rows() > kMostRows / cluster || rows < 1 ||
        rows > kMostGroupThreads || threads < (whole ? 1 : kLeastShiftedThreads) || threads > kMostPackedThreads ||
        std::int64_t{threads} * each * cluster < packs)
        return false;
    const bool one_row = rows == 1 && threads % 32 == 0;
    switch (shape.route) {
        case Shape::Route::element:
            return false;
        case Shape::Route::group:
            return (whole || each == 4) && cluster == 1 && threads == power_of_two(threads) && threads <= 32 &&
                   rows * threads % 32 == 0 && rows * threads <= kMostGroupThreads;
        case Shape::Route::block:
            return (whole || each >= 2) && cluster == 1 && one_row && threads <= most_threads(each);
        case Shape::Route::cluster:
            return whole && each == cluster_packs(layout) && sm90 && cluster > 1 && one_row &&
                   threads <= kMostClusterThreads;
        case Shape::Route::wide:
            return !whole && each == 4 && layout.wide && sm90 && cluster > 1 && one_row &&
                   threads <= kMostClusterThreads;
        case Shape::Route::packed:
            return !whole && each == 4 && !layout.wide && one_row && (sm90 || cluster == 1);
    }
    return false;
}

}  // namespace detail

}  // namespace add_rms_norm
