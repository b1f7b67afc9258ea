#include "common/lesson/lesson.hpp"
#include "lessons/11_votes/case.hpp"

namespace {

using namespace votes;
using lanewise::lesson::Variant;

Variant count(const char* name, const char* title, const char* summary, const char* compared_with) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = 64,
            .plan = [name](Plan& plan, const Inputs& inputs) { plan_count(plan, inputs, name); },
            .controls = {{"predicate", ""}},
            .compared_with = compared_with};
}

// One of the kernels that are wrong on purpose.
Variant wrong(Variant variant, const char* why) {
    variant.declared_wrong = why;
    return variant;
}

Variant by_key(const char* name, const char* title, const char* summary, const char* compared_with) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .plan = [name](Plan& plan, const Inputs& inputs) { plan_by_key(plan, inputs, name); },
            .controls = {{"key", ""}},
            .compared_with = compared_with};
}

Variant tile(std::uint32_t lanes) {
    const std::string size = std::to_string(lanes);
    return {.name = "tile_votes_" + size,
            .title = "votes in tiles of " + size,
            .summary = "any, all and ballot of each " + size + " lanes, by cooperative groups",
            .plan = [lanes](Plan& plan, const Inputs& inputs) { plan_votes(plan, inputs, "tile_votes", lanes); },
            .controls = {{"predicate", ""}},
            .compared_with = "votes",
            .tab = lanes == 8};
}

Variant tile_sums(std::uint32_t lanes) {
    const std::string size = std::to_string(lanes);
    return {.name = "tile_sums_" + size,
            .title = "sums in tiles of " + size,
            .summary = "the sum of each " + size + " lanes, by cooperative_groups::reduce",
            .plan = [lanes](Plan& plan, const Inputs& inputs) { plan_sums(plan, inputs, "tile_sums", lanes); },
            .controls = {{"key", ""}},
            .compared_with = "reduction",
            .tab = lanes == 8};
}

}  // namespace

LESSON(votes) {
    lesson.title("Votes");
    lesson.control(lanewise::lesson::per_lane_control(
        "predicate", "lane % 2", "What each lane votes: yes where it is not 0, such as 'lane < 5'"));
    lesson.control(lanewise::lesson::per_lane_control("key", "lane % 4", "What is compared or added, for each lane"));
    lesson.control(lanewise::lesson::lane_mask("mask", "0xffffffff", "The lanes that take part"));

    lesson.add({.name = "votes",
                .title = "votes",
                .summary = "any, all and ballot of one predicate",
                .plan = [](Plan& plan, const Inputs& inputs) { plan_votes(plan, inputs, "votes", kLanes); },
                .controls = {{"predicate", ""}, {"mask", ""}}});
    lesson.add({.name = "matches",
                .title = "matches",
                .summary = "which lanes hold an equal key; whether all do",
                .plan = plan_matches,
                .controls = {{"key", ""}, {"mask", ""}}});
    lesson.add({.name = "reduction",
                .title = "reduce",
                .summary = "the sum of the keys in one instruction",
                .plan = [](Plan& plan, const Inputs& inputs) { plan_sums(plan, inputs, "reduction", kLanes); },
                .controls = {{"key", ""}, {"mask", ""}}});
    lesson.add({.name = "ranks",
                .title = "ranks",
                .summary = "count, rank and leader of those that vote yes, from one ballot",
                .plan = plan_ranks,
                .controls = {{"predicate", ""}},
                .compared_with = "votes"});
    lesson.add({.name = "compact",
                .title = "compact",
                .summary = "values kept side by side: a lane's place is its rank",
                .plan = plan_compact,
                .controls = {{"predicate", "lane % 3 == 1"}},
                .compared_with = "ranks"});
    lesson.add({.name = "prefix_sum_of_bits",
                .title = "prefix sum",
                .summary = "the sum of small numbers up to each lane, from four ballots",
                .plan = plan_prefix,
                .controls = {{"key", "lane % 16"}},
                .compared_with = "ranks"});
    lesson.add(count("count_each", "an atomic a lane", "every lane that votes yes adds 1", ""));
    lesson.add(count("count_aggregated", "an atomic a warp", "the first lane of a ballot adds for all", "count_each"));
    lesson.add(
        wrong(count("count_by_lane_zero", "lane 0 adds", "lane 0 is to add for all, and votes no", "count_aggregated"),
              "lane 0 is taken for the leader, and it is not in the branch"));
    lesson.add(
        wrong(count("count_full_mask", "full mask", "a ballot of all lanes where only some are", "count_aggregated"),
              "the mask names lanes that do not come to the ballot"));
    lesson.add(wrong(count("count_by_active_mask", "active mask", "the active mask taken for everyone in the branch",
                           "count_aggregated"),
                     "lanes of one branch find two active masks, and each has a leader"));
    lesson.add(by_key("sums_by_key_each", "by key, an atomic a lane", "each lane adds its value to its key's sum", ""));
    lesson.add(by_key("sums_by_key", "by key", "lanes with one key add first: an atomic a key", "sums_by_key_each"));
    lesson.add(tile(8)).add(tile(16)).add(tile(32));
    lesson.add(tile_sums(8)).add(tile_sums(16)).add(tile_sums(32));
}
