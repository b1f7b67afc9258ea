#include "common/emu/recording.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/emu/checks.hpp"
#include "common/launch/arrays.hpp"

namespace lanewise::emu {

using trace::LaneEvent;
using trace::Op;

namespace {

constexpr std::uint32_t kMaxSlots = 1024;

bool is_element(Element element) { return static_cast<int>(element) < kElementCount; }

bool same_place(const LaneEvent& a, const LaneEvent& b) { return a.line == b.line && a.site == b.site; }

// How many events from `at` are one access that was announced in pieces of 16 bytes.
std::size_t pieces(const std::vector<LaneEvent>& lane, std::size_t at) {
    std::size_t end = at + 1;
    while (end < lane.size() && lane[end].op == lane[at].op && same_place(lane[end], lane[at]) &&
           lane[end].array == lane[at].array && lane[end - 1].elements * element_size(lane[at].type) == 16 &&
           lane[end].element_index == lane[end - 1].element_index + lane[end - 1].elements)
        ++end;
    return end - at;
}

// The compiler announces a struct's copy (`*to = *from`) as a store and then a load, both at one place of the text.
// Puts the load first. In `x += y` the load comes first as it is: with it a store has its partner.
void put_loads_before_stores(std::vector<LaneEvent>& lane) {
    for (std::size_t i = 0; i < lane.size();) {
        const std::size_t first = pieces(lane, i);
        const std::size_t next = i + first;
        if (!trace::is_access(lane[i].op) || next >= lane.size() || !trace::is_access(lane[next].op) ||
            lane[next].op == lane[i].op || !same_place(lane[i], lane[next]) || lane[i].line == 0) {
            i = next;
            continue;
        }
        const std::size_t second = pieces(lane, next);
        if (lane[i].op == Op::store)
            std::rotate(lane.begin() + static_cast<std::ptrdiff_t>(i), lane.begin() + static_cast<std::ptrdiff_t>(next),
                        lane.begin() + static_cast<std::ptrdiff_t>(next + second));
        i = next + second;
    }
}

// A payload as what it should be. False where it is damaged.
template <class T>
bool read_as(std::span<const std::byte> payload, T& value) {
    if (payload.size() < sizeof value) return false;
    std::memcpy(static_cast<void*>(&value), payload.data(), sizeof value);
    return true;
}

// A kernel that stores where it should not may have stored here.
bool is_sound(const LaneEvent& event) {
    return static_cast<std::size_t>(event.op) < trace::kOpCount && is_element(event.type) &&
           is_element(event.after_type) && event.effect <= trace::Effect::keep && event.width >= 1 &&
           event.width <= trace::kWarpSize && std::has_single_bit(static_cast<unsigned>(event.width)) &&
           event.source >= -1 && event.source < trace::kWarpSize && event.elements >= 1 &&
           event.elements * element_size(event.type) <= 16 && event.line >= 0;
}

std::string text_of(std::span<const std::byte> payload) {
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

// Puts a line's number where a mark stands for it.
void put_line(std::string& text, char mark, int line) {
    for (std::size_t at; (at = text.find(mark)) != text.npos;) text.replace(at, 1, std::to_string(line));
}

// Adds a finding to those that say the same. What the compiler made two places of is one line to a reader.
void merge(std::vector<Found>& all, Found found) {
    const auto other_line = [](const trace::Finding& finding) { return finding.other ? finding.other->line : 0; };
    const trace::Finding& finding = found.finding;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Found& known) {
        const trace::Finding& other = known.finding;
        return other.kind == finding.kind && other.kernel == finding.kernel && other.line == finding.line &&
               other.severity == finding.severity && other.array == finding.array &&
               other_line(other) == other_line(finding);
    });
    if (same == all.end()) {
        all.push_back(std::move(found));
        return;
    }
    const std::uint64_t count = same->finding.count + finding.count;
    // Whichever thread ran it, the first block is reported.
    const bool earlier = finding.launch == same->finding.launch && finding.block < same->finding.block;
    if (earlier && finding.array.empty()) *same = std::move(found);
    same->finding.count = count;
}

// Where the blocks of one launch begin in the journal, and the shared arrays they named.
struct LaunchNotes {
    std::multimap<std::uint32_t, std::size_t> blocks;   // by number: a trace holds them in their own order
    bool interleaved = false;                           // some waited for others
    std::vector<launch::SharedArray> arrays;
};

class Collector {
public:
    Collector(const launch::Plan& plan, const RunMemory& memory, SourceLines& lines, RunEnd end, std::stop_token stop)
        : stop_(std::move(stop)),
          plan_(plan),
          memory_(memory),
          journal_(memory.journal()),
          lines_(lines),
          numbering_(plan),
          end_(end),
          events_left_(end == RunEnd::cancelled ? kMaxEventsOfCancelled : kMaxEvents) {}

