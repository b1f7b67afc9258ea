// The facts of a page. Every word and number in it comes from here: the page's script only places them.
//
//   lesson, title          of the lesson
//   viridis                [[red, green, blue]]: colours of values, evenly from the least to the largest
//   open                   {step, block, warp, lane}: where the page opens; block and warp -1: the first
//   places                 for each place of the timeline the step of each run, -1 where it has none
//   runs[]                 variant, title, summary, wrong, origin, accesses, notice, limit, facts (n, block, input, date),
//                          kernelFile, code [[kind, text, …] a line], result, right, results, mistakes, findings, busy, lanes,
//     types                [[name, exponent bits, fraction bits]]; 0, 0 for integers
//     values               [[text, hex, type, forms for narrow cells…] or [text]]
//     templates, words     strings pointed into
//     warps                [{name, launch, block, warp, lanes, threads, places: [value, 0…1000, …] (for its colour)}]
//     start                {hold, inputs, warned} for each warp, before the first step
//     steps                [{label, stage, kind, line, findings, work: [[at work, adding] a block], parts[], now: [{w, hold,
//                          inputs, warned}], images}]
//   part                   of one warp: w, active, op, source, keep, offers, undefined, says, waiting, words, formulas [folded a
//                          lane: head, bits and arithmetic on three lines, or 0], rows [{label, role, word: [folded a lane],
//                          values}], memory [{op, shared, array, lanes, elements, index, values}]
//   hold                   value of each lane, -1 where it is not known; inputs: place in words of each lane; warned: lanes that
//                          hold an input twice, or something undefined
#include <algorithm>
#include <bit>

#include "common/base/element.hpp"
#include "common/page/document.hpp"
#include "common/page/tables.hpp"
#include "common/shown/code_lines.hpp"
#include "common/shown/lane_facts.hpp"
#include "common/shown/outcome.hpp"
#include "common/shown/requests.hpp"
#include "common/shown/value_scale.hpp"
#include "common/shown/viridis.hpp"
#include "common/shown/warps.hpp"
#include "common/shown/work.hpp"
#include "common/steps/align.hpp"

namespace lanewise::page {
namespace {

using nlohmann::json;
using steps::StepKind;
using steps::WarpRef;
using steps::WarpStep;

constexpr int kColors = 16;   // samples of viridis, less one
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

const char* role_name(shown::ValueRow::Role role) {
    static constexpr const char* kNames[] = {"plain", "source", "result", "quiet", "warning"};
    return kNames[static_cast<std::size_t>(role)];
}

std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

// One run's facts, of its first `count` steps.
class RunFacts {
public:
    RunFacts(const Panel& panel, std::size_t count)
        : panel_(panel), run_(*panel.run), steps_(panel.run->steps), trace_(panel.run->trace), count_(count) {
        findings_ = shown::findings_of_steps(steps_);
        used_.resize(steps_.warps.size());
    }

    json made() {
        json all = head();
        json start = json::array(), all_steps = json::array();
        for (std::size_t w = 0; w < steps_.warps.size(); ++w) start.push_back(holding(steps::kNoStep, w));
        for (std::size_t k = 0; k < count_; ++k) all_steps.push_back(step(k));
        all["start"] = std::move(start);
        all["steps"] = std::move(all_steps);
        all["warps"] = warps();   // after the steps: they say which values have a colour
        all["values"] = values_.all();
        all["templates"] = templates_.all();
        all["words"] = words_.all();
        return all;
    }

private:
    json head() {
        const auto& header = trace_.header;
        json all;
        all["variant"] = header.variant;
        all["title"] = panel_.title.empty() ? header.variant : panel_.title;
        all["summary"] = panel_.summary;
        all["wrong"] = panel_.declared_wrong;
        all["origin"] = run_.origin;
        all["accesses"] = shown::accesses_origin(trace_);
        all["notice"] = run_.notice;
        all["limit"] = count_ == steps_.size() ? ""
            : "This page holds the first " + std::to_string(count_) + " of " + std::to_string(steps_.size()) +
              " steps: all of them would be too much for a browser. Lanewise shows them all, also from a saved trace "
              "(--save-trace, --open).";
        all["facts"] = {{"n", header.n}, {"block", header.block}, {"input", header.input}, {"seed", header.seed}, {"date", header.date}};
        all["kernelFile"] = run_.kernel_file;
        all["code"] = code();
        all["result"] = shown::result_words(run_);
        all["results"] = results();
        const std::string mistakes = shown::mistakes_found(trace_, findings_);
        all["right"] = shown::came_out_right(run_) && mistakes.empty();
        all["mistakes"] = mistakes;
        all["findings"] = json::array();
        for (const auto& finding : trace_.findings)
            all["findings"].push_back({{"words", shown::finding_words(finding)}, {"block", finding.block}, {"warp", finding.warp}, {"lanes", finding.lanes}});
        all["lanes"] = shown::warp_size(steps_);
        all["total"] = steps_.size();
        all["types"] = types();
        return all;
    }

