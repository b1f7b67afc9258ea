#include "common/own/print_own.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <ostream>

#include <fmt/format.h>

#include "common/base/kernel_text.hpp"

namespace lanewise::own {

namespace {

std::string trimmed(std::string text) {
    text.erase(0, text.find_first_not_of(" \t"));
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.pop_back();
    return text;
}

void print_finding(std::ostream& out, const SourceText& source, const trace::Finding& finding, print::Paint paint) {
    const bool is_note = finding.severity == trace::Severity::note;
    const auto place = source.at(finding.line);
    const std::string what = fmt::format("{}: {}: {}", place.name, is_note ? "note" : "finding", finding.kind);
    out << '\n' << (is_note ? paint.faint(what) : paint.warning(what)) << '\n';
    if (!place.text.empty()) out << "    " << paint.source(place.text) << '\n';
    out << "  " << source.with_files(finding.sentence) << '\n';
    if (finding.other && finding.other->line > 0 && finding.other->line != finding.line) {
        const auto other = source.at(finding.other->line);
        out << paint.faint(fmt::format("  the other access: {}  {}", other.name, other.text)) << '\n';
    }
    if (!finding.advice.empty()) out << "  " << finding.advice << '\n';
    if (finding.count > 1) out << paint.faint(fmt::format("  seen {} times", finding.count)) << '\n';
}

}  // namespace

SourceText::SourceText(const std::vector<compile::TextFile>& files) {
    for (const compile::TextFile& file : files) {
        std::ifstream all(file.path, std::ios::binary);
        lines_.resize(static_cast<std::size_t>(std::max(0, file.first_line - 1)));
        names_.resize(lines_.size());
        int number = 0;
        for (std::string line; std::getline(all, line);) {
            lines_.push_back(trimmed(line));
            names_.push_back(fmt::format("{}:{}", std::filesystem::path(file.path).filename().string(), ++number));
        }
        if (first_file_ == 0) first_file_ = lines_.size();
    }
}

SourceText::Place SourceText::at(int line) const {
    if (line < 1 || static_cast<std::size_t>(line) > lines_.size()) return {"in no line that is known", ""};
    return {names_[static_cast<std::size_t>(line) - 1], lines_[static_cast<std::size_t>(line) - 1]};
}

std::string SourceText::with_files(const std::string& sentence) const {
    return name_lines(sentence, [this](int line) {
        const auto number = static_cast<std::size_t>(line);
        if (number <= first_file_ || number > names_.size()) return fmt::format("{}", line);
        const std::string& name = names_[number - 1];
        const std::size_t colon = name.rfind(':');
        return fmt::format("{} of {}", name.substr(colon + 1), name.substr(0, colon));
    });
}

int print_checks(std::ostream& out, const SourceText& source, const std::vector<Program>& programs,
                 const std::vector<print::CheckedVariant>& rows, print::Paint paint) {
    int wrong = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const runner::Checked& checked = rows[i].checked;
        if (i > 0) out << '\n';
        const auto program =
            std::find_if(programs.begin(), programs.end(), [&](const Program& p) { return p.name == rows[i].variant; });
        if (program != programs.end())
            for (const Launch& launch : program->launches) out << paint.strong(trimmed(launch.line.text)) << '\n';
        bool holds = true;
        for (std::size_t r = 0; r < checked.results.size(); ++r) {
            const run::Result& result = checked.results[r];
            holds &= result.ok;
            const std::string text = program != programs.end() && r < program->expectations.size()
                                         ? trimmed(program->expectations[r].text)
                                         : result.output;
            const std::string error = std::isfinite(result.error) ? fmt::format("{:.3g}", result.error) : "not finite";
            // Of several elements the first, or the one that is wrong.
            const bool names_one = !result.ok && !result.summed && result.count > 1;
            const std::string value = names_one
                                          ? fmt::format("{}[{}] is {:.9g}, expected {:.9g}", result.output,
                                                        result.worst, result.worst_value, result.worst_reference)
                                          : fmt::format("{:.9g}, expected {:.9g}", result.value, result.reference);
            const std::string line = fmt::format("{} {}: {}; error {}, {:.3g} allowed ({})",
                                                 result.ok ? "holds " : "DOES NOT HOLD ", text, value, error,
                                                 result.bound, result.reason);
            out << (result.ok ? line : paint.warning(line)) << '\n';
        }
        const std::string verdict =
            fmt::format("verdict: {}{}{}", trace::verdict_name(checked.verdict),
                        checked.order.empty() ? "" : fmt::format(" in {0} order (--order {0} shows it)", checked.order),
                        holds ? "" : ", and the result is not what is expected");
        const auto is_wrong = [](const trace::Finding& finding) { return finding.severity != trace::Severity::note; };
        const bool flagged = checked.verdict == trace::Verdict::wrong || !holds ||
                             std::any_of(checked.findings.begin(), checked.findings.end(), is_wrong);
        wrong += flagged;
        out << (flagged ? paint.warning(verdict) : paint.result(verdict)) << '\n';
        const bool reported = std::any_of(checked.findings.begin(), checked.findings.end(),
                                          [&](const trace::Finding& f) { return f.sentence == checked.undecided; });
        if (!checked.undecided.empty() && !reported) out << "  " << checked.undecided << '\n';
        for (const trace::Finding& finding : checked.findings) print_finding(out, source, finding, paint);
    }
    return wrong;
}

}  // namespace lanewise::own