    // What all launches reported, in passing.
    void survey() {
        // Of a long record that was cancelled only the beginning is looked at.
        std::uint64_t entries = 0;
        journal_.read([&](EntryKind kind, std::span<const std::byte> payload, std::size_t at) {
            if (++entries > kMaxEventsOfCancelled && is_cancelled(entries)) return false;
            if (kind == EntryKind::launch_begins) {
                if (launches_.size() < plan_.launches.size()) launches_.emplace_back();
            } else if (kind == EntryKind::finding) {
                add_finding(payload);
            } else if (kind == EntryKind::undecided) {
                undecided_ = text_of(payload);
            } else if (kind == EntryKind::error) {
                throw Error(text_of(payload), kExitFailed);
            } else if (!launches_.empty()) {
                note(kind, payload, at);
            }
            return true;
        });
        if (end_ == RunEnd::cancelled) {
            found_.clear();
            journal_.read_findings([&](std::span<const std::byte> payload) { add_finding(payload); });
        }
        if (end_ == RunEnd::by_itself && std::any_of(found_.begin(), found_.end(), [](const Found& found) {
                return found.finding.kind == "runaway" || found.finding.kind == "hang";
            }))
            end_ = RunEnd::runaway;
    }

    std::size_t launches() const { return launches_.size(); }

    // What was found, with the places of its accesses among the records.
    std::vector<trace::Finding> findings(std::span<const trace::Record> records) {
        locate_records(found_, records, arrays());
        std::vector<trace::Finding> findings;
        for (const Found& found : found_) findings.push_back(found.finding);
        return findings;
    }

    // Why the checks could not judge all of the run; empty: they could.
    std::string undecided() const {
        if (!undecided_.empty() || !journal_.lost_findings()) return undecided_;
        return "there were more findings than a run keeps; correct the first ones and run it again.";
    }

    RunEnd end() const { return end_; }

    // Of a run that did not end by itself: are its last events left out?
    bool cut() const { return cut_; }

    // The records of one launch. False where they, or the events, were too many.
    bool make_records(std::uint32_t launch, std::span<const std::string> shared_names,
                      std::vector<trace::Record>& records) {
        const LaunchNotes& notes = launches_[launch];
        arrays_ = numbering_.add_launch(notes.arrays, shared_names);
        for (const auto& [block, at] : notes.blocks) {
            if (cut_) return false;
            trace::BlockEvents events = read_block(at, notes.interleaved);
            events.launch = launch;
            events.block = block;
            const std::size_t most = end_ == RunEnd::runaway ? kMaxRecordsOfRunaway : kMaxRecords;
            if (trace::assemble(events, records, most)) continue;
            cut_ = end_ == RunEnd::runaway;
            return false;
        }
        return !cut_;
    }

    const std::vector<trace::Array>& arrays() const { return numbering_.arrays(); }

private:
    // Was the run cancelled, or is it now? Asked at each of many entries.
    bool is_cancelled(std::uint64_t count) {
        if (end_ == RunEnd::cancelled || count % 1024 != 0 || !stop_.stop_requested()) return end_ == RunEnd::cancelled;
        end_ = RunEnd::cancelled;
        events_left_ = std::min(events_left_, kMaxEventsOfCancelled);
        return true;
    }

    void add_finding(std::span<const std::byte> payload) {
        Found found;
        if (!finding_of(payload, found)) return;
        trace::Finding& finding = found.finding;
        if (finding.line == 0) finding.line = line_of(found.pc);
        if (found.same_line_pc && line_of(found.same_line_pc) != finding.line) return;
        if (finding.other && finding.other->line == 0) finding.other->line = line_of(found.other_pc);
        for (std::string* text : {&finding.sentence, &finding.advice}) {
            put_line(*text, Found::kLineMark, finding.line);
            put_line(*text, Found::kOtherLineMark, finding.other ? finding.other->line : 0);
        }
        merge(found_, std::move(found));
    }

    int line_of(const void* pc) { return pc ? lines_.find(pc).line : 0; }

    void note(EntryKind kind, std::span<const std::byte> payload, std::size_t at) {
        BlockEntry block;
        ArrayEntry array;
        if (kind == EntryKind::block_begins && read_as(payload, block))
            launches_.back().blocks.emplace(block.block, at);
        if (kind == EntryKind::block_goes_on) launches_.back().interleaved = true;
        if (kind == EntryKind::shared_array && read_as(payload, array) && is_element(array.element))
            launches_.back().arrays.push_back({array.id, array.element, array.count, array.address});
    }

