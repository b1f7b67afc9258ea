#include "common/page/step_facts.hpp"

#include <algorithm>
#include <bit>

#include "common/base/element.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/scene/requests.hpp"
#include "common/scene/warps.hpp"

namespace lanewise::page {
namespace {

using nlohmann::json;
using steps::StepKind;
using steps::WarpRef;
using steps::WarpStep;

constexpr std::size_t kMostImageWords = 1024;   // of one shared array at one barrier

const char* kind_name(StepKind kind) {
    switch (kind) {
        case StepKind::load: return "load";
        case StepKind::store: return "store";
        case StepKind::shuffle: return "shuffle";
        case StepKind::reduce: return "reduce";
        case StepKind::vote: return "vote";
        case StepKind::warp_barrier: return "warp_barrier";
        case StepKind::block_barrier: return "block_barrier";
        case StepKind::atomic: return "atomic";
        case StepKind::active_mask: return "active_mask";
        case StepKind::fence: return "fence";
    }
    return "";
}

const char* role_name(scene::ValueRow::Role role) {
    static constexpr const char* kNames[] = {"plain", "source", "result", "quiet", "warning"};
    return kNames[static_cast<std::size_t>(role)];
}

std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

}  // namespace

StepFacts::StepFacts(const lesson::Run& run)
    : steps_(run.steps),
      trace_(run.trace),
      findings_(scene::findings_of_steps(run.steps)),
      used_(run.steps.warps.size()) {}

int StepFacts::value(std::size_t w, Element type, std::uint64_t bits) {
    const int place = values_.place(type, bits);
    used_[w].try_emplace(place, type, bits);
    return place;
}

json StepFacts::lane_values(std::size_t k, std::size_t w) {
    const WarpRef& ref = steps_.warps[w];
    const steps::LaneValues& held = steps_.lane_values(k, ref);
    json hold = json::array(), inputs = json::array();
    std::uint32_t warned = 0;
    for (int lane = 0; lane < scene::lanes_of(steps_, ref); ++lane) {
        const bool known = (held.known >> lane) & 1u;
        hold.push_back(known ? value(w, held.type, held.bits[lane_index(lane)]) : -1);
        if (steps_.input_count == 0) continue;
        const steps::Provenance inside = steps_.provenances[held.inputs[lane_index(lane)]];
        inputs.push_back(words_.place(scene::inputs_text(inside, steps_.input_count)));
        if (inside.counted_twice() || inside.undefined) warned |= 1u << lane;
    }
    json all = {{"hold", std::move(hold)}, {"inputs", std::move(inputs)}};
    if (warned) all["warned"] = warned;
    return all;
}

json StepFacts::step(std::size_t k) {
    const steps::Step& from = steps_.steps[k];
    json all = {{"label", from.label}, {"stage", from.stage}, {"kind", kind_name(from.kind)}, {"line", from.line}};
    if (!findings_[k].empty()) all["findings"] = findings_[k];
    json work = json::array();
    for (const auto& counters : from.counters) work.push_back({counters.active_lanes, counters.lanes_adding});
    all["work"] = std::move(work);
    json parts = json::array(), now = json::array(), images = json::array();
    for (const WarpStep& each : from.warps) {
        const auto w = static_cast<std::size_t>(std::find(steps_.warps.begin(), steps_.warps.end(), each.warp) -
                                                steps_.warps.begin());
        if (w == steps_.warps.size() || each.records.empty()) continue;
        parts.push_back(part(k, each, w));
        for (const std::size_t number : each.records)
            for (const auto& held : trace_.records[number].shared) images.push_back(image(held, w));
    }
    for (std::size_t w = 0; w < steps_.warps.size(); ++w) {
        json here = lane_values(k, w);
        if (here == lane_values(k == 0 ? steps::kNoStep : k - 1, w)) continue;
        here["w"] = w;
        now.push_back(std::move(here));
    }
    all["parts"] = std::move(parts);
    if (!now.empty()) all["now"] = std::move(now);
    if (!images.empty()) all["images"] = std::move(images);
    return all;
}

json StepFacts::part(std::size_t k, const WarpStep& each, std::size_t w) {
    const StepKind kind = steps_.steps[k].kind;
    const trace::Record& first = trace_.records[each.records.front()];
    const std::uint32_t active = scene::active_lanes(steps_, &each);
    const int lanes = scene::lanes_of(steps_, each.warp);
    json all = {{"w", w}, {"active", active}, {"op", trace::op_name(first.op)}};
    if (kind == StepKind::shuffle) {
        std::uint32_t kept = 0;
        json sources = json::array();
        for (int lane = 0; lane < lanes; ++lane) {
            const steps::LaneView& view = each.lanes[lane_index(lane)];
            sources.push_back(view.active ? view.source : -1);
            if (view.active && view.effect == trace::Effect::keep) kept |= 1u << lane;
        }
        all["source"] = std::move(sources);
        all["keep"] = kept;
    }
    // What lanes offered: between two records a kernel may change a value without telling, and this is then what is
    // known.
    const bool compares = kind == StepKind::vote && !trace::is_predicate_vote(first.op);
    if (kind == StepKind::shuffle || kind == StepKind::reduce || compares) {
        json offers = json::array();
        for (int lane = 0; lane < lanes; ++lane)
            offers.push_back((active >> lane & 1u) ? value(w, first.type,
                                                           compares ? first.before[lane_index(lane)]
                                                                    : each.lanes[lane_index(lane)].before)
                                                   : -1);
        all["offers"] = std::move(offers);
    }
    if (first.undefined) all["undefined"] = first.undefined;
    if (trace::is_predicate_vote(first.op) || trace::is_barrier_vote(first.op)) {
        std::uint32_t says = 0;
        for (int lane = 0; lane < lanes; ++lane)
            if ((active >> lane & 1u) && first.arg[lane_index(lane)] != 0) says |= 1u << lane;
        all["says"] = says;
    }
    if (kind == StepKind::block_barrier) all["waiting"] = waiting(k, each.warp);
    if (kind == StepKind::fence)
        all["words"] = json::array(
            {words_.place(scene::fence_text(first.arg[lane_index(std::countr_zero(active) % trace::kWarpSize)]))});
    const auto requests = scene::requests_of(steps_, k, each.warp);
    for (const auto space : {trace::Space::shared, trace::Space::global})
        for (const std::string& caption : scene::request_captions(steps_, requests, space))
            all["words"].push_back(words_.place(caption));
    all["formulas"] = formulas(k, each.warp, lanes);
    all["rows"] = rows(k, each.warp, w);
    for (const std::size_t number : each.records)
        if (scene::touches_memory(trace_.records[number]) && trace_.records[number].array < trace_.arrays.size())
            all["memory"].push_back(memory(trace_.records[number], w));
    return all;
}

// Threads of the warp's block that came to the barrier.
int StepFacts::waiting(std::size_t k, const WarpRef& warp) const {
    int count = 0;
    for (const WarpStep& each : steps_.steps[k].warps)
        if (each.warp.block == warp.block && each.warp.launch == warp.launch)
            count += std::popcount(scene::active_lanes(steps_, &each));
    return count;
}

json StepFacts::formulas(std::size_t k, const WarpRef& warp, int lanes) {
    json all = json::array();
    for (int lane = 0; lane < lanes; ++lane) {
        const steps::Formula parts = steps::formula_parts(steps_, k, warp, lane);
        if (parts.who.empty()) {
            all.push_back(0);
            continue;
        }
        const std::string head =
            parts.rule.empty() ? parts.who : parts.who + (parts.is_equation ? " = " : ": ") + parts.rule;
        all.push_back(folded(head + "\n" + parts.bits + "\n" + parts.arithmetic, templates_));
    }
    return all;
}

// A row of the page has one role: what is missing in some lanes only stands in a row of its own.
json StepFacts::rows(std::size_t k, const WarpRef& warp, std::size_t w) {
    json all = json::array();
    for (const scene::WarpRow& told : scene::warp_rows(steps_, k, warp)) {
        std::vector<scene::ValueRow::Role> roles;
        for (const auto& mine : told.lanes)
            if (mine && std::find(roles.begin(), roles.end(), mine->role) == roles.end()) roles.push_back(mine->role);
        for (const auto role : roles) {
            json values = json::array(), words = json::array();
            bool has_words = false;
            for (const auto& mine : told.lanes) {
                const bool has = mine && mine->role == role;
                if (!has) values.push_back(-1);
                else if (mine->is_value) values.push_back(value(w, mine->type, mine->bits));
                else values.push_back(values_.place(mine->text));
                const bool has_word = has && !mine->word.empty();
                has_words |= has_word;
                if (has_word) words.push_back(folded(mine->word, templates_));
                else words.push_back(0);
            }
            json row = {{"label", told.label}, {"role", role_name(role)}, {"values", std::move(values)}};
            if (has_words) row["word"] = std::move(words);
            all.push_back(std::move(row));
        }
    }
    return all;
}

json StepFacts::memory(const trace::Record& record, std::size_t w) {
    const trace::Array& array = trace_.arrays[record.array];
    const int elements = trace::is_atomic(record.op) ? 1 : record.elements;
    json index = json::array(), values = json::array();
    for (int lane = 0; lane < scene::lanes_of(steps_, steps_.warps[w]); ++lane) {
        const bool active = record.active >> lane & 1u;
        index.push_back(active ? record.element_index[lane_index(lane)] : -1);
        for (int e = 0; e < elements; ++e)
            values.push_back(
                active ? value(w, array.element, trace::element_at(record.value[lane_index(lane)], array.element, e))
                       : -1);
    }
    return {{"op", trace::op_name(record.op)},
            {"shared", array.space == trace::Space::shared},
            {"array", array.name},
            {"lanes", record.active},
            {"elements", elements},
            {"index", std::move(index)},
            {"values", std::move(values)}};
}

json StepFacts::image(const trace::ArrayImage& held, std::size_t w) {
    const trace::Array& array = trace_.arrays.at(held.array);
    json values = json::array();
    const std::size_t shown_words = std::min(held.values.size(), kMostImageWords);
    for (std::size_t i = 0; i < shown_words; ++i) {
        const bool known = held.written.empty() || held.written[i];
        values.push_back(known ? value(w, array.element, held.values[i]) : -1);
    }
    return {{"w", w}, {"array", array.name}, {"shared", array.space == trace::Space::shared}, {"first", held.first},
            {"more", held.values.size() - shown_words}, {"values", std::move(values)}};
}

}  // namespace lanewise::page
