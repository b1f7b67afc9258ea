#include "viz/widgets/svg_canvas.hpp"

#include <clocale>

#include <gtest/gtest.h>

#include "viz/widgets/paint.hpp"
#include "viz/testing/xml.testing.hpp"

namespace lanewise::viz {
namespace {

using testing::XmlElement;
using testing::XmlReader;

// ImGui for its measures of text only: nothing is drawn by it.
struct Measures {
    Measures() {
        ImGui::CreateContext();
        fonts = Fonts::load(1);
        unsigned char* pixels = nullptr;
        int w = 0, h = 0;
        ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &w, &h);
    }
    ~Measures() { ImGui::DestroyContext(); }
    Fonts fonts;
};

struct Paper {
    Measures measures;
    SvgCanvas canvas{200, 100, rgb(0x102030), measures.fonts};
    Brush brush{&canvas, {&dark_theme(), &measures.fonts, 1}};

    std::vector<XmlElement> elements() const { return XmlReader::read(canvas.document("a < b", "c & d")); }
    std::vector<XmlElement> all(const std::string& name) const {
        std::vector<XmlElement> found;
        for (const XmlElement& each : elements())
            if (each.name == name) found.push_back(each);
        return found;
    }
};

TEST(XmlReader, RefusesWhatIsNotWellFormed) {
    for (const char* wrong : {"<a><b></a></b>", "<a", "<a>", "<a b=1/>", "<a b=\"1\"c=\"2\"/>", "<a>&</a>",
                              "<a>\x01</a>", "<a/><b/>", "x<a/>", "<a b=\"<\"/>", "<a b=\"1\" b=\"2\"/>", ""})
        EXPECT_THROW(XmlReader::read(wrong), std::runtime_error) << wrong;
    const auto right = XmlReader::read("<?xml version=\"1.0\"?><a b='&lt;'>x<c/>y &amp; z</a>\n");
    ASSERT_EQ(right.size(), 2u);
    EXPECT_EQ(right[0].attributes.at("b"), "<");
    EXPECT_EQ(right[0].text, "xy & z");
}

TEST(SvgCanvas, IsADocumentWithItsSizeItsGroundAndItsText) {
    Paper paper;
    const auto elements = paper.elements();
    EXPECT_EQ(elements.at(0).name, "svg");
    EXPECT_EQ(elements[0].attributes.at("viewBox"), "0 0 200 100");
    EXPECT_EQ(elements[0].attributes.at("xmlns"), "http://www.w3.org/2000/svg");
    EXPECT_EQ(paper.all("title").at(0).text, "a < b");
    EXPECT_EQ(paper.all("desc").at(0).text, "c & d");
    EXPECT_EQ(paper.all("rect").at(0).attributes.at("fill"), "#102030");
}

TEST(SvgCanvas, TextIsEscapedHasItsWidthAndItsFont) {
    Paper paper;
    const float width = text(paper.brush, Face::code, {10, 20}, rgb(0xff0000, 128), "a<b && \"c\" → \x01\xff\xc0\xafπ");
    const auto texts = paper.all("text");
    ASSERT_EQ(texts.size(), 1u);
    EXPECT_EQ(texts[0].text.substr(0, 14), "a<b && \"c\" →");
    EXPECT_EQ(texts[0].text.find('\x01'), std::string::npos);
    EXPECT_NEAR(std::stof(texts[0].attributes.at("textLength")), width, 0.01);
    EXPECT_EQ(texts[0].attributes.at("fill"), "#ff0000");
    EXPECT_EQ(texts[0].attributes.at("fill-opacity"), "0.5");
    EXPECT_NEAR(std::stof(texts[0].attributes.at("y")), 20 + paper.measures.fonts[Face::code].ascent, 0.01);
    const std::string style = paper.all("style").at(0).text;
    EXPECT_NE(style.find("." + texts[0].attributes.at("class") + " {"), std::string::npos) << style;
    EXPECT_NE(style.find("400 12px"), std::string::npos) << style;
    EXPECT_NE(style.find("monospace"), std::string::npos) << style;
}

TEST(SvgCanvas, WhatIsClippedAwayIsNotWrittenAndWhatIsCutIsCut) {
    Paper paper;
    paper.canvas.push_clip({10, 10, 50, 50});
    paper.canvas.push_clip({20, 0, 200, 100});   // both hold: 20…50 by 10…50
    fill(paper.brush, {60, 20, 70, 30}, rgb(0x000001));
    fill(paper.brush, {25, 20, 30, 30}, rgb(0x000002));
    fill(paper.brush, {15, 20, 30, 30}, rgb(0x000003));
    paper.canvas.pop_clip();
    paper.canvas.pop_clip();
    fill(paper.brush, {60, 20, 70, 30}, rgb(0x000004));
    const auto rects = paper.all("rect");
    ASSERT_EQ(rects.size(), 5u);   // the clip's, the ground, and three of the four
    EXPECT_EQ(rects[0].attributes.at("x"), "20");
    EXPECT_EQ(rects[0].attributes.at("width"), "30");
    EXPECT_EQ(rects[0].attributes.at("height"), "40");
    EXPECT_EQ(rects[2].attributes.at("fill"), "#000002");
    EXPECT_FALSE(rects[2].attributes.contains("clip-path"));
    EXPECT_EQ(rects[3].attributes.at("clip-path"), "url(#" + paper.all("clipPath").at(0).attributes.at("id") + ")");
    EXPECT_FALSE(rects[4].attributes.contains("clip-path"));
}

TEST(SvgCanvas, EveryShapeIsThere) {
    Paper paper;
    outline(paper.brush, {10, 10, 30, 20}, rgb(1), 4, 1);
    hairline(paper.brush, {0, 5}, {9, 5}, rgb(2));
    circle(paper.brush, {50, 50}, 4, rgb(3));
    ring(paper.brush, {50, 50}, 6, rgb(4), 2);
    triangle(paper.brush, {1, 1}, {9, 1}, {5, 9}, rgb(5));
    arc(paper.brush, {20, 20}, {80, 60}, {rgb(6), 2, 16, 1});
    paper.canvas.polyline(std::array{Point{2, 2}, Point{5, 5}, Point{9, 2}}, rgb(7), 1.5f);
    paper.canvas.gradient({0, 0, 200, 10}, rgb(8), rgb(8, 0), Canvas::Towards::bottom);
    fill(paper.brush, {0, 0, 9, 9}, rgb(9, 0));   // not seen: not there
    EXPECT_EQ(paper.all("rect").size(), 3u);      // the ground, the outline, the gradient's
    EXPECT_EQ(paper.all("rect")[1].attributes.at("x"), "10.5");
    EXPECT_EQ(paper.all("line").at(0).attributes.at("y1"), "5.5");
    EXPECT_EQ(paper.all("circle").size(), 2u);
    EXPECT_EQ(paper.all("polygon").at(0).attributes.at("points"), "1,1 9,1 5,9");
    EXPECT_EQ(paper.all("path").at(0).attributes.at("d"), "M20,20 C20,40 80,40 80,60");
    EXPECT_EQ(paper.all("polyline").at(0).attributes.at("stroke-width"), "1.5");
    EXPECT_EQ(paper.all("linearGradient").at(0).attributes.at("x2"), "0");
    EXPECT_EQ(paper.all("stop").at(1).attributes.at("stop-opacity"), "0");
}

TEST(SvgCanvas, AnArcIsDrawnUpToItsProgress) {
    Paper paper;
    arc(paper.brush, {20, 20}, {80, 60}, {rgb(6), 2, 16, 0.5f});
    const Point half = arc_point({20, 20}, {80, 60}, 0.5f);
    const std::string d = paper.all("path").at(0).attributes.at("d");
    EXPECT_TRUE(d.ends_with(" 50,40")) << d;
    EXPECT_EQ(half.x, 50);
    EXPECT_EQ(half.y, 40);
}

}  // namespace
}  // namespace lanewise::viz