    std::uint32_t number_of(const ArrayEntry& array) const {
        const auto found = std::find_if(arrays_.begin(), arrays_.end(), [&](const auto& other) {
            return other.id == array.id && other.address == array.address;
        });
        return found == arrays_.end() ? 0u : found->array;
    }

    // What is in the journal of the block that begins at `from`; others may be in between.
    trace::BlockEvents read_block(std::size_t from, bool interleaved) {
        trace::BlockEvents events;
        std::uint32_t number = 0;
        bool is_its = true;
        std::vector<trace::ArrayImage> images;
        journal_.read(
            [&](EntryKind kind, std::span<const std::byte> payload, std::size_t at) {
                BlockEntry block;
                if (kind == EntryKind::block_begins && at == from) {
                    if (!read_as(payload, block) || block.slots > kMaxSlots) return false;
                    events.warps.resize(block.slots / trace::kWarpSize);
                    number = block.block;
                } else if (kind == EntryKind::launch_begins) {
                    return false;
                } else if (kind == EntryKind::block_begins || kind == EntryKind::block_goes_on) {
                    is_its = read_as(payload, block) && block.block == number;
                    return interleaved;
                } else if (!is_its) {
                    return true;
                } else if (kind == EntryKind::event) {
                    if (events_left_ % 1024 == 0) is_cancelled(events_left_);
                    cut_ = events_left_ == 0;
                    if (cut_) return false;
                    --events_left_;
                    add_event(payload, events);
                } else if (kind == EntryKind::image) {
                    add_image(payload, images);
                } else if (kind == EntryKind::barrier) {
                    std::sort(images.begin(), images.end(),
                              [](const auto& a, const auto& b) { return a.array < b.array; });
                    events.snapshots.push_back(std::move(images));
                    images.clear();
                }
                return true;
            },
            from);
        for (auto& warp : events.warps)
            for (auto& lane : warp.lanes) put_loads_before_stores(lane);
        return events;
    }

    void add_event(std::span<const std::byte> payload, trace::BlockEvents& events) {
        EventEntry entry;
        if (!read_as(payload, entry) || !is_sound(entry.event)) return;
        const std::uint32_t warp = entry.thread / trace::kWarpSize;
        if (warp >= events.warps.size()) return;
        LaneEvent& event = events.warps[warp].lanes[entry.thread % trace::kWarpSize].emplace_back(entry.event);
        if (entry.pc != 0) {
            const SourcePlace source = lines_.find(reinterpret_cast<const void*>(entry.pc));
            event.line = source.line;
            event.site = static_cast<std::uint32_t>(source.column);
        }
        if (!trace::is_access(event.op) && !trace::is_atomic(event.op)) return;
        RunMemory::Place place;
        if (memory_.find(entry.address, place) && place.byte >= 0 &&
            place.byte < static_cast<std::int64_t>(plan_.buffers[place.buffer].bytes())) {
            event.array = static_cast<std::uint32_t>(place.buffer);
            event.element_index = place.byte / element_size(plan_.buffers[place.buffer].element);
        } else if (const auto shared = launch::place_in(arrays_, entry.address)) {
            event.array = shared->array;
            event.element_index = shared->index;
        } else {
            event.array = numbering_.elsewhere();
        }
    }

    void add_image(std::span<const std::byte> payload, std::vector<trace::ArrayImage>& images) {
        ImageEntry entry;
        if (!read_as(payload, entry) || !is_element(entry.array.element)) return;
        const auto size = static_cast<std::size_t>(element_size(entry.array.element));
        const std::uint64_t count = entry.array.count;
        if (count == 0 || count > payload.size() || payload.size() != sizeof entry + count * size + count) return;
        if (entry.is_buffer && entry.buffer >= plan_.buffers.size()) return;
        trace::ArrayImage image;
        image.array = entry.is_buffer ? entry.buffer : number_of(entry.array);
        image.first = entry.first;
        image.values.assign(count, 0);
        image.written.assign(count, false);
        const std::byte* bytes = payload.data() + sizeof entry;
        for (std::size_t i = 0; i < count; ++i) {
            if (bytes[count * size + i] == std::byte{0}) continue;
            image.written[i] = true;
            std::memcpy(&image.values[i], bytes + i * size, size);
        }
        images.push_back(std::move(image));
    }

    std::stop_token stop_;
    const launch::Plan& plan_;
    const RunMemory& memory_;
    const Journal journal_;
    SourceLines& lines_;
    launch::ArrayNumbering numbering_;
    std::vector<LaunchNotes> launches_;
    std::vector<Found> found_;
    std::string undecided_;
    std::vector<launch::SharedArray> arrays_;   // of the launch at hand
    RunEnd end_;
    std::uint64_t events_left_;
    bool cut_ = false;
};

}  // namespace

