#include "viz/views/result_line.hpp"

#include <algorithm>
#include <utility>

#include "common/base/lanes.hpp"

namespace lanewise::viz {
namespace {

// What a finding is called in a line; a kind that is not here by its own name.
std::string kind_words(const std::string& kind) {
    static constexpr std::pair<const char*, const char*> kWords[] = {
        {"barrier_divergence", "barrier in a branch"},
        {"mask_mismatch", "lanes with different masks"},
        {"mask_without_caller", "a mask without its caller"},
        {"intrinsic_mismatch", "lanes at different calls"},
        {"inactive_source", "a read from an absent lane"},
        {"deadlock", "lanes that wait for ever"},
        {"runaway", "a loop without end"},
        {"bad_width", "a width that CUDA does not allow"},
        {"assertion_failed", "an assertion that failed"}};
    for (const auto& [name, words] : kWords) {
        if (kind == name) return words;
    }
    std::string words = kind;
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

}  // namespace

void warning_sign(const Brush& brush, Point middle, float radius) {
    const Color color = brush.colors().warning;
    const float half = radius * 1.1f;
    triangle(brush, {middle.x, middle.y - radius}, {middle.x + half, middle.y + radius * 0.9f},
                                  {middle.x - half, middle.y + radius * 0.9f}, color);
    const Color ink = text_on(color);
    const float bar = radius * 0.13f;
    fill(brush, {middle.x - bar, middle.y - radius * 0.35f, middle.x + bar, middle.y + radius * 0.35f}, ink);
    fill(brush, {middle.x - bar, middle.y + radius * 0.5f, middle.x + bar, middle.y + radius * 0.75f}, ink);
}

void draw_result(const Brush& brush, const Rect& where, const Exhibit& exhibit, Face face, Align align, std::size_t place) {
    const lesson::Run& run = *exhibit.run;
    std::string words = result_words(run);
    const std::string mistakes = mistakes_found(exhibit, place);
    const bool right = came_out_right(run) && mistakes.empty();
    // It may come out right and be wrong.
    if (!mistakes.empty() && came_out_right(run)) {
        words = words.empty() ? mistakes : words + ", but: " + mistakes;
        // The mistake must be told; the total is one more figure.
        if (text_width(brush.look, face, words) > where.width() - brush.px(20)) words = "right, but: " + mistakes;
    }
    if (words.empty()) return;
    const Color ink = right ? brush.colors().good : brush.colors().warning;
    const float sign = brush.px(20);
    const std::string fitted = fit_text(brush.look, face, words, where.width() - sign);
    const float width = text_width(brush.look, face, fitted) + sign;
    if (where.width() < brush.px(60)) return;
    const float x = align == Align::right ? where.x1 - width : where.x0;
    const Point c{x + brush.px(7), where.center().y};
    if (right) {
        const float r = brush.px(4);
        hairline(brush, {c.x - r, c.y}, {c.x - r * 0.2f, c.y + r * 0.8f}, ink, brush.px(1.8f));
        hairline(brush, {c.x - r * 0.2f, c.y + r * 0.8f}, {c.x + r, c.y - r * 0.8f}, ink, brush.px(1.8f));
    } else {
        warning_sign(brush, c, brush.px(6));
    }
    text_in(brush, face, {x + sign, where.y0, where.x1, where.y1}, right ? brush.colors().text : ink, fitted, Align::left);
}

std::size_t first_mistake(const Exhibit& exhibit) {
    const auto at = std::find_if(exhibit.findings.begin(), exhibit.findings.end(), [](const auto& here) { return !here.empty(); });
    return at == exhibit.findings.end() ? steps::kNoStep : static_cast<std::size_t>(at - exhibit.findings.begin());
}

std::string mistakes_found(const Exhibit& exhibit, std::size_t place) {
    const auto& findings = exhibit.trace().findings;
    if (findings.empty()) return "";
    const std::size_t step = first_mistake(exhibit);
    std::string words = kind_words(findings[step == steps::kNoStep ? 0 : exhibit.findings[step].front()].kind);
    if (findings.size() > 1) words += " and " + std::to_string(findings.size() - 1) + " more";
    if (step != steps::kNoStep) words += ", see step " + std::to_string((place == steps::kNoStep ? step : place) + 1);
    return words;
}

std::string finding_words(const trace::Finding& finding) {
    std::string words = "Line " + std::to_string(finding.line);
    if (finding.lanes) words += ", " + lane_list(finding.lanes);
    words += (finding.lanes ? " of block " : ", block ") + std::to_string(finding.block) + ", warp " + std::to_string(finding.warp);
    if (finding.count > 1) words += ", seen " + std::to_string(finding.count) + " times";
    return words + ": " + finding.sentence;
}

}  // namespace lanewise::viz
