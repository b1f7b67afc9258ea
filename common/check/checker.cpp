#include "common/check/checker.hpp"

#include <bit>
#include <unordered_map>

#include "common/check/bounds.hpp"
#include "common/check/findings.hpp"
#include "common/check/shadow_memory.hpp"
#include "common/check/order.hpp"
#include "common/check/races.hpp"
#include "common/check/relaxed.hpp"
#include "common/check/uninitialised.hpp"
#include "common/emu/emulator.hpp"

namespace lanewise::check {

namespace {

using trace::Op;

// Asks each check about each access, once it is known which array it is of.
template <bool kRacesAlone>
class RunChecker final : public emu::Checker {
public:
    bool takes_arrivals() const override { return false; }
    bool takes_statements() const override { return false; }

    void run_begins(std::span<const emu::CheckedBuffer> buffers) override { memory_.run_begins(buffers); }

    void launch_begins(const emu::CheckedLaunch& launch) override {
        memory_.launch_begins(launch);
        findings_.launch_begins(launch);
        order_.launch_begins();
        races_.launch_begins();
        relaxed_.launch_begins();
        waiting_.clear();
        under_way_ = false;
    }

    std::string undecided() const override { return races_.undecided(); }

    void block_memory(const emu::BlockMemory& memory) override {
        findings_.block_memory(memory);
        memory_.block_memory(memory);
    }

    void block_begins(std::uint64_t block, std::uint32_t slots) override {
        put_aside();
        under_way_ = true;
        block_ = static_cast<std::uint32_t>(block);
        memory_.block_begins();
        order_.block_begins(block_, slots);
        races_.block_begins(block_);
        bounds_.forget_indices();
    }
    void block_ends() override {
        races_.settle();
        under_way_ = false;
    }

    void block_goes_on(std::uint64_t block) override {
        if (under_way_ && block == block_) return;
        put_aside();
        const auto waiting = waiting_.find(static_cast<std::uint32_t>(block));
        if (waiting == waiting_.end()) return;
        under_way_ = true;
        block_ = waiting->first;
        order_.take_up(*waiting->second.order);
        memory_.take_up(std::move(waiting->second.shared));
        races_.block_begins(block_);
        waiting_.erase(waiting);
    }

    void shared_array(const emu::SharedArraySeen& seen) override { memory_.add_shared(seen); }

    bool access(const emu::AccessSeen& seen) override {
        const auto* address = static_cast<const std::byte*>(seen.address);
        const Action action = action_of(seen);
        const Site site = findings_.site_of(seen.pc);
        if (bounds_.any_index() && !bounds_.fits_its_index(block_, seen.thread, address, seen.bytes, action, site))
            return false;
        if (bounds_.is_local(seen.thread, address)) return true;
        Region* region = memory_.find(address);
        if (!region) return bounds_.outside(block_, seen.thread, address, action, site);
        if (region->offset(address) + seen.bytes > region->bytes()) {
            bounds_.past_the_end(*region, block_, seen.thread, action, site);
            return false;
        }
        if (memory_.is_heap(*region) && !bounds_.in_heap(block_, seen.thread, address, seen.bytes, action, site))
            return false;
        if (seen.is_store && region->read_only())
            bounds_.to_constant(*region, block_, seen.thread, address, action, site);
        if constexpr (!kRacesAlone)
            uninitialised_.access(*region, block_, seen.thread, address, seen.bytes, seen.is_store, site, action);
        if (is_plain(action)) {
            races_.plain(*region, seen.thread, address, seen.bytes, seen.is_store, site);
            return true;
        }
        if (!seen.is_atomic) {
            races_.volatile_access(*region, seen.thread, address, seen.is_store, site);
            relaxed_.access(*region, seen.thread, address, seen.is_store, site);
        }
        races_.strong(*region, seen.thread, address, seen.bytes, action, seen.scope, site);
        if (seen.is_store) order_.writes_word(seen.thread, address, seen.scope, false, seen.releases);
        else order_.reads_word(seen.thread, address, seen.scope, false, seen.acquires);
        return true;
    }

