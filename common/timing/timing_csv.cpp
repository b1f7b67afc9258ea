#include <fmt/format.h>

#include <string_view>

#include "common/timing/compare.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::timing {
namespace {

// RFC 4180: in quotes where it holds a comma, a quote or a line end.
std::string field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

std::string optional(std::optional<double> value) { return value ? fmt::format("{:.6g}", *value) : ""; }

}  // namespace

std::string to_csv(const TimingTable& t) {
    std::string text =
        "lesson,gpu,driver,date,l2,variant,element,size,n,block,baseline,limit,on_cpu,value,error,within_bound,median_us,"
        "low_us,high_us,min_us,max_us,samples,outliers,bytes,gb_per_s,percent_of_read,against,times_as_fast,partial\n";
    for (const Timing& row : t.rows)
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},"
                            "{},{:.6g},{},{},{},{}\n",
                            field(t.lesson), field(t.gpu), field(t.driver), field(t.date), field(t.l2), field(row.variant),
                            row.element, row.size, row.n, row.block, int{row.baseline}, int{row.limit}, int{row.on_cpu},
                            row.value, row.error, int{row.within_bound}, row.median_us, row.low_us, row.high_us, row.min_us,
                            row.max_us, row.samples, row.outliers, row.bytes, row.gb_per_s(),
                            optional(percent_of_read(t, row)), field(row.against), optional(times_as_fast(t, row)),
                            t.partial.empty() ? 0 : 1);
    return text;
}

}  // namespace lanewise::timing