    json results() const {
        json all = json::array();
        for (const auto& result : run_.results)
            all.push_back({{"output", result.output}, {"summed", result.summed}, {"count", result.count}, {"value", number(result.value)},
                           {"reference", number(result.reference)}, {"error", number(result.error)}, {"bound", number(result.bound)},
                           {"ok", result.ok}, {"reason", result.reason}});
        return all;
    }

    static std::string number(double value) { return format_element(Element::f64, to_bits(value)); }

    json code() const {
        static constexpr const char* kKinds[] = {"", "k", "i", "l", "c"};   // plain, keyword, intrinsic, literal, comment
        json lines = json::array();
        for (const shown::CodeLine& line : shown::read_code(run_.source)) {
            json tokens = json::array();
            for (const shown::Token& token : line.tokens) {
                tokens.push_back(kKinds[static_cast<std::size_t>(token.kind)]);
                tokens.push_back(line.text.substr(token.begin, token.size));
            }
            lines.push_back(std::move(tokens));
        }
        return lines;
    }

    static json types() {
        json all = json::array();
        for (int i = 0; i < kElementCount; ++i) {
            const auto type = static_cast<Element>(i);
            const FloatLayout layout = is_float(type) ? float_layout(type) : FloatLayout{};
            all.push_back({element_name(type), layout.exponent_bits, layout.fraction_bits});
        }
        return all;
    }

    json warps() const {
        json all = json::array();
        for (std::size_t w = 0; w < steps_.warps.size(); ++w) {
            const WarpRef& ref = steps_.warps[w];
            shown::ValueScale scale;
            for (const auto& row : steps_.holdings)
                if (w < row.size()) scale.add(row[w]);
            scale.finish();
            json places = json::array();
            for (const auto& [value, at] : used_[w]) {
                places.push_back(value);
                places.push_back(static_cast<int>(1000 * scale.place(element_to_double(at.first, at.second)) + 0.5));
            }
            const shown::Work work = shown::work_of(steps_, ref);
            all.push_back({{"name", shown::warp_name(steps_, ref)}, {"launch", ref.launch}, {"block", ref.block}, {"warp", ref.warp},
                           {"lanes", shown::lanes_of(steps_, ref)}, {"threads", work.threads}, {"place", shown::block_place(steps_, ref)},
                           {"busy", work.adds() ? shown::busy_words(work) : ""}, {"places", std::move(places)}});
        }
        return all;
    }

    int value(std::size_t w, Element type, std::uint64_t bits) {
        const int place = values_.place(type, bits);
        used_[w].try_emplace(place, type, bits);
        return place;
    }

    json holding(std::size_t k, std::size_t w) {
        const WarpRef& ref = steps_.warps[w];
        const steps::Holding& held = steps_.holding(k, ref);
        json hold = json::array(), inputs = json::array();
        std::uint32_t warned = 0;
        for (int lane = 0; lane < shown::lanes_of(steps_, ref); ++lane) {
            const bool known = (held.known >> lane) & 1u;
            hold.push_back(known ? value(w, held.type, held.bits[lane_index(lane)]) : -1);
            if (steps_.input_count == 0) continue;
            const steps::Provenance inside = steps_.provenances[held.inputs[lane_index(lane)]];
            inputs.push_back(words_.place(shown::inputs_words(inside, steps_.input_count)));
            if (inside.counted_twice() || inside.undefined) warned |= 1u << lane;
        }
        json all = {{"hold", std::move(hold)}, {"inputs", std::move(inputs)}};
        if (warned) all["warned"] = warned;
        return all;
    }

