#include "viz/widgets/fonts.hpp"

#include <stb_truetype.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "common/scene/cell_text.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kProse = {"Inter-Regular.otf", "Inter-Regular.ttf", "InterVariable.ttf", "Inter.ttc",
                                         "DejaVuSans.ttf", "LiberationSans-Regular.ttf", "NotoSans-Regular.ttf",
                                         "Ubuntu-R.ttf", "FreeSans.ttf"};
const std::vector<std::string> kProseStrong = {"Inter-SemiBold.otf", "Inter-SemiBold.ttf", "DejaVuSans-Bold.ttf",
                                               "LiberationSans-Bold.ttf", "NotoSans-Bold.ttf", "Ubuntu-B.ttf",
                                               "FreeSansBold.ttf"};
const std::vector<std::string> kCode = {"JetBrainsMono-Regular.ttf", "DejaVuSansMono.ttf",
                                        "LiberationMono-Regular.ttf", "NotoSansMono-Regular.ttf", "UbuntuMono-R.ttf",
                                        "FreeMono.ttf"};
const std::vector<std::string> kCodeStrong = {"JetBrainsMono-SemiBold.ttf", "JetBrainsMono-Bold.ttf",
                                              "DejaVuSansMono-Bold.ttf", "LiberationMono-Bold.ttf",
                                              "NotoSansMono-Bold.ttf", "UbuntuMono-B.ttf", "FreeMonoBold.ttf"};

std::vector<std::string> font_folders() {
    std::vector<std::string> folders;
    if (const char* home = std::getenv("HOME")) {
        folders.push_back(std::string(home) + "/.local/share/fonts");
        folders.push_back(std::string(home) + "/.fonts");
    }
    folders.push_back("/usr/local/share/fonts");
    folders.push_back("/usr/share/fonts");
    if (const char* own = std::getenv("LANEWISE_FONTS")) folders = {own};
    return folders;
}

// Latin, Greek, dashes and quotes, arrows, mathematical signs, the few geometric shapes the views draw with.
constexpr ImWchar kGlyphs[] = {0x0020, 0x00ff, 0x0370, 0x03ff, 0x2010, 0x2027, 0x2030, 0x203a, 0x2070, 0x209c,
                               0x2190, 0x2199, 0x21d0, 0x21d4, 0x2200, 0x2265, 0x2295, 0x2297, 0x25a0, 0x25a0,
                               0x25cb, 0x25cb, 0};

// Fonts for letters that ours lack: Chinese, Japanese, Korean; signs and emoji that have an outline.
const std::vector<std::string> kOthers = {
    "NotoSansCJK-Regular.ttc", "NotoSansCJKsc-Regular.otf", "NotoSansSC-Regular.otf", "NotoSansSC-Regular.ttf",
    "SourceHanSansSC-Regular.otf", "wqy-microhei.ttc", "wqy-zenhei.ttc", "DroidSansFallbackFull.ttf",
    "DroidSansFallback.ttf", "uming.ttc", "NotoSans-Regular.ttf", "DejaVuSans.ttf", "FreeSans.ttf",
    "NotoSansSymbols2-Regular.ttf", "NotoSansSymbols-Regular.ttf", "NotoEmoji-Regular.ttf", "Symbola.ttf",
    "unifont.ttf", "unifont.otf"};

bool among_our_glyphs(ImWchar letter) {
    for (const ImWchar* range = kGlyphs; *range; range += 2)
        if (letter >= range[0] && letter <= range[1]) return true;
    return letter < 0x20;
}

// The letter that begins at `i`, which continues after it.
std::uint32_t letter_at(std::string_view text, std::size_t& i) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) return lead;
    std::uint32_t code = lead >= 0xf0 ? lead & 7u : lead >= 0xe0 ? lead & 15u : lead & 31u;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0u) == 0x80u)
        code = code << 6 | (static_cast<unsigned char>(text[i++]) & 63u);
    return code;
}

