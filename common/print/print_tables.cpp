#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "common/base/lanes.hpp"
#include "common/base/counted.hpp"
#include "common/print/print.hpp"
#include "common/print/table.hpp"

namespace lanewise::print {

using lesson::Lesson;

namespace {

std::size_t columns_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<std::string> headings, std::size_t left_columns) : left_columns_(left_columns) {
    rows_.push_back(std::move(headings));
}

void Table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::vector<std::string> Table::lines() const {
    std::vector<std::size_t> widths(rows_[0].size());
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
    std::vector<std::string> lines;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const bool last = c + 1 == row.size();
            line += c == 0 ? "" : "  ";
            line += c < left_columns_ ? pad_right(row[c], widths[c]) : last ? row[c] : pad_left(row[c], widths[c]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string format_error(double error) { return error == 0 ? "0" : fmt::format("{:.2e}", error); }

std::string format_number(double value) {
    if (std::isnan(value)) return "nan";   // its sign means nothing
    if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
    return fmt::format("{:.8g}", value);
}

std::string pad_left(const std::string& text, std::size_t width) {
    const std::size_t columns = columns_of(text);
    return std::string(columns < width ? width - columns : 0, ' ') + text;
}

std::string pad_right(const std::string& text, std::size_t width) {
    const std::size_t columns = columns_of(text);
    return text + std::string(columns < width ? width - columns : 0, ' ');
}

namespace {

// " (2 rows of 200)", of a lesson on rows.
std::string rows_text(const trace::Header& header) {
    if (header.columns == 0 || header.n % header.columns != 0) return "";
    return fmt::format(" ({} of {})", counted(header.n / header.columns, "row"), header.columns);
}

}  // namespace

void print_heading(std::ostream& out, const Lesson& lesson, const run::Run& run, const std::string& lens,
                   const Paint& paint) {
    const auto& header = run.trace.header;
    out << paint.result("● " + run.origin) << '\n'
        << paint.strong(fmt::format("{} · {}{}", lesson.title(), header.variant, lens.empty() ? "" : " · " + lens))
        << '\n'
        << paint.faint(fmt::format("n {}{} · block {} · input {}", header.n, rows_text(header),
                                   trace::block_text(header),
                                   trace::input_text(header, lesson::is_seeded_input(header.input))))
        << '\n';
    if (!run.note.empty()) out << paint.faint(run.note) << '\n';
    if (!run.notice.empty()) out << paint.warning(run.notice) << '\n';
}

void print_finding(std::ostream& out, const trace::Finding& finding, Paint paint) {
    const bool is_note = finding.severity == trace::Severity::note;
    out << '\n'
        << (is_note ? paint.faint(fmt::format("note: {}", finding.kind))
                    : paint.warning(fmt::format("finding: {}", finding.kind)))
        << fmt::format(" · {} line {} · block {} warp {} lanes {}{}\n    {}\n", finding.kernel, finding.line,
                       finding.block, finding.warp, lane_ranges(finding.lanes),
                       finding.count > 1 ? fmt::format(" · seen {} times", finding.count) : "", finding.sentence);
    if (!finding.advice.empty()) out << "    " << finding.advice << '\n';
}

void print_list(std::ostream& out, const Lesson& lesson, Paint paint) {
    Table table({"variant", "n", "block", "input", "what it does"}, 1);
    for (const auto& v : lesson.variants())
        table.add({v.name, fmt::format("{}", v.n), fmt::format("{}", v.block), v.input,
                   v.summary + (v.declared_wrong.empty() ? "" : " (wrong on purpose)")});
    const auto lines = table.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) out << (i == 0 ? paint.faint(lines[i]) : lines[i]) << '\n';
}

// How many of the runs came to which verdict; returns how many are wrong without being declared so.
static int print_verdicts(std::ostream& out, const std::vector<CheckedVariant>& rows, Paint paint) {
    const auto count = [&](trace::Verdict verdict, bool declared_too) {
        return static_cast<int>(std::count_if(rows.begin(), rows.end(), [&](const CheckedVariant& row) {
            return row.checked.verdict == verdict && (declared_too || row.declared_wrong.empty());
        }));
    };
    std::string text;
    for (const auto verdict : {trace::Verdict::clean, trace::Verdict::wrong, trace::Verdict::not_decided})
        if (const int number = count(verdict, true))
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, trace::verdict_name(verdict));
    const int flagged = count(trace::Verdict::wrong, false);
    if (text.empty()) return 0;
    const std::string line = "checks: " + text;
    out << (flagged ? paint.warning(fmt::format("{}; {} of them not on purpose", line, flagged)) : line) << '\n';
    for (const auto& row : rows)
        if (!row.checked.undecided.empty()) out << row.variant << ": " << row.checked.undecided << '\n';
    return flagged;
}

int print_check(std::ostream& out, const std::string& origin, const std::vector<CheckedVariant>& rows, Paint paint) {
    Table table({"variant", "output", "n", "value", "reference", "error", "bound", "verdict"}, 2);
    std::vector<std::string> verdicts;
    int outside = 0;
    for (const auto& row : rows) {
        const bool ok = std::all_of(row.checked.results.begin(), row.checked.results.end(),
                                    [](const run::Result& r) { return r.ok; });
        outside += !ok && row.declared_wrong.empty();
        if (row.checked.results.empty())
            table.add({row.variant, "", fmt::format("{}", row.n), "", "", "", "",
                       row.checked.not_run.empty() ? "no results" : "not run"});
        for (std::size_t i = 0; i < row.checked.results.size(); ++i) {
            const auto& r = row.checked.results[i];
            const std::string verdict = r.ok ? row.declared_wrong.empty() ? "ok" : "ok, though declared wrong"
                                        : row.declared_wrong.empty() ? "OUTSIDE"
                                                                     : "wrong, as declared";
            table.add({i == 0 ? row.variant : "", r.output, i == 0 ? fmt::format("{}", row.n) : "",
                       format_number(r.value), format_number(r.reference), format_error(r.error), format_error(r.bound),
                       verdict});
        }
    }
    out << paint.faint(origin) << '\n';
    const auto lines = table.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool bad = lines[i].size() >= 7 && lines[i].compare(lines[i].size() - 7, 7, "OUTSIDE") == 0;
        out << (i == 0 ? paint.faint(lines[i]) : bad ? paint.warning(lines[i]) : lines[i]) << '\n';
    }
    std::vector<std::string> reasons;  // variants of one kernel file say the same of it
    for (const auto& row : rows) {
        if (row.checked.not_run.empty() ||
            std::find(reasons.begin(), reasons.end(), row.checked.not_run) != reasons.end())
            continue;
        out << paint.faint(row.checked.not_run) << '\n';
        reasons.push_back(row.checked.not_run);
    }
    for (const auto& row : rows)
        for (const auto& finding : row.checked.findings) print_finding(out, finding, paint);
    for (const auto& row : rows)
        if (!row.declared_wrong.empty()) out << row.variant << " is wrong on purpose: " << row.declared_wrong << '\n';
    out << paint.faint("value and reference are the output's first element; error is the largest over all its elements")
        << '\n';
    const auto compared =
        std::count_if(rows.begin(), rows.end(), [](const CheckedVariant& row) { return !row.checked.results.empty(); });
    const std::string of_all = compared == std::ssize(rows) ? "" : fmt::format(" of {}", rows.size());
    const bool wrong =
        std::any_of(rows.begin(), rows.end(), [](const CheckedVariant& row) { return !row.declared_wrong.empty(); });
    const char* const but = wrong ? " but those that are wrong on purpose" : "";
    const int flagged = print_verdicts(out, rows, paint);
    if (compared == 0) out << paint.warning("no variant has results to check") << '\n';
    else if (outside == 0)
        out << paint.result(fmt::format("{}{} variants, all within their bounds{}", compared, of_all, but)) << '\n';
    else out << paint.warning(fmt::format("{} of {} variants outside their bounds", outside, rows.size())) << '\n';
    return outside + flagged + (compared == 0);
}

}  // namespace lanewise::print
