#include <algorithm>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include "common/print/print.hpp"
#include "common/print/table.hpp"

namespace lanewise::print {

using run::Column;
using run::ComparedVariant;

void print_comparison(std::ostream& out, const std::string& origin, const run::Comparison& comparison, Paint paint) {
    const std::uint64_t n = run::shared_n(comparison, &ComparedVariant::n);
    out << paint.faint(fmt::format("values, threads, loads and atomics: {} · {}", origin,
                                   n ? fmt::format("{} values", n) : std::string("each at its own n"))) << '\n';
    out << paint.faint("times: " + run::times_text(comparison)) << '\n';
    std::vector<Column> columns;
    for (int c = 0; c < run::kColumnCount; ++c)
        if (!(static_cast<Column>(c) == Column::n && n)) columns.push_back(static_cast<Column>(c));
    std::vector<std::string> headings;
    for (const Column column : columns) headings.push_back(run::column_heading(column));
    headings.emplace_back("");
    Table table(headings, 1);
    for (const ComparedVariant& row : comparison.rows) {
        std::vector<std::string> cells;
        for (const Column column : columns) cells.push_back(run::cell_text(row, column));
        cells.push_back(!row.why_not.empty() ? "not run"
                        : row.declared_wrong ? row.ok ? "wrong on purpose" : "wrong, as declared"
                        : row.ok             ? ""
                                             : "OUTSIDE");
        table.add(std::move(cells));
    }
    const auto lines = table.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool bad = i > 0 && !comparison.rows[i - 1].ok;
        out << (i == 0 ? paint.faint(lines[i]) : bad ? paint.warning(lines[i]) : lines[i]) << '\n';
    }
    std::set<std::string> reasons;  // several variants fail for one reason
    for (const ComparedVariant& row : comparison.rows)
        if (!row.why_not.empty() && reasons.insert(row.why_not).second) out << paint.faint(row.why_not) << '\n';
    for (const std::string& sentence : run::explain(comparison)) out << paint.result("· ") << sentence << '\n';
}

}  // namespace lanewise::print
