#include <fmt/format.h>

#include "common/timing/compare.hpp"
#include "common/timing/files.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::timing {
namespace {

std::string optional(std::optional<double> value) { return value ? fmt::format("{:.6g}", *value) : ""; }

}  // namespace

std::string to_csv(const TimingTable& t) {
    std::string text =
        "lesson,gpu,driver,date,l2,variant,element,size,n,columns,block,baseline,limit,on_cpu,value,error,within_bound,median_"
        "us,"
        "low_us,high_us,min_us,max_us,samples,outliers,bytes,gb_per_s,percent_of_limit,against,times_as_fast,partial\n";
    for (const Timing& row : t.rows)
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},"
            "{},{:.6g},{},{},{},{}\n",
            csv_field(t.lesson), csv_field(t.gpu), csv_field(t.driver), csv_field(t.date), csv_field(t.l2),
            csv_field(row.variant), row.element, row.size, row.n, row.columns, row.block, int{row.baseline}, int{row.limit},
            int{row.on_cpu}, row.value, row.error, int{row.within_bound}, row.median_us, row.low_us, row.high_us,
            row.min_us, row.max_us, row.samples, row.outliers, row.bytes, row.gb_per_s(),
            optional(percent_of_limit(t, row)), csv_field(row.against), optional(times_as_fast(t, row)),
            t.partial.empty() ? 0 : 1);
    return text;
}

}  // namespace lanewise::timing
