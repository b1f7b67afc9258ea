#include "common/check/bounds.hpp"

#include <fmt/format.h>

#include "common/prelude/emulated/emulated_runtime.hpp"

namespace lanewise::check {

namespace {

bool is_write(Action action) { return !is_read(action); }

}  // namespace

void Bounds::add(Problem problem, std::uint32_t block, std::uint32_t slot, Action action, Site site,
                 const Region* region, std::int64_t index, std::string detail) {
    Noticed noticed;
    noticed.problem = problem;
    if (region) {
        noticed.array = region->name();
        noticed.index = index;
        noticed.count = region->count();
        noticed.shared = region->shared();
    }
    noticed.detail = std::move(detail);
    noticed.here = {action, block, slot / 32, 1u << slot % 32, site, {}, findings_.events_of(slot)};
    findings_.add(noticed);
}

void Bounds::past_the_end(Region& region, std::uint32_t block, std::uint32_t slot, Action action, Site site) {
    add(Problem::out_of_bounds, block, slot, action, site, &region, region.count(), {});
}

void Bounds::to_constant(const Region& region, std::uint32_t block, std::uint32_t slot, const std::byte* address,
                         Action action, Site site) {
    add(Problem::read_only, block, slot, action, site, &region, region.index_of(address),
        fmt::format("{}, a __constant__ variable that kernels may only read", region.name()));
}

bool Bounds::outside(std::uint32_t block, std::uint32_t slot, const std::byte* address, Action action, Site site) {
    const emu::CheckedLaunch& launch = findings_.launch();
    const emu::BlockMemory& memory = findings_.memory();
    const auto in_stacks = static_cast<std::uint64_t>(address - memory.stacks);
    if (in_stacks < memory.stack_bytes * memory.stack_count) {
        const std::uint64_t owner = in_stacks / memory.stack_bytes;
        if (owner == slot) return true;
        add(Problem::other_lanes_local, block, slot, action, site, nullptr, 0,
            fmt::format("a local variable of lane {} of warp {}", owner % 32, owner / 32));
        return false;
    }
    if (address == reinterpret_cast<const std::byte*>(&warpSize) && !is_write(action)) return true;
    if (launch.program && launch.program->holds(address)) {
        if (!is_write(action)) return true;
        add(Problem::read_only, block, slot, action, site, nullptr, 0, "a constant of the program");
        return false;
    }
    const auto number = reinterpret_cast<std::uint64_t>(address);
    if (number < 1 << 20) {
        add(Problem::foreign_pointer, block, slot, action, site, nullptr, 0,
            number == 0 ? "through a null pointer"
                        : fmt::format("through a null pointer, {} bytes further on", number));
        return false;
    }
    if (const Region* region = memory_.nearest(address))
        add(Problem::out_of_bounds, block, slot, action, site, region, region->index_of(address), {});
    else
        add(Problem::foreign_pointer, block, slot, action, site, nullptr, 0,
            "through a pointer to no array of this launch");
    return false;
}

bool Bounds::in_heap(std::uint32_t block, std::uint32_t slot, const std::byte* address, std::uint32_t bytes,
                     Action action, Site site) {
    const emu::DeviceHeap::Block held = findings_.launch().heap->block_before(address);
    const auto at = static_cast<std::uint64_t>(address - held.begin);
    if (held.begin && at + bytes <= held.bytes && !held.freed) return true;
    const bool freed = held.begin && at < held.bytes && held.freed;
    add(freed ? Problem::use_after_free : Problem::foreign_pointer, block, slot, action, site, nullptr, 0,
        freed ? fmt::format("byte {} of {} that were freed", at, held.bytes)
              : fmt::format("byte {} of memory from malloc or new that has {}", at, held.bytes));
    return false;
}

bool Bounds::fits_its_index(std::uint32_t block, std::uint32_t slot, const std::byte* address, std::uint32_t bytes,
                            Action action, Site site) {
    const emu::BlockMemory& memory = findings_.memory();
    for (std::size_t i = 0; i < indices_.size(); ++i) {
        Index& index = indices_[i];
        if (index.slot != slot) continue;
        const std::byte* base = address - index.index * static_cast<std::int64_t>(bytes);
        const bool local = static_cast<std::uint64_t>(base - memory.stacks) / memory.stack_bytes == slot;
        Region* region = memory_.find(base);
        // A row of an array of several dimensions may be left for the next row.
        const bool inside = region && region == memory_.find(address) && index.extent != region->count();
        if (inside || local || (region && region->begin() == base) ||
            (region && !region->has(address))) {
            const std::int64_t at = index.index, extent = index.extent;
            indices_.erase(indices_.begin() + static_cast<std::ptrdiff_t>(i));
            if (inside) return true;
            if (local) {
                add(Problem::foreign_pointer, block, slot, action, site, nullptr, 0,
                    fmt::format("element {} of a local array that has {}", at, extent));
                return false;
            }
            add(Problem::out_of_bounds, block, slot, action, site, region, region->index_of(address), {});
            return false;
        }
        if (--index.accesses == 0) indices_.erase(indices_.begin() + static_cast<std::ptrdiff_t>(i--));
    }
    return true;
}

}  // namespace lanewise::check