    bool atomic_begins(const emu::AtomicSeen& seen) override {
        races_.settle();
        const auto* address = static_cast<const std::byte*>(seen.address);
        const Site site = site_of(seen);
        Region* region = memory_.find(address);
        if (!region) return bounds_.outside(block_, seen.thread, address, Action::atomic, site);
        if (region->offset(address) + bytes_of(seen) > region->bytes()) {
            bounds_.past_the_end(*region, block_, seen.thread, Action::atomic, site);
            return false;
        }
        if (memory_.is_heap(*region) &&
            !bounds_.in_heap(block_, seen.thread, address, bytes_of(seen), Action::atomic, site))
            return false;
        if (region->read_only()) bounds_.to_constant(*region, block_, seen.thread, address, Action::atomic, site);
        // It reads and writes; what atomicExch reads is often not used.
        if (!kRacesAlone && seen.op != Op::atomic_exch)
            uninitialised_.access(*region, block_, seen.thread, address, bytes_of(seen), false, site, Action::atomic);
        uninitialised_.access(*region, block_, seen.thread, address, bytes_of(seen), true, site, Action::atomic);
        if (seen.scope < 0)  // to other threads it is a load and a store
            for (const bool is_store : {false, true})
                races_.plain(*region, seen.thread, address, bytes_of(seen), is_store, site);
        return true;
    }

    void atomic(const emu::AtomicSeen& seen) override {
        const auto* address = static_cast<const std::byte*>(seen.address);
        Region* region = memory_.find(address);
        if (!region) return;  // the lane's own memory
        const Site site = site_of(seen);
        if (seen.scope < 0) return;
        const bool changes = emu::changes_word(seen), waits = emu::waits_for_word(seen, changes);
        races_.strong(*region, seen.thread, address, bytes_of(seen), Action::atomic, seen.scope, site,
                      changes || !waits);
        // Atomics of libcu++, whose line is not given, say their order themselves: they are no tickets of the guide.
        const bool counts = changes && seen.line != 0 &&
                            (seen.op == Op::atomic_inc || seen.op == Op::atomic_dec || seen.op == Op::atomic_add ||
                             seen.op == Op::atomic_sub);
        relaxed_.atomic(seen, changes);
        order_.reads_word(seen.thread, address, seen.scope, counts, seen.acquires, waits);
        if (changes) order_.writes_word(seen.thread, address, seen.scope, true, seen.releases);
    }

    void fence(const emu::FenceSeen& seen) override {
        order_.fence(seen.thread, seen.scope, seen.acquires, seen.releases);
        races_.forget_volatile_reads(seen.thread);
    }

    void collective(const emu::CollectiveSeen& seen) override {
        for (std::uint32_t rest = seen.lanes; rest; rest &= rest - 1)
            races_.forget_volatile_reads(seen.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(rest)));
        // A lane that has returned counts as arrived where the mask names it.
        if (seen.op == Op::sync_warp) order_.warp_barrier(seen.warp, seen.mask & seen.exists, seen.exists);
    }
    void barrier_complete(const std::uint64_t*) override { order_.block_barrier(); }

    void heap_changes(const emu::HeapSeen& seen) override { memory_.heap_changes(seen); }

    void index_outside(const emu::IndexSeen& seen) override {
        bounds_.index_outside(seen.thread, seen.index, seen.extent);
    }

private:
    // Volatile accesses of up to 8 bytes are relaxed: no race among themselves, and no order either.
    static Action action_of(const emu::AccessSeen& seen) {
        if (seen.is_atomic && seen.scope >= 0) return seen.is_store ? Action::atomic_write : Action::atomic_read;
        if (seen.is_volatile && seen.bytes <= 8) return seen.is_store ? Action::volatile_write : Action::volatile_read;
        return seen.is_store ? Action::write : Action::read;
    }
    Site site_of(const emu::AtomicSeen& seen) const {
        return seen.line ? site_of_line(seen.line) : findings_.site_of(seen.pc);
    }
    static std::uint32_t bytes_of(const emu::AtomicSeen& seen) {
        return static_cast<std::uint32_t>(seen.elements * element_size(seen.type));
    }

    // The present block waits for others, of which one runs.
    void put_aside() {
        if (!under_way_) return;
        races_.settle();
        bounds_.forget_indices();
        waiting_[block_] = {order_.put_aside(), memory_.put_aside()};
    }

    struct Waiting {
        std::unique_ptr<OrderOfBlock> order;
        std::vector<Region*> shared;
    };

    Memory memory_;
    Findings findings_;
    Order order_;
    Races races_{order_, findings_};
    Relaxed relaxed_{order_, findings_};
    Uninitialised uninitialised_{findings_};
    Bounds bounds_{memory_, findings_};
    std::uint32_t block_ = 0;
    bool under_way_ = false;                               // it has begun and not ended
    std::unordered_map<std::uint32_t, Waiting> waiting_;   // blocks that wait for others
};

}  // namespace

std::unique_ptr<emu::Checker> make_checker() { return std::make_unique<RunChecker<false>>(); }

std::unique_ptr<launch::Backend> make_emulator() { return emu::make_emulator(make_checker); }

std::unique_ptr<launch::Backend> make_emulator_of_races() {
    return emu::make_emulator([]() -> std::unique_ptr<emu::Checker> { return std::make_unique<RunChecker<true>>(); });
}

}  // namespace lanewise::check
