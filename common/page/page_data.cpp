// The facts of a page. Every text and number in it comes from here: the page's script only places them.
//
//   lesson, title          of the lesson
//   viridis                [[red, green, blue]]: colours of values, evenly from the least to the largest
//   open                   {step, block, warp, lane}: where the page opens; block and warp -1: the first
//   places                 for each place of the timeline the step of each run, -1 where it has none
//   names                  for each place what is done there, "round 3", and what a run without a step there lacks
//   others                 further runs of the lesson, each with all of these; text, glossary: in Markdown
//   comparison             what several runs come to, a paragraph each
//   runs[]                 variant, title, summary, wrong, origin, accesses, note, notice, limit,
//                          facts (n, block, input, date), kernelFile, code [[kind, text, …] a line], result, right,
//                          absorbed, results, mistakes, findings, utilization, lanes,
//     types                [[name, exponent bits, fraction bits]]; 0, 0 for integers
//     values               [[text, hex, type, forms for narrow cells…] or [text]]
//     templates, texts     strings pointed into
//     warps                [{name, launch, block, warp, lanes, threads, places: [value, 0…1000, …] (for its colour)}]
//     start                {hold, inputs, warned} for each warp, before the first step
//     steps                [{label, stage, kind, line, findings, work: [[active, adding, 1: more may] a block],
//                          parts[], now: [{w, hold, inputs, warned}], images}]
//     boxes                of a non-maximum suppression alone: list [{name, text, corners, steps of what happened to
//                          it, by, worker}] in order of score; made [[step, pairs] a row], set [columns a row];
//                          captions, counts [[step, text]]; questions [{c, lives, asked, answered, text, answer}]
//   part                   of one warp: w, active, op, source, keep, offers, undefined, says, caption, captions,
//                          formulas [folded a lane: head, bits and arithmetic on three lines, or 0],
//                          rows [{label, role, word: [folded a lane], values}],
//                          memory [{op, shared, array, lanes, elements, index, values}]
//   hold                   value of each lane, -1 where it is not known; inputs: place in texts of each lane;
//                          warned: lanes that hold an input twice, or something undefined
#include <algorithm>

#include "common/page/document.hpp"
#include "common/page/run_facts.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/compare/side_by_side.hpp"
#include "common/scene/viridis.hpp"
#include "common/scene/warps.hpp"

namespace lanewise::page {
namespace {

using nlohmann::json;

constexpr int kColors = 16;   // samples of viridis, less one

// Of all its steps.
std::size_t lane_steps(const steps::Steps& steps) {
    std::size_t used = 0;
    for (std::size_t k = 0; k < scene::step_count(steps); ++k)
        used += static_cast<std::size_t>(scene::warp_size(steps)) * (scene::warps_in(steps, k).size() + 1);
    return used;
}

// What each of several documents may hold: short ones whole, and what they leave goes to the long ones in equal parts.
std::vector<std::size_t> shares(const std::vector<Document>& documents, std::size_t room) {
    std::vector<std::size_t> wanted, order;
    for (const Document& document : documents) {
        order.push_back(wanted.size());
        wanted.push_back(0);
        for (const Panel& panel : document.panels) wanted.back() += lane_steps(scene::steps_of(*panel.run));
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::size_t& share = wanted[order[i]];
        share = std::max<std::size_t>(std::min(share, room / (order.size() - i)), 1);
        room -= std::min(room, share);
    }
    return wanted;
}

// How many of its steps a page keeps; at least one where there is one.
std::size_t steps_kept(const steps::Steps& steps, std::size_t most) {
    const std::size_t lanes = static_cast<std::size_t>(scene::warp_size(steps));
    std::size_t kept = 0, used = 0;
    while (kept < scene::step_count(steps)) {
        used += lanes * (scene::warps_in(steps, kept).size() + 1);
        if (used > most && kept > 0) break;
        ++kept;
    }
    return kept;
}

}  // namespace

std::string page_json(const Document& document, std::size_t most) {
    json all = {{"lesson", document.lesson}, {"title", document.lesson_title}};
    std::vector<const run::Run*> runs;
    std::vector<std::size_t> kept;
    for (const Panel& panel : document.panels) {
        runs.push_back(panel.run);
        kept.push_back(
            steps_kept(scene::steps_of(*panel.run), most / std::max<std::size_t>(document.panels.size(), 1)));
        all["runs"].push_back(run_facts(panel, kept.back()));
    }
    // Places stop where the first run does that was kept in part.
    json places = json::array(), names = json::array();
    scene::SideBySide sides;
    sides.align(runs);
    for (std::size_t at = 0; at < sides.size(); ++at) {
        json row = json::array();
        bool cut = false;
        for (std::size_t r = 0; r < runs.size(); ++r) {
            const bool own = sides.has_own_step(r, at);
            const std::size_t step = own ? sides.step_of(r, at) : 0;
            cut |= own && step >= kept[r];
            row.push_back(own ? static_cast<int>(step) : -1);
        }
        if (cut) break;
        places.push_back(std::move(row));
        names.push_back({sides.name(at), sides.missing(at)});
    }
    for (int i = 0; i <= kColors; ++i) all["viridis"].push_back(scene::viridis(static_cast<double>(i) / kColors));
    all["places"] = std::move(places);
    all["names"] = std::move(names);
    all["comparison"] = document.comparison;
    all["open"] = {
        {"step", document.step}, {"block", document.block}, {"warp", document.warp}, {"lane", document.lane}};
    // Further runs share the room of two; a browser makes ready the one that is shown.
    const std::vector<std::size_t> rooms = shares(document.others, 2 * most);
    for (std::size_t i = 0; i < document.others.size(); ++i)
        all["others"].push_back(json::parse(page_json(document.others[i], std::min(rooms[i], most))));
    if (!document.text.empty()) all["text"] = document.text;
    if (!document.glossary.empty()) all["glossary"] = document.glossary;
    // Kernel files and names may hold bytes that are no UTF-8.
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace lanewise::page
