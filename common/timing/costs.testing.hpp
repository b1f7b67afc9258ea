// A table of costs for tests: every operation of the catalog, with figures of the right kind and of no GPU.
#pragma once

#include <cstddef>

#include "common/timing/costs.hpp"

namespace lanewise::timing::testing {

// Latencies rise from row to row; the last row of those that need more than sm_75 is lacking.
inline CostTable made_up_costs() {
    CostTable table{"Made-up GPU", "7.5", "13.0", 4, "2026-11-21", 2000, "made up for a test", false, {}, {}, {}};
    double cycles = 4;
    for (const CostInfo& info : cost_catalog()) {
        Cost row{info.id, info.group, info.name, info.quoted};
        if (info.architecture > 75) {
            row.lacking = std::string(info.name) + " needs sm_80 or later, and this GPU is sm_75.";
        } else {
            row.latency = {cycles, cycles * 0.98, cycles * 1.05, 100};
            row.latency_ns = cycles / 2;
            if (!std::string_view(info.name).starts_with("__syncthreads"))
                row.throughput = {20 / cycles, 19 / cycles, 21 / cycles, 20};
            if (std::string_view(info.id).starts_with("atomic_")) row.gpu_ns = 1.8;
        }
        table.rows.push_back(row);
        cycles *= 1.17;
    }
    return table;
}

}  // namespace lanewise::timing::testing
