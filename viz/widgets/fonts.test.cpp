#include "viz/widgets/fonts.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace lanewise::viz {
namespace {

// A letter that a font lacks is drawn as a question mark.
TEST(Fonts, HaveTheLettersOfAllTexts) {
    ImGui::CreateContext();
    const Fonts fonts = Fonts::load(1);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    std::size_t read = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LANEWISE_LESSONS)) {
        if (entry.path().extension() != ".md") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        // Every second piece between backticks is code.
        ImFontGlyphRangesBuilder prose, code;
        bool is_code = false;
        for (std::size_t from = 0; from < text.size(); is_code = !is_code) {
            const std::size_t to = std::min(text.find('`', from), text.size());
            (is_code ? code : prose).AddText(text.data() + from, text.data() + to);
            from = to + 1;
        }
        for (unsigned letter = 0x80; letter <= 0xffff; ++letter) {
            const auto has = [&](Face face) {
                return fonts[face].plain || fonts[face].font->FindGlyphNoFallback(static_cast<ImWchar>(letter));
            };
            EXPECT_TRUE(!prose.GetBit(letter) || has(Face::body)) << entry.path() << ": U+" << std::hex << letter;
            EXPECT_TRUE(!code.GetBit(letter) || has(Face::code)) << entry.path() << ": U+" << std::hex << letter;
        }
        ++read;
    }
    EXPECT_GT(read, 17u);
    ImGui::DestroyContext();
}

}  // namespace
}  // namespace lanewise::viz