// The letters of UTF-8 that are not among our glyphs, sorted. Those that ImGui's letters have no room for (it counts in
// 16 bits unless it was built otherwise) stay out: they are written as their numbers.
std::vector<ImWchar> letters_to_find(std::string_view text) {
    std::vector<ImWchar> letters;
    for (std::size_t i = 0; i < text.size();) {
        const std::uint32_t code = letter_at(text, i);
        if (code < 0x80) continue;
        const auto letter = static_cast<ImWchar>(code);
        if (letter == code && !among_our_glyphs(letter)) letters.push_back(letter);
    }
    std::sort(letters.begin(), letters.end());
    letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
    return letters;
}

struct FaceSpec {
    bool code;
    bool strong;
    float em;
};

constexpr FaceSpec spec_of(Face face) {
    switch (face) {
        case Face::caption: return {false, false, 11.0f};
        case Face::body: return {false, false, 13.5f};
        case Face::strong: return {false, true, 13.5f};
        case Face::title: return {false, true, 15.5f};
        case Face::heading: return {false, true, 20.0f};
        case Face::tiny: return {true, true, 8.5f};
        case Face::small: return {true, false, 10.5f};
        case Face::code: return {true, false, 12.0f};
        case Face::figure: return {true, true, 12.0f};
        case Face::figure_large: return {true, true, 15.0f};
        case Face::figure_huge: return {true, true, 30.0f};
        case Face::narrow: return {true, true, 8.0f};
        case Face::narrowest:
        case Face::close:
        case Face::closest: return {true, true, 7.0f};
        case Face::count_: break;
    }
    return {false, false, 13.0f};
}

// What a font file says of itself, as parts of one em.
struct Metrics {
    float line = 1.2f;
    float ascent = 0.95f;
    float cap = 0.72f;
    float digit = 0.6f;
};

bool read_metrics(const std::vector<unsigned char>& file, Metrics& metrics) {
    stbtt_fontinfo info;
    if (file.empty() || !stbtt_InitFont(&info, file.data(), stbtt_GetFontOffsetForIndex(file.data(), 0))) return false;
    const float em = stbtt_ScaleForMappingEmToPixels(&info, 1.0f);
    int ascent = 0, descent = 0, gap = 0;
    stbtt_GetFontVMetrics(&info, &ascent, &descent, &gap);
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0, advance = 0, bearing = 0;
    metrics.line = static_cast<float>(ascent - descent) * em;
    metrics.ascent = static_cast<float>(ascent) * em;
    if (stbtt_GetCodepointBox(&info, 'H', &x0, &y0, &x1, &y1)) metrics.cap = static_cast<float>(y1) * em;
    stbtt_GetCodepointHMetrics(&info, '0', &advance, &bearing);
    metrics.digit = static_cast<float>(advance) * em;
    return metrics.line > 0.5f;
}

// One weight of one font, read once for all of its sizes.
struct Source {
    std::string path;
    std::vector<unsigned char> bytes;
    Metrics metrics;
    bool usable = false;
};

// All files below the folders of fonts, in the folders' order.
std::vector<fs::path> font_files() {
    std::vector<fs::path> files;
    for (const std::string& folder : font_folders()) {
        std::error_code ignored;
        for (auto it = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, ignored);
             !ignored && it != fs::recursive_directory_iterator(); it.increment(ignored))
            files.push_back(it->path());
    }
    return files;
}

// The best name wins, wherever it is; of one name, the first file. Empty where there is none.
fs::path find_font(const std::vector<fs::path>& files, const std::vector<std::string>& names) {
    for (const std::string& name : names)
        for (const fs::path& file : files)
            if (file.filename() == name) return file;
    return {};
}