    json step(std::size_t k) {
        const steps::Step& from = steps_.steps[k];
        json all = {{"label", from.label}, {"stage", from.stage}, {"kind", kind_name(from.kind)}, {"line", from.line}};
        if (!findings_[k].empty()) all["findings"] = findings_[k];
        json work = json::array();
        for (const auto& counters : from.counters) work.push_back({counters.lanes_at_work, counters.lanes_adding});
        all["work"] = std::move(work);
        json parts = json::array(), now = json::array(), images = json::array();
        for (const WarpStep& each : from.warps) {
            const auto w = static_cast<std::size_t>(std::find(steps_.warps.begin(), steps_.warps.end(), each.warp) - steps_.warps.begin());
            if (w == steps_.warps.size() || each.records.empty()) continue;
            parts.push_back(part(k, each, w));
            for (const std::size_t number : each.records)
                for (const auto& held : trace_.records[number].shared) images.push_back(image(held, w));
        }
        for (std::size_t w = 0; w < steps_.warps.size(); ++w) {
            json here = holding(k, w);
            if (here == holding(k == 0 ? steps::kNoStep : k - 1, w)) continue;
            here["w"] = w;
            now.push_back(std::move(here));
        }
        all["parts"] = std::move(parts);
        if (!now.empty()) all["now"] = std::move(now);
        if (!images.empty()) all["images"] = std::move(images);
        return all;
    }

