#include "common/player/text_links.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace lanewise::player {

using run::View;

namespace {

TEST(Links, SeveralPartsAreOneLink) {
    const Link link = parse_link("variant:warp_sum_down,step:2,lane:31,view:rounding");
    EXPECT_EQ(link.variant, "warp_sum_down");
    EXPECT_EQ(link.step, 1u);
    EXPECT_EQ(link.lane, 31);
    EXPECT_EQ(link.view, View::rounding);
    EXPECT_EQ(parse_link("compare:a+b+c").compare, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(parse_link("lesson:06_grid_stride").lesson, "06_grid_stride");
    EXPECT_FALSE(parse_link("variant:a").step.has_value());
    EXPECT_EQ(parse_link("variant:a,set:arg=lane%20^%205,set:values=1;2").changes,
              (run::RunChanges{{"arg", "lane ^ 5"}, {"values", "1,2"}}));
    EXPECT_EQ(parse_link("../GLOSSARY.md#bank-conflict").term, "bank-conflict");
    EXPECT_TRUE(parse_link("../GLOSSARY.md#bank-conflict").variant.empty());
}

TEST(Links, WhatIsNoLinkIsNamed) {
    for (const auto& [target, part] :
         std::vector<std::pair<std::string, std::string>>{{"step:0", "step:0"},
                                                          {"step:two", "step:two"},
                                                          {"lane:32", "lane:32"},
                                                          {"set:n", "set:n"},
                                                          {"variant:a,view:sky", "view:sky"},
                                                          {"compare:a", "compare:a"},
                                                          {"https://example.org", "https:"},
                                                          {"variant:", "variant:"},
                                                          {"other.md", "other.md"},
                                                          {"../GLOSSARY.md#", "../GLOSSARY.md#"}}) {
        try {
            parse_link(target);
            ADD_FAILURE() << target;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    }
}

TEST(Links, TheTargetsOfATextAreFound) {
    EXPECT_EQ(links_of_text("See [a](step:1), then\n[b `c`](variant:x,step:2). Not [this] (one)."),
              (std::vector<std::string>{"step:1", "variant:x,step:2"}));
    for (const View view : {View::stage, View::rounding, View::tree, View::boxes, View::table, View::timings,
                            View::roofline, View::costs})
        EXPECT_EQ(view_named(view_name(view)), view);
}

}  // namespace
}  // namespace lanewise::player
