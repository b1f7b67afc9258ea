#include "common/page/step_facts.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "common/scene/held.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/scene/memory/requests.hpp"
#include "common/scene/warps.hpp"
#include "common/scene/utilization.hpp"

namespace lanewise::page {
namespace {

using nlohmann::json;

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

StepFacts::StepFacts(const run::Run& run, const scene::Outline& outline)
    : steps_(scene::steps_of(run)), outline_(outline), used_(outline.warps.size()) {}

int StepFacts::value(std::size_t w, Element type, std::uint64_t bits) {
    const int place = values_.place(type, bits);
    used_[w].try_emplace(place, type, bits);
    return place;
}

int StepFacts::value(std::size_t w, const scene::LaneCell& cell) {
    const int place = values_.place(cell);
    used_[w].try_emplace(place, cell.type, cell.bits);
    return place;
}

json StepFacts::lane_values(std::size_t k, std::size_t w) {
    const WarpRef& ref = outline_.warps[w];
    const PerLane<scene::LaneCell> cells = scene::held_by_warp(steps_, k, ref);
    json hold = json::array(), inputs = json::array();
    std::uint32_t warned = 0;
    for (int lane = 0; lane < scene::lanes_of(steps_, ref); ++lane) {
        const scene::LaneCell& cell = cells[lane_index(lane)];
        hold.push_back(cell.known ? value(w, cell) : -1);
        const scene::InputsHeld inside = scene::inputs_held(steps_, k, ref, lane);
        if (inside.text.empty()) continue;
        inputs.push_back(texts_.place(inside.text));
        if (inside.warned) warned |= 1u << lane;
    }
    json all = {{"hold", std::move(hold)}, {"inputs", std::move(inputs)}};
    if (warned) all["warned"] = warned;
    return all;
}

json StepFacts::step(std::size_t k) {
    const scene::StepHead& head = outline_.steps[k];
    json all = {{"label", head.label}, {"stage", head.stage}, {"kind", kind_name(head.kind)}, {"line", head.line}};
    if (!outline_.findings_at[k].empty()) all["findings"] = outline_.findings_at[k];
    json work = json::array();
    for (const scene::WorkStep& block : scene::work_at(steps_, k))
        work.push_back({block.lanes, block.adding, block.more_may_add ? 1 : 0});
    all["work"] = std::move(work);
    json parts = json::array(), now = json::array(), images = json::array();
    for (const std::size_t w : scene::warps_in(steps_, k)) {
        const scene::Part each = scene::part_of(steps_, k, outline_.warps[w]);
        parts.push_back(part(each, w));
        for (const scene::BarrierImage& held : each.images) images.push_back(image(held, w));
    }
    for (std::size_t w = 0; w < outline_.warps.size(); ++w) {
        json here = lane_values(k, w);
        if (here == lane_values(k == 0 ? kNoStep : k - 1, w)) continue;
        here["w"] = w;
        now.push_back(std::move(here));
    }
    all["parts"] = std::move(parts);
    if (!now.empty()) all["now"] = std::move(now);
    if (!images.empty()) all["images"] = std::move(images);
    return all;
}

json StepFacts::part(const scene::Part& each, std::size_t w) {
    json all = {{"w", w}, {"active", each.active}, {"op", each.op}};
    std::uint32_t kept = 0, undefined = 0, says = 0;
    json sources = json::array(), offers = json::array();
    for (const scene::LaneFacts& facts : each.facts) {
        const std::uint32_t bit = 1u << facts.lane;
        sources.push_back(facts.active ? facts.view.source : -1);
        if (facts.active && !facts.view.used) kept |= bit;
        if (facts.active && facts.view.undefined) undefined |= bit;
        if (facts.active && facts.says > 0) says |= bit;
        if (records_offers(each))
            offers.push_back(!facts.active ? -1
                             : !facts.parts.empty()
                                 ? value(w, scene::offered_cell(facts))
                                 : value(w, each.type, each.compares ? facts.offered : facts.view.before));
    }
    if (each.kind == StepKind::shuffle) {
        all["source"] = std::move(sources);
        all["keep"] = kept;
    }
    // What lanes offered: a kernel may change a value between two records, and this is then what is known.
    if (records_offers(each)) all["offers"] = std::move(offers);
    if (undefined) all["undefined"] = undefined;
    if (each.says) all["says"] = says;
    if (const std::string caption = scene::caption_of(each); !caption.empty())
        all["caption"] = texts_.place(caption + scene::caption_goes_on(each));
    if (each.kind == StepKind::fence) {
        const auto first = std::find_if(each.facts.begin(), each.facts.end(),
                                        [](const scene::LaneFacts& facts) { return facts.fence >= 0; });
        if (first != each.facts.end())
            all["captions"] = json::array({texts_.place(scene::fence_text(first->fence))});
    }
    const auto requests = scene::requests_of(steps_, each.step, each.warp);
    for (const auto space : {Space::shared, Space::global})
        for (const std::string& caption : scene::request_captions(steps_, requests, space))
            all["captions"].push_back(texts_.place(caption));
    all["formulas"] = formulas(each);
    all["rows"] = rows(each, w);
    for (const scene::MemoryAccess& access : each.accesses) all["memory"].push_back(memory(access, each.lanes, w));
    return all;
}

json StepFacts::formulas(const scene::Part& part) {
    json all = json::array();
    for (int lane = 0; lane < part.lanes; ++lane) {
        const scene::LaneFormula formula = scene::lane_formula(steps_, part.step, part.warp, lane);
        if (formula.head.empty()) all.push_back(0);
        else all.push_back(folded(formula.head + "\n" + formula.bits + "\n" + formula.arithmetic, templates_));
    }
    return all;
}

// A row of the page has one role: what is missing in some lanes only is in a row of its own.
json StepFacts::rows(const scene::Part& part, std::size_t w) {
    json all = json::array();
    for (const scene::WarpRow& warp_row : scene::warp_rows(steps_, part.step, part.warp)) {
        std::vector<scene::ValueRow::Role> roles;
        for (const auto& mine : warp_row.lanes)
            if (mine && std::find(roles.begin(), roles.end(), mine->role) == roles.end()) roles.push_back(mine->role);
        for (const auto role : roles) {
            json values = json::array(), words = json::array();
            bool has_words = false;
            for (const auto& mine : warp_row.lanes) {
                const bool has = mine && mine->role == role;
                if (!has) values.push_back(-1);
                else if (mine->is_value) values.push_back(value(w, mine->type, mine->bits));
                else values.push_back(values_.place(mine->text));
                const bool has_word = has && !mine->word.empty();
                has_words |= has_word;
                if (has_word) words.push_back(folded(mine->word, templates_));
                else words.push_back(0);
            }
            json row = {{"label", warp_row.label}, {"role", role_name(role)}, {"values", std::move(values)}};
            if (has_words) row["word"] = std::move(words);
            all.push_back(std::move(row));
        }
    }
    return all;
}

json StepFacts::memory(const scene::MemoryAccess& access, int lanes, std::size_t w) {
    json index = json::array(), values = json::array();
    for (int lane = 0; lane < lanes; ++lane) {
        const bool active = access.lanes >> lane & 1u;
        index.push_back(active ? access.index[lane_index(lane)] : -1);
        for (int e = 0; e < access.elements; ++e)
            values.push_back(active ? value(w, access.type, access.value(lane, e)) : -1);
    }
    return {{"op", access.op},
            {"shared", access.space == Space::shared},
            {"array", access.array},
            {"lanes", access.lanes},
            {"elements", access.elements},
            {"index", std::move(index)},
            {"values", std::move(values)}};
}

json StepFacts::image(const scene::BarrierImage& image, std::size_t w) {
    json values = json::array();
    const std::size_t shown_words = std::min(image.bits.size(), kMostImageWords);
    for (std::size_t i = 0; i < shown_words; ++i)
        values.push_back(image.known[i] ? value(w, image.type, image.bits[i]) : -1);
    return {{"w", w}, {"array", image.array}, {"shared", image.space == Space::shared}, {"first", image.first},
            {"more", image.bits.size() - shown_words}, {"values", std::move(values)}};
}

}  // namespace lanewise::page