    json part(std::size_t k, const WarpStep& each, std::size_t w) {
        const StepKind kind = steps_.steps[k].kind;
        const trace::Record& first = trace_.records[each.records.front()];
        const std::uint32_t active = shown::active_lanes(steps_, &each);
        const int lanes = shown::lanes_of(steps_, each.warp);
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
        // What lanes offered: between two records a kernel may change a value without telling, and this is then what is known.
        const bool compares = kind == StepKind::vote && !trace::is_predicate_vote(first.op);
        if (kind == StepKind::shuffle || kind == StepKind::reduce || compares) {
            json offers = json::array();
            for (int lane = 0; lane < lanes; ++lane)
                offers.push_back((active >> lane & 1u) ? value(w, first.type, compares ? first.before[lane_index(lane)] : each.lanes[lane_index(lane)].before) : -1);
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
        if (kind == StepKind::fence) all["words"] = json::array({words_.place(shown::fence_words(first.arg[lane_index(std::countr_zero(active) % trace::kWarpSize)]))});
        const auto requests = shown::requests_of(steps_, k, each.warp);
        for (const auto space : {trace::Space::shared, trace::Space::global})
            for (const std::string& caption : shown::request_captions(steps_, requests, space)) all["words"].push_back(words_.place(caption));
        all["formulas"] = formulas(k, each.warp, lanes);
        all["rows"] = rows(k, each.warp, w, lanes);
        for (const std::size_t number : each.records)
            if (shown::touches_memory(trace_.records[number]) && trace_.records[number].array < trace_.arrays.size())
                all["memory"].push_back(memory(trace_.records[number], w));
        return all;
    }

    // Threads of the warp's block that came to the barrier.
    int waiting(std::size_t k, const WarpRef& warp) const {
        int count = 0;
        for (const WarpStep& each : steps_.steps[k].warps)
            if (each.warp.block == warp.block && each.warp.launch == warp.launch) count += std::popcount(shown::active_lanes(steps_, &each));
        return count;
    }

    json formulas(std::size_t k, const WarpRef& warp, int lanes) {
        json all = json::array();
        for (int lane = 0; lane < lanes; ++lane) {
            const steps::Formula parts = steps::formula_parts(steps_, k, warp, lane);
            if (parts.who.empty()) {
                all.push_back(0);
                continue;
            }
            const std::string head = parts.rule.empty() ? parts.who : parts.who + (parts.is_equation ? " = " : ": ") + parts.rule;
            all.push_back(folded(head + "\n" + parts.bits + "\n" + parts.arithmetic, templates_));
        }
        return all;
    }

    // The lanes' rows, one above the other: the i-th row of a lane that has the label and role of the others' i-th row.
    json rows(std::size_t k, const WarpRef& warp, std::size_t w, int lanes) {
        std::vector<std::vector<shown::ValueRow>> of_lanes;
        std::size_t most = 0;
        for (int lane = 0; lane < lanes; ++lane) {
            of_lanes.push_back(shown::value_rows(steps_, k, warp, lane));
            most = std::max(most, of_lanes.back().size());
        }
        json all = json::array();
        for (std::size_t i = 0; i < most; ++i) {
            std::vector<std::pair<std::string, shown::ValueRow::Role>> kinds;
            for (const auto& mine : of_lanes)
                if (i < mine.size() && std::find(kinds.begin(), kinds.end(), std::pair(mine[i].label, mine[i].role)) == kinds.end())
                    kinds.emplace_back(mine[i].label, mine[i].role);
            for (const auto& [label, role] : kinds) {
                json values = json::array(), words = json::array();
                bool has_words = false;
                for (const auto& mine : of_lanes) {
                    const bool has = i < mine.size() && mine[i].label == label && mine[i].role == role;
                    if (!has) values.push_back(-1);
                    else if (mine[i].is_value) values.push_back(value(w, mine[i].type, mine[i].bits));
                    else values.push_back(values_.place(mine[i].text));
                    const bool has_word = has && !mine[i].word.empty();
                    has_words |= has_word;
                    if (has_word) words.push_back(folded(mine[i].word, templates_));
                    else words.push_back(0);
                }
                json row = {{"label", label}, {"role", role_name(role)}, {"values", std::move(values)}};
                if (has_words) row["word"] = std::move(words);
                all.push_back(std::move(row));
            }
        }
        return all;
    }

    json memory(const trace::Record& record, std::size_t w) {
        const trace::Array& array = trace_.arrays[record.array];
        const int elements = trace::is_atomic(record.op) ? 1 : record.elements;
        json index = json::array(), values = json::array();
        for (int lane = 0; lane < shown::lanes_of(steps_, steps_.warps[w]); ++lane) {
            const bool active = record.active >> lane & 1u;
            index.push_back(active ? record.element_index[lane_index(lane)] : -1);
            for (int e = 0; e < elements; ++e)
                values.push_back(active ? value(w, array.element, trace::element_at(record.value[lane_index(lane)], array.element, e)) : -1);
        }
        return {{"op", trace::op_name(record.op)}, {"shared", array.space == trace::Space::shared}, {"array", array.name},
                {"lanes", record.active}, {"elements", elements}, {"index", std::move(index)}, {"values", std::move(values)}};
    }

    json image(const trace::ArrayImage& held, std::size_t w) {
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

    const Panel& panel_;
    const lesson::Run& run_;
    const steps::Steps& steps_;
    const trace::Trace& trace_;
    std::size_t count_;
    shown::StepFindings findings_;
    Values values_;
    Strings templates_, words_;
    std::vector<std::map<int, std::pair<Element, std::uint64_t>>> used_;   // by warp: values with a colour
};

// How many of its steps a page keeps; at least one where there is one.
std::size_t steps_kept(const steps::Steps& steps, std::size_t most) {
    const std::size_t lanes = static_cast<std::size_t>(shown::warp_size(steps));
    std::size_t kept = 0, used = 0;
    while (kept < steps.size()) {
        used += lanes * (steps.steps[kept].warps.size() + 1);
        if (used > most && kept > 0) break;
        ++kept;
    }
    return kept;
}

std::vector<steps::AlignedPlace> places_of(const std::vector<const steps::Steps*>& runs) {
    if (runs.size() != 1) return steps::align_all(runs);
    std::vector<steps::AlignedPlace> places;
    for (std::size_t k = 0; k < runs.front()->size(); ++k) places.push_back({k});
    return places;
}

}  // namespace

std::string page_json(const Document& document, std::size_t most) {
    json all = {{"lesson", document.lesson}, {"title", document.lesson_title}};
    std::vector<const steps::Steps*> sequences;
    std::vector<std::size_t> kept;
    for (const Panel& panel : document.panels) {
        sequences.push_back(&panel.run->steps);
        kept.push_back(steps_kept(panel.run->steps, most / std::max<std::size_t>(document.panels.size(), 1)));
        all["runs"].push_back(RunFacts(panel, kept.back()).made());
    }
    // Places stop where the first run does that was kept in part.
    json places = json::array();
    for (const steps::AlignedPlace& place : places_of(sequences)) {
        json row = json::array();
        bool cut = false;
        for (std::size_t r = 0; r < place.size(); ++r) {
            cut |= place[r] != steps::kNoStep && place[r] >= kept[r];
            row.push_back(place[r] == steps::kNoStep ? -1 : static_cast<int>(place[r]));
        }
        if (cut) break;
        places.push_back(std::move(row));
    }
    for (int i = 0; i <= kColors; ++i) all["viridis"].push_back(shown::viridis(static_cast<double>(i) / kColors));
    all["places"] = std::move(places);
    all["open"] = {{"step", document.step}, {"block", document.block}, {"warp", document.warp}, {"lane", document.lane}};
    // Kernel files and names may hold bytes that are no UTF-8.
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace lanewise::page