Source open_source(const std::vector<fs::path>& files, const std::vector<std::string>& names) {
    Source source;
    source.path = find_font(files, names).string();
    if (source.path.empty()) return source;
    std::ifstream in(source.path, std::ios::binary | std::ios::ate);
    source.bytes.resize(static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg())));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(source.bytes.data()), static_cast<std::streamsize>(source.bytes.size()));
    source.usable = read_metrics(source.bytes, source.metrics);
    if (!source.usable) source.path.clear();
    return source;
}

// Of the one large size: numbers and names, without what would fill the atlas.
constexpr ImWchar kAsciiGlyphs[] = {0x0020, 0x007e, 0x2026, 0x2026, 0x221e, 0x221e, 0};
constexpr float kLargeEm = 25;

// Signs that are set closer than their font does, and how close, as parts of the em. The first that has a sign wins.
struct Close {
    ImWchar range[3];
    double advance;
};
constexpr Close kClose[] = {{{'.', '.', 0}, scene::kPointColumns * Fonts::kCloseDigit},
                            {{'-', '-', 0}, scene::kMinusColumns * Fonts::kCloseDigit}};

void set_close(ImFontAtlas& atlas, Fonts::Cut& cut, const Source& source) {
    const auto add = [&](const ImWchar* range, float advance) {
        ImFontConfig config;
        config.MergeMode = cut.font != nullptr;
        config.OversampleH = 3;
        config.OversampleV = 1;
        config.PixelSnapH = false;
        config.GlyphMaxAdvanceX = advance;
        void* copy = ImGui::MemAlloc(source.bytes.size());
        std::copy(source.bytes.begin(), source.bytes.end(), static_cast<unsigned char*>(copy));
        ImFont* font =
            atlas.AddFontFromMemoryTTF(copy, static_cast<int>(source.bytes.size()), cut.pixels, &config, range);
        if (!cut.font) cut.font = font;
    };
    for (const Close& each : kClose) add(each.range, static_cast<float>(each.advance) * cut.em);
    add(kAsciiGlyphs, Fonts::kCloseDigit * cut.em);
    cut.digit = Fonts::kCloseDigit * cut.em;
    cut.close = true;
}

Fonts::Cut add_cut(ImFontAtlas& atlas, const Source& source, float em, float scale, bool close) {
    ImFontConfig config;
    Fonts::Cut cut;
    cut.em = em * scale;
    if (!source.usable) {
        config.SizePixels = std::max(13.0f, static_cast<float>(static_cast<int>(em * scale * 1.1f)));
        cut.font = atlas.AddFontDefault(&config);
        cut.pixels = config.SizePixels;
        cut.ascent = cut.pixels * 10 / 13;
        cut.cap = cut.pixels * 8 / 13;
        cut.digit = cut.pixels * 7 / 13;
        cut.plain = true;
        return cut;
    }
    cut.pixels = cut.em * source.metrics.line;
    cut.ascent = cut.em * source.metrics.ascent;
    cut.cap = cut.em * source.metrics.cap;
    cut.digit = cut.em * source.metrics.digit;
    if (close) {
        set_close(atlas, cut, source);
        return cut;
    }
    config.OversampleH = cut.em < 16 ? 2 : 1;
    config.OversampleV = 1;
    config.PixelSnapH = false;
    config.FontDataOwnedByAtlas = true;
    // ImGui frees what it is given with its own allocator.
    void* copy = ImGui::MemAlloc(source.bytes.size());
    std::copy(source.bytes.begin(), source.bytes.end(), static_cast<unsigned char*>(copy));
    cut.font = atlas.AddFontFromMemoryTTF(copy, static_cast<int>(source.bytes.size()), cut.pixels, &config,
                                          kFontsAreDynamic ? nullptr : em > kLargeEm ? kAsciiGlyphs : kGlyphs);
    return cut;
}

