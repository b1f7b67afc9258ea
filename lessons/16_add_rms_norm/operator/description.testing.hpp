// What the tests without a GPU begin with: a description that is right, and where its values lie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lessons/16_add_rms_norm/operator/add_rms_norm.hpp"

namespace add_rms_norm::testing {

// The order that README.md documents.
inline const std::vector<Code> kOrder = {Code::not_created, Code::null_pointer, Code::types,     Code::shape,
                                  Code::strides,     Code::parameter,    Code::alignment, Code::aliasing,
                                  Code::workspace,   Code::device,       Code::launch};

inline std::size_t place_of(Code code) {
    return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), code) - kOrder.begin());
}

inline Description good() {
    Description description;
    description.set_all(contiguous(Type::f16, 3, 5, 64));
    return description;
}

// Elements at which a tensor's rows lie; more than once where rows overlap.
inline std::vector<std::int64_t> places_of(const Tensor& t) {
    std::vector<std::int64_t> places;
    const bool heads = t.rank == 3;
    const std::int64_t dim = t.shape[heads ? 2 : 1], count = heads ? t.shape[1] : 1;
    for (std::int64_t b = 0; b < t.shape[0]; ++b)
        for (std::int64_t h = 0; h < count; ++h)
            for (std::int64_t i = 0; i < dim; ++i)
                places.push_back(b * t.strides[0] + (heads ? h * t.strides[1] : 0) + i);
    return places;
}

}  // namespace add_rms_norm::testing
