// Of a non-maximum suppression: what the page draws of boxes and bits (page_data.cpp says how a page is made).
#include <algorithm>

#include "common/page/run_facts.hpp"
#include "common/scene/boxes/suppression.hpp"
#include "common/scene/outline.hpp"

namespace lanewise::page {
namespace {

using nlohmann::json;

int step_number(std::size_t step) { return step == kNoStep ? -1 : static_cast<int>(step); }

// Without what became of it: the script adds that.
std::string text_of(const scene::Suppression& all, std::size_t box) {
    const std::string text = scene::box_text(all, box, kNoStep - 1);
    return text.substr(0, text.rfind(" · "));
}

json list(const scene::Suppression& all, const std::vector<WarpRef>& warps) {
    json boxes = json::array();
    for (std::size_t row = 0; row < all.boxes.size(); ++row) {
        const scene::RankedBox& box = all.boxes[row];
        const std::size_t by = all.suppressor(row);
        const auto worker = std::find(warps.begin(), warps.end(), box.worker);
        json each = {{"name", box.name},
                     {"text", text_of(all, row)},
                     {"placed", step_number(box.placed)},
                     {"turn", step_number(box.turn)},
                     {"read", step_number(box.read)},
                     {"crossed", step_number(box.crossed)},
                     {"stored", step_number(box.stored)},
                     {"livesAtTurn", box.lives_at_turn},
                     {"lives", box.lives},
                     {"by", by < all.boxes.size() ? static_cast<int>(by) : -1},
                     {"worker", worker == warps.end() ? -1 : static_cast<int>(worker - warps.begin())}};
        if (box.has_corners) each["corners"] = {box.x1, box.y1, box.x2, box.y2};
        boxes.push_back(std::move(each));
    }
    return boxes;
}

}  // namespace

json boxes_facts(const run::Run& run, const std::vector<WarpRef>& warps, std::size_t count) {
    const scene::Suppression all = scene::suppression_of(scene::steps_of(run));
    if (all.empty()) return nullptr;
    json facts = {{"note", all.note}, {"racing", all.racing}, {"list", list(all, warps)}};
    json made = json::array(), set = json::array();
    for (std::size_t row = 0; row < all.boxes.size(); ++row) {
        json runs = json::array(), columns = json::array();
        for (std::size_t column = row + 1; column < all.boxes.size(); ++column) {
            const scene::PairBit& bit = all.pair(row, column);
            const int step = step_number(bit.made);
            if (!runs.empty() && runs.back()[0] == step) runs.back()[1] = runs.back()[1].get<int>() + 1;
            else runs.push_back({step, 1});
            if (bit.set) columns.push_back(column);
        }
        made.push_back(std::move(runs));
        set.push_back(std::move(columns));
    }
    facts["made"] = std::move(made);
    facts["set"] = std::move(set);
    facts["captions"] = facts["counts"] = facts["questions"] = json::array();
    for (std::size_t k = 0; k < count; ++k) {
        if (std::string caption = scene::suppression_caption(all, k); !caption.empty())
            facts["captions"].push_back({k, std::move(caption)});
        const std::string counts = scene::suppression_counts(all, k);
        if (facts["counts"].empty() || facts["counts"].back()[1] != counts) facts["counts"].push_back({k, counts});
    }
    for (const scene::ChainQuestion& question : all.questions)
        if (question.answered < count)
            facts["questions"].push_back({{"c", question.c},
                                          {"lives", question.lives},
                                          {"asked", question.asked},
                                          {"answered", question.answered},
                                          {"text", question.text},
                                          {"answer", question.answer}});
    return facts;
}

}  // namespace lanewise::page
