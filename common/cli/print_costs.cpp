#include <ostream>

#include <fmt/format.h>

#include "common/base/wrap.hpp"
#include "common/cli/costs_command.hpp"
#include "common/print/table.hpp"
#include "common/timing/gpu_state.hpp"

namespace lanewise::cli {

using print::Paint;

namespace {

constexpr const char* kIndent = "    ";

void print_prose(std::ostream& out, const std::string& prose, const Paint& paint) {
    for (const std::string& line : wrapped(prose, print::kColumns - 4)) out << kIndent << paint.faint(line) << '\n';
}

// The figure quoted for several like operations is printed once.
std::string sentence_of(const timing::Cost& row, bool with_quoted) {
    const timing::CostInfo* const info = timing::cost_info(row.id);
    std::string text = timing::cost_text(row);
    if (const std::string quoted = timing::quoted_text(row); with_quoted && !quoted.empty()) text += " " + quoted;
    if (info && row.lacking.empty()) text += std::string(" ") + info->what;
    return text;
}

}  // namespace

void print_costs(std::ostream& out, const timing::CostTable& t, Paint paint) {
    out << paint.strong(t.recorded ? fmt::format("Recorded on {} · {}", t.gpu, t.date) : t.gpu)
        << fmt::format(" · compute capability {} · {} SMs · {:.0f} MHz while measured\n", t.compute_capability,
                       t.multiprocessors, t.sm_mhz);
    print_prose(out, fmt::format("CUDA {} · {}", t.driver, t.method), paint);
    if (t.before) print_prose(out, "before: " + timing::state_text(*t.before), paint);
    if (t.after) print_prose(out, "after: " + timing::state_text(*t.after), paint);
    print::Table table({"one operation", "latency: cycles", "5%…95%", "ns", "throughput: per cycle", "GPU: ns a lane",
                        "commonly quoted"},
                       1);
    for (const timing::Cost& row : t.rows) {
        const auto cell = [](bool there, double value) { return there ? timing::cost_number(value) : std::string(); };
        const timing::CostFigure& wait = row.latency;
        table.add({row.name, cell(bool(wait), wait.median),
                   wait ? fmt::format("{}…{}", timing::cost_number(wait.low), timing::cost_number(wait.high)) : "",
                   cell(row.latency_ns > 0, row.latency_ns), cell(bool(row.throughput), row.throughput.median),
                   cell(row.gpu_ns > 0, row.gpu_ns), cell(row.quoted > 0, row.quoted)});
    }
    const auto lines = table.lines();
    out << '\n' << paint.faint(lines.front()) << '\n';
    std::string group;
    double quoted = 0;
    for (std::size_t i = 0; i < t.rows.size(); ++i) {
        if (t.rows[i].group != group) out << '\n' << paint.strong(t.rows[i].group) << '\n';
        group = t.rows[i].group;
        out << lines[i + 1] << '\n';
        print_prose(out, sentence_of(t.rows[i], t.rows[i].quoted != quoted), paint);
        quoted = t.rows[i].quoted;
    }
}

}  // namespace lanewise::cli
