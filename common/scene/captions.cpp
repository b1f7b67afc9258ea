// What a step in which lanes wait for each other, or are asked, is said to do: one wording for every front end.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "common/scene/part.hpp"

namespace lanewise::scene {
namespace {

const LaneFacts* first_active(const Part& part) {
    const auto at =
        std::find_if(part.facts.begin(), part.facts.end(), [](const LaneFacts& facts) { return facts.active; });
    return at == part.facts.end() ? nullptr : &*at;
}

// "37", or as a mask with its bits in hex.
std::string answer_of(const LaneFacts& facts) {
    return format_element(facts.answer_type, facts.answer) + " (0x" + format_bits(facts.answer_type, facts.answer) +
           ")";
}

std::string barrier_caption(const Part& part) {
    std::string text = part.kind == StepKind::block_barrier ? "all threads of the block wait here for each other"
                                                             : "the lanes of the mask wait here for each other";
    if (part.kind == StepKind::block_barrier && part.waiting < part.threads) {
        text = fmt::format("{} of {} threads wait here; the others are elsewhere or have ended", part.waiting,
                            part.threads);
    }
    const LaneFacts* first = first_active(part);
    if (!part.says || !first || !first->has_answer) return text;
    const std::string answer = format_element(first->answer_type, first->answer);
    const char* asked = part.op == "sync_block_count" ? ", and count who says yes: every thread receives "
                        : part.op == "sync_block_and" ? ", and ask whether all say yes: every thread receives "
                                                      : ", and ask whether any says yes: every thread receives ";
    return text + asked + answer;
}

std::string match_caption(const Part& part, int lane) {
    const LaneFacts* first = first_active(part);
    const int groups = 1 + *std::max_element(part.groups.begin(), part.groups.end());
    if (part.op == "vote_match_all" && first && first->has_answer) {
        return first->answer ? "all hold the same value: every lane receives " + answer_of(*first)
                             : fmt::format("{} different values: not all the same, every lane receives 0", groups);
    }
    const int lit = lane >= 0 ? part.groups[static_cast<std::size_t>(lane)] : -1;
    if (lit >= 0)
        return fmt::format("letter {}: lane {} receives {}", group_name(lit), lane,
                           answer_of(part.facts[static_cast<std::size_t>(lane)]));
    return fmt::format("{}: one letter each; a lane receives the mask of its own letter's lanes",
                       groups == 1 ? "one value" : fmt::format("{} different values", groups));
}

}  // namespace

std::string group_name(int group) {
    std::string name(1, static_cast<char>('A' + group % 26));
    return group < 26 ? name : name + "'";
}

std::string caption_of(const Part& part, int lane) {
    if (!part.takes_part) return "this warp has no part in this step";
    const LaneFacts* first = first_active(part);
    const bool answered = first && first->has_answer;
    switch (part.kind) {
        case StepKind::warp_barrier:
        case StepKind::block_barrier: return barrier_caption(part);
        case StepKind::vote:
            if (part.compares) return match_caption(part, lane);
            return std::string("filled: the lane says yes") +
                   (answered ? "; every lane receives " + answer_of(*first) : std::string());
        case StepKind::active_mask:
            return "filled: the lanes that were here together" +
                   (answered ? ", as " + answer_of(*first) : std::string()) + "; one legal answer of several";
        case StepKind::fence:
            return "each lane's own writes before it are seen before its writes after it; it waits for no other thread";
        case StepKind::reduce: {
            std::string text = fmt::format("{} of {} lanes", part.op.substr(std::string_view("reduce_").size()),
                                            std::popcount(part.active));
            if (first && first->view.has_received) text += " = " + format_element(first->type, first->view.received);
            return text;
        }
        default: return "";
    }
}

std::string caption_goes_on(const Part& part) {
    return part.takes_part && part.kind == StepKind::reduce ? ", and every lane receives it" : "";
}

}  // namespace lanewise::scene
