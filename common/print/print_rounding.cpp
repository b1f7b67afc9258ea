#include <ostream>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/print/print.hpp"
#include "common/print/table.hpp"
#include "common/rounding/rounding.hpp"
#include "common/scene/sums/absorbed.hpp"

namespace lanewise::print {
namespace {

constexpr int kExactDigits = 18;

// A turn of a loop that is like the ones before and after it.
bool is_more_of_the_same(const steps::Steps& steps, const std::vector<rounding::RoundingRow>& rows, std::size_t i) {
    if (i < 2 || i + 1 >= rows.size()) return false;
    const auto alike = [&](const rounding::RoundingRow& a, const rounding::RoundingRow& b) {
        return steps.steps[a.step].label == steps.steps[b.step].label && (a.inexact > 0) == (b.inexact > 0) &&
               (a.stopped > 0) == (b.stopped > 0);
    };
    return alike(rows[i], rows[i - 1]) && alike(rows[i - 1], rows[i - 2]) && alike(rows[i], rows[i + 1]);
}

}  // namespace

void print_rounding(std::ostream& out, const lesson::Lesson& lesson, const run::Run& run, Paint paint) {
    print_heading(out, lesson, run, "rounding", paint);
    const rounding::RoundingLens lens = rounding::build_rounding(run.steps);
    if (!lens.why_not.empty()) {
        out << lens.why_not << '\n';
        return;
    }
    out << paint.faint("the sum of each step that is furthest off, compared with the exact sum of all that came into it")
        << '\n';
    Table table({"step", "", "of", "worst sum", "exact", "rounded", "ulp", "inexact", "stopped"}, 4);
    const auto at = [&](std::int32_t sum) -> const Sum& { return lens.sum(sum); };
    const auto rows = rounding::rounding_rows(run.steps, lens);
    std::vector<bool> marked;
    std::size_t folded = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const rounding::RoundingRow& row = rows[i];
        if (is_more_of_the_same(run.steps, rows, i)) {
            ++folded;
            continue;
        }
        if (folded > 0) {
            table.add({"…", fmt::format("{} more", folded), "", "", "", "", "", "", ""});
            marked.push_back(false);
            folded = 0;
        }
        marked.push_back(row.stopped > 0 || at(row.worst).overflowed);
        const Sum& worst = at(row.worst);
        const std::string value = rounding::full_value(worst.type, worst.bits);
        table.add(
            {fmt::format("{}", row.step + 1), run.steps.steps[row.step].label,
             fmt::format("{} {}", row.sums, element_name(worst.type)),
             row.inexact == 0 ? "all exact" : fmt::format("{}:{}:{}", worst.warp.block, worst.warp.warp, worst.lane),
             lens.exact[static_cast<std::size_t>(row.worst)].decimal(kExactDigits), value + (worst.recorded ? "" : "*"),
             rounding::format_ulps(worst), fmt::format("{}", row.inexact),
             row.stopped ? fmt::format("{}", row.stopped) : ""});
    }
    const auto lines = table.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool bad = i > 0 && marked[i - 1];
        out << (i == 0 ? paint.faint(lines[i]) : bad ? paint.warning(lines[i]) : lines[i]) << '\n';
    }
    out << paint.faint(
               "worst sum: block:warp:lane; ulp: of its own format, at the exact sum; * no record holds it: worked out "
               "from "
               "those that do")
        << '\n';
    const rounding::RoundingLoss loss = rounding::rounding_loss(lens);
    if (loss.worst == Sum::kNone) {
        out << paint.result("Nothing was rounded: every sum is exact.") << '\n';
    } else {
        const Sum& worst = at(loss.worst);
        out << "Most is lost at step " << worst.step + 1 << ", " << rounding::where_of(worst) << ": "
            << rounding::describe_addition(lens, loss.worst) << '\n';
    }
    if (loss.stops > 0) {
        const Sum& first = at(loss.stopped);
        out << paint.warning(fmt::format("{}; first at step {}, {}: ",
                                         scene::absorbed_text(loss.stops),
                                         first.step + 1, rounding::where_of(first)))
            << rounding::describe_addition(lens, loss.stopped) << '\n';
    }
    if (lens.unknown > 0)
        out << paint.faint(fmt::format(
                   "{} unknown: something else than a sum of inputs came in, or what was added left no record.",
                   counted(lens.unknown, "addition")))
            << '\n';
}

}  // namespace lanewise::print
