// The kernels of conformance/emulator/intrinsics/kernels.cuh on the fast and on the traced copy, in every order.
#pragma once

#include <vector>

#include "common/conformance/emulator/run_case.hpp"

namespace lanewise::generated {
launch::KernelSet emulator_intrinsics();
}

namespace lanewise::emu::testing {

inline launch::Outcome run_intrinsics(const launch::Plan& plan, const launch::Order& order, bool record = false,
                                 int threads = 1) {
    static const launch::KernelSet set = generated::emulator_intrinsics();
    return run_of(set, plan, order, record, threads);
}

// Calls each(order, record) for all of them.
template <class Each>
void in_every_way(Each each) {
    for (const auto& order : kOrders)
        for (const bool record : {false, true}) each(order, record);
}

inline std::vector<trace::Record> of_op(const trace::Trace& trace, trace::Op op) {
    std::vector<trace::Record> records;
    for (const auto& record : trace.records)
        if (record.op == op) records.push_back(record);
    return records;
}

}  // namespace lanewise::emu::testing
