// The picture of vectors beside the trace that it shows.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/folder.testing.hpp"
#include "common/run/front_end.hpp"
#include "viz/app/window/window_front_end.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/testing/xml.testing.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;
using testing::XmlElement;

std::vector<XmlElement> drawn(const run::WindowRequest& request,
                              const run::Presentation& presentation = samples::presentation()) {
    const lanewise::testing::TemporaryFolder folder;
    const fs::path path = folder.path() / "picture.svg";
    make_front_end()->svg(presentation, request, path.string());
    return testing::XmlReader::read(lanewise::testing::slurp(path));
}

run::WindowRequest request_of(const std::string& variant, std::size_t step) {
    run::WindowRequest request;
    request.variant = variant;
    request.has_step = true;
    request.step = step;
    return request;
}

// The texts drawn in the row at y, from left to right.
std::map<float, std::map<float, std::string>> rows_of(const std::vector<XmlElement>& elements) {
    std::map<float, std::map<float, std::string>> rows;
    for (const XmlElement& each : elements)
        if (each.name == "text")
            rows[std::stof(each.attributes.at("y"))][std::stof(each.attributes.at("x"))] = each.text;
    return rows;
}

TEST(Svg, HasEveryLanesNumberAsTheTraceHasIt) {
    const auto elements = drawn(request_of("warp_sum_xor", 2));   // xor 8
    EXPECT_EQ(elements.at(0).attributes.at("width"), "1600");
    // The step's own record: what each lane held after it.
    const auto run = samples::presentation().services.run("warp_sum_xor");
    std::vector<std::string> after;
    const steps::WarpStep* part = run->steps.steps.at(2).find(run->steps.warps.front());
    ASSERT_NE(part, nullptr);
    for (const auto& lane : part->lanes)
        after.push_back(std::to_string(static_cast<int>(from_bits<float>(static_cast<std::uint32_t>(lane.after)))));
    ASSERT_EQ(after.size(), 32u);
    bool found = false;
    for (const auto& [y, row] : rows_of(elements)) {
        std::vector<std::string> texts;
        for (const auto& [x, text] : row) texts.push_back(text);
        if (texts.size() >= 32) found |= std::equal(after.begin(), after.end(), texts.end() - 32);
    }
    EXPECT_TRUE(found) << "no row holds what the lanes held";
}

TEST(Svg, SaysWhatItIsAndWhereItIsFrom) {
    const auto elements = drawn(request_of("warp_sum_xor", 2));
    std::string all;
    for (const XmlElement& each : elements) {
        if (each.name == "title" || each.name == "desc" || each.name == "text")
            all += each.name + ": " + each.text + "\n";
    }
    EXPECT_NE(all.find("title: Lanewise · 05 Samples · xor"), std::string::npos) << all;
    EXPECT_NE(all.find("desc: step 3 of 6: xor 8"), std::string::npos) << all;
    EXPECT_NE(all.find("text: " + samples::presentation().services.run("warp_sum_xor")->origin + "\n"),
              std::string::npos)
        << all;
}

TEST(Svg, EveryViewCanBeDrawn) {
    std::map<run::View, std::size_t> texts;
    for (const run::View view : {run::View::stage, run::View::rounding, run::View::table}) {
        run::WindowRequest request = request_of("block_sum_two_level", 3);
        request.view = view;
        for (const XmlElement& each : drawn(request)) texts[view] += each.name == "text" ? 1 : 0;
        EXPECT_GT(texts[view], 20u) << static_cast<int>(view);
    }
    EXPECT_NE(texts[run::View::stage], texts[run::View::table]);
    run::WindowRequest pair = request_of("warp_sum_xor", 2);
    pair.compare = {"warp_sum_xor", "block_sum_two_level"};
    EXPECT_GT(drawn(pair).size(), 100u);
}

TEST(Svg, NoPixelsAndNoFolderAreSentences) {
    run::WindowRequest request = request_of("warp_sum_xor", 0);
    EXPECT_THROW(make_front_end()->svg(samples::presentation(), request, "/no such folder/a.svg"), Error);
    request.height = 0;
    EXPECT_THROW(make_front_end()->svg(samples::presentation(), request, "a.svg"), Error);
}

}  // namespace
}  // namespace lanewise::viz
