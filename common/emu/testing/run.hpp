// Runs plans of the test kernels on the emulator.
#pragma once

#include <cstring>
#include <vector>

#include "common/emu/emulator.hpp"

lanewise::prelude::RawFile emulator_test_kernels();
lanewise::prelude::RawFile emulator_test_kernels_traced();

namespace lanewise::emu::testing {

inline const launch::KernelSet& kernels() {
    static const launch::KernelSet set = [] {
        launch::KernelSet made;
        made.add(launch::import_file(launch::Build::emulated, emulator_test_kernels()));
        made.add(launch::import_file(launch::Build::emulated_traced, emulator_test_kernels_traced()));
        return made;
    }();
    return set;
}

inline launch::Outcome run(const launch::Plan& plan, const launch::Order& order, bool record = false, int threads = 1) {
    launch::Request request;
    request.order = order;
    request.record = record;
    request.threads = threads;
    return make_emulator()->run(plan, kernels(), request);
}

template <class T>
std::vector<T> bytes_as(const std::vector<std::byte>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

}  // namespace lanewise::emu::testing
