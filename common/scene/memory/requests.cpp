#include "common/scene/memory/requests.hpp"

#include <algorithm>
#include <cctype>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "common/base/counted.hpp"
#include "common/scene/memory/records.hpp"
#include "common/steps/memory_cost.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

constexpr int kBanksNamed = 4;   // by number; more are counted

int different_words(const trace::Record& record) {
    std::set<std::int64_t> words;
    const int elements = trace::is_atomic(record.op) ? 1 : record.elements;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!((record.active >> lane) & 1u)) continue;
        for (int k = 0; k < elements; ++k) words.insert(record.element_index[static_cast<std::size_t>(lane)] + k);
    }
    return static_cast<int>(words.size());
}

std::string request_text(const Request& request) {
    return counted(request.lanes, "lane") + " × " + counted(request.bytes, "byte");
}

std::string global_text(const Request& request, bool brief) {
    const auto asked = static_cast<std::uint32_t>(request.lanes * request.bytes);
    std::string text;
    if (!brief) {
        text = request_text(request);
        if (request.lanes > 1 && request.useful == asked) text += " = " + std::to_string(asked) + " bytes";
        if (request.useful < asked) {
            text += request.words == 1 ? ", one and the same word"
                                        : ", " + std::to_string(request.useful) + " different bytes";
        }
        text += ", ";
    }
    text += counted(request.sectors.size(), "sector") + " of " + std::to_string(kSectorBytes) + " bytes";
    if (request.useful == request.moved()) return text + ", all used";
    const double share = 100.0 * request.useful / std::max(request.moved(), 1u);
    return text + ": " + std::to_string(request.moved()) + " bytes moved for " + std::to_string(request.useful) +
           " used (" + std::to_string(static_cast<int>(std::nearbyint(share))) + " %)";
}

// "bank 0", "banks 0, 16": those that most words are asked of; their number where they are many.
std::string worst_banks(const BankUse& use, int most) {
    std::string text;
    int all = 0;
    for (int bank = 0; bank < kBanks; ++bank) {
        if (use.words[static_cast<std::size_t>(bank)] == most) text += (all++ ? ", " : "") + std::to_string(bank);
    }
    return all > kBanksNamed ? std::to_string(all) + " banks" : (all == 1 ? "bank " : "banks ") + text;
}

std::string shared_text(const Request& request, bool brief) {
    const BankUse& use = request.banks;
    std::string text;
    if (!brief) {
        text = request.bytes > kBankBytes ? request_text(request) : counted(request.lanes, "lane");
        if (use.turns > 1) text += ", " + std::to_string(use.turns) + " turns of 128 bytes";
        text += ", ";
    }
    text += counted(use.wavefronts, "wavefront");
    if (!request.conflict()) {
        const bool one_word = request.lanes > 1 && request.words == 1;
        return text + (one_word ? ": one word for all, no bank conflict" : ": no bank conflict");
    }
    const int most = *std::max_element(use.words.begin(), use.words.end());
    return text + ": " + std::to_string(most) + "-way bank conflict in " + worst_banks(use, most);
}

// "atomicAdd" of "atomic_add", as CUDA writes it.
std::string cuda_name(std::string_view op) {
    std::string name(op.substr(op.find('_') + 1));
    if (name == "cas") return "atomicCAS";
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    return "atomic" + name;
}

std::string atomic_text(const Request& request) {
    std::string text = counted(request.lanes, "lane") + ", " + std::to_string(request.words) +
                       (request.words == 1 ? " address" : " addresses");
    if (request.lanes > request.words) text += ", one after another";
    return text;
}

}  // namespace

std::vector<Request> requests_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    std::vector<Request> requests;
    const steps::WarpStep* part = step < steps.size() ? steps.steps[step].find(warp) : nullptr;
    if (!part) return requests;
    for (const std::size_t number : part->records) {
        const trace::Record& record = steps.trace->records[number];
        if (!touches_memory(record) || record.array >= steps.trace->arrays.size() || record.active == 0) continue;
        const trace::Array& array = steps.trace->arrays[record.array];
        Request request;
        request.record = number;
        request.touch = record.op == trace::Op::load    ? Touch::read
                        : record.op == trace::Op::store ? Touch::write
                                                        : Touch::atomic;
        request.op = trace::op_name(record.op);
        request.array = record.array;
        request.space = array.space;
        request.lanes = std::popcount(record.active);
        request.bytes = element_size(array.element) * (trace::is_atomic(record.op) ? 1 : record.elements);
        request.words = different_words(record);
        request.useful = steps::useful_bytes(*steps.trace, record);
        if (array.space == Space::global) request.sectors = steps::sectors_of(*steps.trace, record);
        else request.banks = steps::banks_of(*steps.trace, record);
        requests.push_back(std::move(request));
    }
    return requests;
}

std::vector<std::string> request_captions(const steps::Steps& steps, const std::vector<Request>& requests,
                                          Space space, bool brief) {
    // What is said of each, and how often.
    std::vector<std::pair<std::pair<std::string, std::string>, int>> counted;
    for (const Request& request : requests) {
        if (request.space != space) continue;
        const trace::Record& record = steps.trace->records[request.record];
        const std::string& name = steps.trace->arrays[request.array].name;
        const bool atomic = request.touch == Touch::atomic;
        const char* verb = request.touch == Touch::read ? " reads " : " writes ";
        std::pair<std::string, std::string> said;
        said.first = "warp " + std::to_string(record.warp) +
                     (atomic ? " " + cuda_name(request.op) + " to " : verb) + name;
        said.second = atomic                          ? atomic_text(request)
                      : space == Space::global ? global_text(request, brief)
                                                      : shared_text(request, brief);
        const auto same =
            std::find_if(counted.begin(), counted.end(), [&](const auto& other) { return other.first == said; });
        if (same != counted.end()) ++same->second;
        else counted.push_back({std::move(said), 1});
    }
    std::vector<std::string> captions;
    for (const auto& [said, times] : counted) {
        const std::string often = times == 1   ? ": "
                                  : times == 2 ? " twice, each time "
                                               : " " + std::to_string(times) + " times, each time ";
        captions.push_back(said.first + often + said.second);
    }
    return captions;
}

bool accesses_known(const trace::Trace& trace) {
    return std::any_of(trace.records.begin(), trace.records.end(),
                       [](const trace::Record& record) { return trace::is_access(record.op); });
}

std::string accesses_origin(const trace::Trace& trace) {
    if (trace.header.source.kind != trace::SourceKind::gpu) return "";
    if (!trace.header.accesses_from.empty()) return "accesses from the " + trace.header.accesses_from;
    return accesses_known(trace)
               ? ""
               : "snapshots at the block's barriers; this GPU's trace does not record who touched which word";
}

}  // namespace lanewise::scene