// Adds what other fonts have of `letters` to each size of text (figures have no names in them).
void merge_others(ImFontAtlas& atlas, const std::vector<fs::path>& files,
                  std::array<Fonts::Cut, static_cast<std::size_t>(Face::count_)>& cuts, std::vector<ImWchar> letters,
                  std::vector<std::vector<ImWchar>>& ranges) {
    for (const std::string& name : kOthers) {
        if (letters.empty()) return;
        const Source source = open_source(files, {name});
        stbtt_fontinfo info;
        if (!source.usable ||
            !stbtt_InitFont(&info, source.bytes.data(), stbtt_GetFontOffsetForIndex(source.bytes.data(), 0)))
            continue;
        std::vector<ImWchar>& range = ranges.emplace_back();
        std::erase_if(letters, [&](ImWchar letter) {
            if (stbtt_FindGlyphIndex(&info, static_cast<int>(letter)) == 0) return false;
            range.insert(range.end(), {letter, letter});
            return true;
        });
        if (range.empty()) continue;
        range.push_back(0);
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            const auto face = static_cast<Face>(i);
            if (face >= Face::figure || cuts[i].plain) continue;
            ImFontConfig config;
            config.MergeMode = true;
            config.OversampleH = config.OversampleV = 1;
            // The em of the letters beside them; the baseline is that of the font they are merged into.
            const float pixels = cuts[i].em * source.metrics.line;
            void* copy = ImGui::MemAlloc(source.bytes.size());
            std::copy(source.bytes.begin(), source.bytes.end(), static_cast<unsigned char*>(copy));
            config.DstFont = cuts[i].font;
            atlas.AddFontFromMemoryTTF(copy, static_cast<int>(source.bytes.size()), pixels, &config, range.data());
        }
    }
}

}  // namespace

bool Fonts::covers(std::string_view text) const {
    for (const ImWchar letter : letters_to_find(text))
        if (!std::binary_search(asked_.begin(), asked_.end(), letter)) return false;
    return true;
}

Fonts Fonts::load(float scale, std::string_view outside) { return load(*ImGui::GetIO().Fonts, scale, outside); }

Fonts Fonts::load(ImFontAtlas& atlas, float scale, std::string_view outside) {
    const std::vector<fs::path> files = font_files();
    const Source prose = open_source(files, kProse);
    Source prose_strong = open_source(files, kProseStrong);
    const Source code = open_source(files, kCode);
    Source code_strong = open_source(files, kCodeStrong);
    if (!prose_strong.usable) prose_strong = prose;
    if (!code_strong.usable) code_strong = code;

    Fonts fonts;
    fonts.prose_file_ = prose.path;
    fonts.code_file_ = code.path;
    for (std::size_t i = 0; i < fonts.cuts_.size(); ++i) {
        FaceSpec spec = spec_of(static_cast<Face>(i));
        if (static_cast<Face>(i) == Face::close) spec.em = close_em(scale);
        if (static_cast<Face>(i) == Face::closest) spec.em = closest_em(scale);
        const Source& source = spec.code ? (spec.strong ? code_strong : code) : (spec.strong ? prose_strong : prose);
        fonts.cuts_[i] = add_cut(atlas, source, spec.em, scale, static_cast<Face>(i) >= Face::narrow);
        fonts.cuts_[i].code = spec.code;
        fonts.cuts_[i].strong = spec.strong;
    }
    fonts.asked_ = letters_to_find(outside);
    fonts.ranges_ = std::make_shared<std::vector<std::vector<ImWchar>>>();
    fonts.ranges_->reserve(kOthers.size());
    merge_others(atlas, files, fonts.cuts_, fonts.asked_, *fonts.ranges_);
    if (!prose.usable || !code.usable) {
        fonts.notice_ = std::string("No font for ") +
                        (!prose.usable ? (!code.usable ? "prose or code" : "prose") : "code") +
                        " was found on this system, so a built-in one is used; install fonts-inter and "
                        "fonts-jetbrains-mono, or fonts-dejavu, for better text.";
    }
    return fonts;
}

