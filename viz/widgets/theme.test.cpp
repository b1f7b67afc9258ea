#include "viz/widgets/theme.hpp"

#include <gtest/gtest.h>

namespace lanewise::viz {
namespace {

TEST(Theme, TextReadsOnEveryGroundInBothThemes) {
    for (const Theme* theme : {&dark_theme(), &light_theme()}) {
        for (const Color ground : {theme->ground, theme->panel, theme->raised}) {
            for (const Color ink : {theme->text, theme->strong, theme->quiet, theme->accent, theme->good}) {
                EXPECT_GE(contrast(ink, ground), 4.5)
                    << std::hex << ink << " on " << ground << (theme->dark ? " dark" : " light");
            }
        }
        for (const Color ink : {theme->keyword, theme->comment, theme->literal, theme->intrinsic}) {
            EXPECT_GE(contrast(ink, theme->panel), 4.5) << std::hex << ink;
            EXPECT_GE(contrast(ink, theme->accent_ground), 4.5) << std::hex << ink << " on the lit line";
        }
        EXPECT_GE(contrast(theme->accent, theme->accent_ground), 4.5);
        for (const Color step : {theme->step_shuffle, theme->step_access, theme->step_barrier, theme->step_atomic,
                                 theme->step_vote}) {
            EXPECT_GE(contrast(step, theme->panel), 3.0) << std::hex << step;
        }
    }
}

TEST(Theme, NumbersReadOnEveryValueColour) {
    for (int i = 0; i <= 100; ++i) {
        const Color ground = viridis(i / 100.0);
        EXPECT_GE(contrast(text_on(ground), ground), 4.5) << i;
    }
}

TEST(Theme, ViridisRunsFromDarkToLight) {
    EXPECT_EQ(viridis(0), rgb(0x440154));
    EXPECT_EQ(viridis(1), rgb(0xfde725));
    EXPECT_EQ(viridis(-3), viridis(0));
    EXPECT_EQ(viridis(7), viridis(1));
    double last = 0;
    for (int i = 0; i <= 16; ++i) {
        const double light = contrast(viridis(i / 16.0), rgb(0x000000));
        EXPECT_GT(light, last);
        last = light;
    }
}

TEST(Theme, ContrastIsWcag) {
    EXPECT_NEAR(contrast(rgb(0xffffff), rgb(0x000000)), 21.0, 0.01);
    EXPECT_NEAR(contrast(rgb(0x777777), rgb(0xffffff)), 4.48, 0.01);
}

}  // namespace
}  // namespace lanewise::viz