void end_early(trace::Trace& trace) {
    trace.partial = true;
    trace.partial_reason = "The run ended early: what it did before is shown.";
}

void add_line_of_end(trace::Trace& trace, int line) {
    const std::string ended = "The run ended early";
    if (line > 0 && trace.partial_reason.starts_with(ended + ":"))
        trace.partial_reason.insert(ended.size(), fmt::format(" on line {}", line));
}

void judge(launch::Outcome& outcome) {
    const auto is = [](const trace::Finding& finding, std::initializer_list<const char*> kinds) {
        return std::find(kinds.begin(), kinds.end(), finding.kind) != kinds.end();
    };
    // What kept a run from its end says nothing about the kernel.
    const auto is_limit = [&](const trace::Finding& finding) {
        return is(finding, {"runaway", "cancelled", "too_much_output", "worker_died"});
    };
    bool wrong = false;
    for (const trace::Finding& finding : outcome.findings) {
        if (!is_limit(finding)) wrong = wrong || finding.severity == trace::Severity::wrong;
        else if (outcome.undecided.empty()) outcome.undecided = finding.sentence;
    }
    outcome.verdict = wrong                        ? trace::Verdict::wrong
                      : outcome.undecided.empty() ? trace::Verdict::clean
                                                  : trace::Verdict::not_decided;
    if (!outcome.trace) return;
    outcome.trace->verdict = outcome.verdict;
    outcome.trace->undecided = outcome.undecided;
}

launch::Outcome collect(const launch::Plan& plan, const launch::KernelSet& kernels, const launch::Request& request,
                        const RunMemory& memory, SourceLines& lines, RunEnd end) {
    launch::Outcome outcome;
    Collector collector(plan, memory, lines, end, request.stop);
    collector.survey();
    outcome.undecided = collector.undecided();
    if (request.record) {
        trace::Trace& trace = outcome.trace.emplace();
        trace.header.source.kind = trace::SourceKind::emulator;
        trace.header.source.order = request.order.name();
        bool whole = !memory.journal().full();
        for (std::uint32_t i = 0; i < collector.launches(); ++i) {
            const launch::LaunchSpec& spec = plan.launches[i];
            const launch::Kernel& kernel = kernels.find(spec.kernel, spec.arguments);
            const launch::KernelFile& file = kernels.file_of(kernel);
            trace.header.warp_size = kernel.warp_size;
            trace.header.statements = file.statements;
            trace.header.launches.push_back({kernel.full_name(),
                                             {spec.grid.x, spec.grid.y, spec.grid.z},
                                             {spec.block.x, spec.block.y, spec.block.z},
                                             spec.block.dynamic_shared_bytes});
            for (const std::uint32_t block : request.blocks)
                if (block < spec.grid.count() && std::find(trace.header.blocks.begin(), trace.header.blocks.end(),
                                                           block) == trace.header.blocks.end())
                    trace.header.blocks.push_back(block);
            whole &= collector.make_records(i, file.shared_names, trace.records);
        }
        if (!whole) {
            trace.partial = true;
            trace.partial_reason =
                fmt::format("The record is not whole: a run keeps up to {} events and {} records, and this one made "
                            "more. Record fewer blocks or give a smaller --n; the results are those of the whole run.",
                            kMaxEvents, kMaxRecords);
        }
        trace.arrays = collector.arrays();
        if (memory.state().ended_early) end_early(trace);
        if (collector.end() != RunEnd::by_itself) {
            end_early(trace);
            if (collector.end() == RunEnd::cancelled)
                trace.partial_reason = "The run was cancelled: what it did before is shown.";
            if (collector.cut())
                trace.partial_reason = fmt::format(
                    "The run {}: the first {} records of what it did are shown.",
                    collector.end() == RunEnd::cancelled ? "was cancelled" : "ended early", trace.records.size());
        }
    }
    std::span<const trace::Record> records;
    if (outcome.trace) records = outcome.trace->records;
    outcome.findings = collector.findings(records);
    if (outcome.trace) {
        outcome.trace->findings = outcome.findings;
        if (end == RunEnd::by_itself && !outcome.findings.empty())
            add_line_of_end(*outcome.trace, outcome.findings.back().line);
    }
    if (request.checks) judge(outcome);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i)
        outcome.buffers.emplace_back(memory.buffer(i), memory.buffer(i) + plan.buffers[i].bytes());
    return outcome;
}

}  // namespace lanewise::emu