std::string Fonts::families(bool code) const {
    struct Family {
        std::string_view file;   // how the file's name begins
        std::string_view name;
        bool code;
    };
    static constexpr Family kFamilies[] = {{"Inter", "Inter", false},
                                           {"DejaVuSans", "'DejaVu Sans'", false},
                                           {"LiberationSans", "'Liberation Sans'", false},
                                           {"NotoSans", "'Noto Sans'", false},
                                           {"Ubuntu-", "Ubuntu", false},
                                           {"FreeSans", "FreeSans", false},
                                           {"JetBrainsMono", "'JetBrains Mono'", true},
                                           {"DejaVuSansMono", "'DejaVu Sans Mono'", true},
                                           {"LiberationMono", "'Liberation Mono'", true},
                                           {"NotoSansMono", "'Noto Sans Mono'", true},
                                           {"UbuntuMono", "'Ubuntu Mono'", true},
                                           {"FreeMono", "FreeMono", true}};
    const std::string file = fs::path(code ? code_file_ : prose_file_).filename().string();
    std::string used, others;
    for (const Family& family : kFamilies) {
        if (family.code != code) continue;
        std::string& list = used.empty() && file.starts_with(family.file) ? used : others;
        list += std::string(family.name) + ", ";
    }
    return used + others + (code ? "monospace" : "sans-serif");
}

Fonts Fonts::grown(float times) const {
    Fonts grown = *this;
    for (Cut& cut : grown.cuts_) {
        const float em = cut.em * times;
        // The next larger size of the same font, else the largest there is.
        const Cut* best = nullptr;
        for (std::size_t i = 0; i < cuts_.size(); ++i) {
            const Cut& each = cuts_[i];
            const bool ascii_alone = static_cast<Face>(i) == Face::figure_huge;
            if (each.code != cut.code || each.strong != cut.strong || each.close != cut.close ||
                (ascii_alone && !(cut.code && cut.strong)))
                continue;
            const bool large = each.em >= em * 0.99f;
            if (!best || (large && (best->em < em * 0.99f || each.em < best->em)) ||
                (!large && best->em < em * 0.99f && each.em > best->em))
                best = &each;
        }
        if (best) cut.font = best->font;
        cut.em = em;
        for (float* size : {&cut.pixels, &cut.ascent, &cut.cap, &cut.digit}) *size *= times;
    }
    return grown;
}

bool has_far_letters(std::string_view text) {
    if constexpr (sizeof(ImWchar) > 2) return false;
    return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xf0u; });
}

std::string with_far_letters_as_numbers(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (static_cast<unsigned char>(text[i]) < 0xf0u || sizeof(ImWchar) > 2) {
            out += text[i++];
            continue;
        }
        const std::uint32_t code = letter_at(text, i);
        char number[16];
        std::snprintf(number, sizeof number, "U+%X", static_cast<unsigned>(code));
        out += number;
    }
    return out;
}

std::string plain_text(const char* begin, const char* end) {
    static constexpr std::pair<std::string_view, const char*> kSigns[] = {
        {"←", "<-"}, {"→", "->"}, {"…", "..."}, {"×", "x"}, {"·", "-"},  {"⊕", "^"},
        {"–", "-"},  {"—", "-"},  {"−", "-"},   {"’", "'"}, {"“", "\""}, {"”", "\""},
        {"≠", "!="}, {"≤", "<="}, {"≥", ">="},  {"•", "*"}, {"∞", "inf"}};
    std::string out;
    for (std::string_view rest(begin, static_cast<std::size_t>(end - begin)); !rest.empty();) {
        const auto* sign = std::find_if(std::begin(kSigns), std::end(kSigns),
                                        [&](const auto& s) { return rest.substr(0, s.first.size()) == s.first; });
        if (sign != std::end(kSigns)) {
            out += sign->second;
            rest.remove_prefix(sign->first.size());
        } else {
            out += rest.front();
            rest.remove_prefix(1);
        }
    }
    return out;
}

}  // namespace lanewise::viz
