// The observer that makes traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "common/emu/observer.hpp"
#include "common/emu/source_lines.hpp"
#include "common/launch/arrays.hpp"
#include "common/launch/plan.hpp"
#include "common/trace/lane_events.hpp"

namespace lanewise::emu {

// A buffer of the plan as it lies in the host's memory.
struct BufferPlace {
    const std::byte* begin = nullptr;
    std::uint64_t bytes = 0;
    Element element = Element::f32;
    launch::BufferRole role = launch::BufferRole::input;
};

// Events one launch may record before it is refused: at 112 bytes each, some 470 MB.
inline constexpr std::size_t kMaxEvents = std::size_t{1} << 22;

// Records the blocks it is shown of one launch, and turns them into records when the launch is over.
class Recorder : public Observer {
public:
    // `snapshots` are the plan's: the parts of its buffers that are kept at each block barrier.
    Recorder(std::uint32_t launch, std::span<const BufferPlace> buffers,
             std::span<const launch::Plan::Snapshot> snapshots, SourceLines& lines)
        : launch_(launch), buffers_(buffers), snapshots_(snapshots), lines_(lines) {}

    void block_begins(std::uint64_t block, std::uint32_t slots) override;
    void collective(const CollectiveSeen& seen) override;
    void block_ends() override;
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
    std::size_t events_of(std::uint32_t thread) const {
        return blocks_.back().events.warps[thread / trace::kWarpSize].lanes[thread % trace::kWarpSize].size();
    }

    // Numbers the shared arrays, and appends all records of the launch. Throws Error when there were more events than
    // a trace can hold.
    void finish(launch::ArrayNumbering& numbering, std::span<const std::string> shared_names,
                std::vector<trace::Record>& records);

private:
    struct Image {                      // one shared array at one barrier
        launch::SharedArray array;
        std::vector<std::byte> bytes;
        std::vector<bool> written;      // by element
    };
    struct Shared {                     // one shared array of the present block
        launch::SharedArray array;
        std::vector<bool> written;
    };
    struct Part {                       // what of a buffer in global memory the present block works in
        std::size_t buffer = 0;
        std::uint64_t first = 0;        // element
        std::vector<bool> written;      // one for each element of the part
    };
    struct PartImage {                  // the same at one barrier
        Part part;
        std::vector<std::byte> bytes;
    };
    struct Place {                      // where an access or atomic went, for when arrays have numbers
        std::uint32_t thread = 0;
        std::uint32_t event = 0;
        const std::byte* address = nullptr;
        const void* pc = nullptr;       // accesses: looked up later, for a lane's stack is too small for that
    };
    struct Pending {                    // a store whose value will stand in memory at the lane's next word
        std::uint32_t event = 0;
        const std::byte* address = nullptr;
        std::uint32_t bytes = 0;
        const void* pc = nullptr;
    };
    struct Recorded {
        trace::BlockEvents events;
        std::vector<std::vector<Image>> images;
        std::vector<std::vector<PartImage>> parts;
        std::vector<Place> places;
    };

    std::vector<trace::LaneEvent>& list(std::uint32_t thread);
    trace::LaneEvent& add(std::uint32_t thread, bool settles = true);
    void settle(std::uint32_t thread);
    bool continues(const AccessSeen& seen) const;
    const BufferPlace* buffer_at(const std::byte* address) const;
    Shared* shared_at(const std::byte* address);
    void begin_parts(std::uint64_t block);
    void mark_written(const std::byte* address, std::uint64_t bytes);

    std::uint32_t launch_;
    std::span<const BufferPlace> buffers_;
    std::span<const launch::Plan::Snapshot> snapshots_;
    SourceLines& lines_;
    std::vector<Recorded> blocks_;
    std::vector<Shared> shared_;                 // of the present block
    std::vector<Part> parts_;                    // of the present block
    std::vector<launch::SharedArray> reports_;   // of all blocks
    std::vector<std::vector<Pending>> pending_;
    std::vector<bool> took_;
    std::uint64_t collectives_ = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> at_barrier_;  // thread, place in its list
    std::size_t events_ = 0;
};

}  // namespace lanewise::emu
