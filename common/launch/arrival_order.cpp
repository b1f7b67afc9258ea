#include "common/launch/arrival_order.hpp"

#include <algorithm>

namespace lanewise::launch {

Order arrival_order(const trace::Trace& trace) {
    Order order;
    if (trace.header.launches.empty()) return order;
    const auto& grid = trace.header.launches[0].grid;
    const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
    if (blocks != trace.header.blocks.size()) return order;
    // Each block's old value is the number of those that came before it.
    std::vector<std::uint32_t> came(blocks, static_cast<std::uint32_t>(blocks));
    for (const auto& record : trace.records) {
        if (record.op != trace::Op::atomic_inc && record.op != trace::Op::atomic_add) continue;
        for (int lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!(record.active >> lane & 1u)) continue;
            const std::uint64_t place = record.received[lane];
            if (place >= blocks || came[place] != blocks) return order;
            came[place] = record.block;
        }
    }
    if (std::find(came.begin(), came.end(), blocks) != came.end()) return order;
    order.kind = Order::Kind::listed;
    order.blocks = std::move(came);
    return order;
}

}  // namespace lanewise::launch
