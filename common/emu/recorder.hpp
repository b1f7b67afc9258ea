// The observer that writes down what lanes do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "common/emu/journal.hpp"
#include "common/emu/observer.hpp"
#include "common/launch/arrays.hpp"
#include "common/launch/plan.hpp"
#include "common/trace/lane_events.hpp"

namespace lanewise::emu {

// A buffer of the plan as it lies in the memory of the process that runs.
struct BufferPlace {
    const std::byte* begin = nullptr;
    std::uint64_t bytes = 0;
    Element element = Element::f32;
    launch::BufferRole role = launch::BufferRole::input;
};

// Writes the events of the blocks it is shown of one launch into the journal, as they happen; Recording makes records
// of them. When the journal is full it continues without recording.
class Recorder : public Observer {
public:
    // `snapshots` are the plan's: the parts of its buffers that are kept at each block barrier. `events` counts those
    // of the whole run.
    Recorder(std::span<const BufferPlace> buffers, std::span<const launch::Plan::Snapshot> snapshots, Journal journal,
             std::uint64_t& events)
        : buffers_(buffers), snapshots_(snapshots), journal_(journal), events_(events) {}

    void block_begins(std::uint64_t block, std::uint32_t slots) override;
    void collective(const CollectiveSeen& seen) override;
    void block_ends() override;
    void block_goes_on(std::uint64_t block) override;
    void at_barrier(const BarrierSeen& seen) override;
    void barrier_complete(const std::uint64_t* received) override;
    void fence(const FenceSeen& seen) override;
    void thread_ends(std::uint32_t thread) override;
    bool access(const AccessSeen& seen) override;
    void atomic(const AtomicSeen& seen) override;
    void after(const AfterSeen& seen) override;
    void joined(const JoinedSeen& seen) override;
    void took(std::uint32_t thread, int first_line, int last_line) override;
    void shared_array(const SharedArraySeen& seen) override;

    // Events that a lane of the present block has so far.
    std::size_t events_of(std::uint32_t thread) const { return of_.lists[thread].size(); }

private:
    using Events = std::vector<EventEntry*>;   // of one lane, in the journal
    struct Shared {                     // one shared array of the present block
        launch::SharedArray array;
        std::vector<bool> written;
    };
    struct Part {                       // what of a buffer in global memory the present block works in
        std::size_t buffer = 0;
        std::uint64_t first = 0;        // element
        std::vector<bool> written;      // one for each element of the part
    };
    struct Pending {                    // a store whose value will be in memory at the lane's next event
        std::uint32_t event = 0;
        const std::byte* address = nullptr;
        std::uint32_t bytes = 0;
        const void* pc = nullptr;
    };

    struct OfBlock {
        std::vector<Events> lists;               // by slot
        std::vector<Shared> shared;
        std::vector<Part> parts;
        std::vector<std::vector<Pending>> pending;
        std::vector<bool> took;
        std::vector<std::uint32_t> to_join;      // values that the lane has read and not yet joined
        std::vector<std::pair<std::uint32_t, std::uint32_t>> at_barrier;  // thread, place in its list
        std::int32_t barriers = 0;
        bool under_way = false;
    };

    bool full() const { return full_; }
    void put_aside();
    Events& list(std::uint32_t thread) { return of_.lists[thread]; }
    trace::LaneEvent& add(std::uint32_t thread, bool settles = true, const void* address = nullptr,
                          const void* pc = nullptr);
    void settle(std::uint32_t thread);
    bool continues(const AccessSeen& seen) const;
    const BufferPlace* buffer_at(const std::byte* address) const;
    Shared* shared_at(const std::byte* address);
    void begin_parts(std::uint64_t block);
    void mark_written(const std::byte* address, std::uint64_t bytes);
    void add_image(ImageEntry image, const std::byte* begin, std::uint64_t bytes, const std::vector<bool>& written);

    std::span<const BufferPlace> buffers_;
    std::span<const launch::Plan::Snapshot> snapshots_;
    Journal journal_;
    std::uint64_t& events_;
    bool full_ = false;
    trace::LaneEvent spilt_;                     // where events go for which there is no room
    std::uint64_t collectives_ = 0;
    std::uint64_t block_ = 0;
    OfBlock of_;                                 // the present block
    std::map<std::uint64_t, OfBlock> waiting_;   // those that wait for others
};

}  // namespace lanewise::emu
