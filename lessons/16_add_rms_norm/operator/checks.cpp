// Is a description right, and are the pointers of a run? Needs no GPU.
#include "add_rms_norm.hpp"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace add_rms_norm {

namespace {

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
    if (batch > detail::kMostRows || heads > detail::kMostRows || batch * heads > detail::kMostRows)
        return failed(Code::shape, "%lld times %lld rows are more than %lld; split them over several runs.",
                      number(batch), number(heads), number(detail::kMostRows));
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
            return failed(Code::strides,
                          "%s has stride %lld in dimension %zu of %lld elements; give at most %lld: no memory is so "
                          "large.",
                          name, number(stride), k, number(count), number(kLargestOffset / count));
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
                          "%s has stride %lld where %lld elements are written; give as much or more: rows of an output "
                          "must not overlap.",
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
    // Wraps where check() refuses heads or dim anyway.
    const auto stride = static_cast<std::uint64_t>(heads) * static_cast<std::uint64_t>(dim);
    return {type, 3, {batch, heads, dim}, {static_cast<std::int64_t>(stride), dim, 1}};
}

void Description::set_all(const Tensor& tensor) {
    y = residual_out = a = b = tensor;
    const bool known = tensor.rank == 2 || tensor.rank == 3;
    weight = contiguous(tensor.type, known ? tensor.shape[static_cast<std::size_t>(tensor.rank - 1)] : 0);
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
        return failed(Code::aliasing, "y at %p and residual_out at %p overlap; give each memory of its own.", given.y,
                      given.residual_out);
    const std::uintptr_t weight_end = address(weight) + static_cast<std::size_t>(layout.dim) * weight_element;
    for (std::size_t out = 0; out < 2; ++out) {
        for (std::size_t in = 2; in < 4; ++in) {
            const bool same = pointers[out] == pointers[in] && tensors[out].strides == tensors[in].strides;
            if (!same && !are_disjoint(pointers[out], tensors[out], pointers[in], tensors[in], layout))
                return failed(
                    Code::aliasing,
                    "%s at %p overlaps %s at %p; an output may be exactly an input, address and strides, or apart "
                    "from it.",
                    kNames[out], pointers[out], kNames[in], pointers[in]);
        }
        const std::uintptr_t end = address(pointers[out]) + static_cast<std::size_t>(tensors[out].extent) * element;
        if (address(pointers[out]) < weight_end && address(weight) < end)
            return failed(Code::aliasing, "%s at %p overlaps weight at %p; give each memory of its own.", kNames[out],
                          pointers[out], weight);
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
    const auto overlaps = [&](const void* tensor, std::int64_t elements, std::size_t bytes) {
        return address(tensor) < address(workspace) + needed &&
               address(workspace) < address(tensor) + static_cast<std::size_t>(elements) * bytes;
    };
    for (std::size_t i = 0; i < 5; ++i)
        if (i < 4 ? overlaps(pointers[i], tensors[i].extent, element) : overlaps(weight, layout.dim, weight_element))
            return failed(Code::workspace, "The workspace at %p overlaps %s at %p; give it memory of its own.",
                          workspace, i < 4 ? kNames[i] : "weight", i < 4 ? pointers[i] : weight);
    return {};
}

}  // namespace detail

}  // namespace add_rms_norm
