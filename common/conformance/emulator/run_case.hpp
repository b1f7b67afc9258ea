// Runs plans of the test kernels on the emulator.
#pragma once

#include <cstring>
#include <ostream>
#include <span>
#include <vector>

#include "common/emu/emulator.hpp"

namespace lanewise::generated {
launch::KernelSet emulator_kernels();
}

namespace lanewise::emu::testing {

inline const launch::KernelSet& kernels() {
    static const launch::KernelSet set = generated::emulator_kernels();
    return set;
}

// In which lanes and blocks run: nothing may depend on it.
inline const std::vector<launch::Order> kOrders = {{launch::Order::Kind::ascending, 0},
                                                   {launch::Order::Kind::descending, 0},
                                                   {launch::Order::Kind::seeded, 7},
                                                   {launch::Order::Kind::seeded, 12345}};

inline launch::Outcome run_of(const launch::KernelSet& set, const launch::Plan& plan, const launch::Order& order,
                              bool record, int threads) {
    launch::Request request;
    request.order = order;
    request.record = record;
    request.threads = threads;
    static const auto emulator = make_emulator();
    return emulator->run(plan, set, request);
}

inline launch::Outcome run(const launch::Plan& plan, const launch::Order& order, bool record = false, int threads = 1) {
    return run_of(kernels(), plan, order, record, threads);
}

// A kernel that does something wrong, and what the finding says of it.
struct WrongCase {
    const char* kernel;
    unsigned threads;
    const char* kind;
    const char* said;
};
inline void PrintTo(const WrongCase& wrong, std::ostream* out) { *out << wrong.kernel; }

template <class T>
std::vector<T> bytes_as(std::span<const std::byte> bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

}  // namespace lanewise::emu::testing
