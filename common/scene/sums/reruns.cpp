#include "common/scene/sums/reruns.hpp"

#include <algorithm>
#include <set>

#include "common/trace/trace.hpp"

namespace lanewise::scene {
namespace {

const trace::Output* find_output(const std::vector<trace::Output>& outputs, const std::string& name) {
    const auto at =
        std::find_if(outputs.begin(), outputs.end(), [&](const trace::Output& each) { return each.name == name; });
    return at == outputs.end() || at->values.empty() ? nullptr : &*at;
}

RerunTable table_of(const trace::Trace& trace, const trace::Output& output) {
    RerunTable table;
    if (output.values.empty()) return table;
    table.output = output.name;
    table.type = output.element;
    table.rows.push_back({trace::run_name(trace.header.source), output.values.front()});
    std::set<std::uint64_t> different{output.values.front()};
    for (const trace::Rerun& rerun : trace.reruns) {
        const trace::Output* again = find_output(rerun.outputs, output.name);
        if (!again || again->element != output.element) return {};
        table.rows.push_back({rerun.how, again->values.front()});
        different.insert(again->values.front());
    }
    table.results = different.size();
    return table;
}

}  // namespace

std::vector<bool> RerunTable::differing(std::size_t row) const {
    const std::string own = format_bits(type, rows.at(row).bits), first = format_bits(type, rows.at(0).bits);
    std::vector<bool> digits(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) digits[i] = own[i] != first[i];
    return digits;
}

RerunTable rerun_table(const trace::Trace& trace) {
    RerunTable best;
    if (trace.reruns.empty()) return best;
    for (const trace::Output& output : trace.outputs) {
        RerunTable table = table_of(trace, output);
        if (table.results > best.results) best = std::move(table);
    }
    return best;
}

std::string rerun_sentence(const RerunTable& table) {
    return table.output + " of the same values, blocks in other orders: " +
           (table.results == 1 ? "the same result" : std::to_string(table.results) + " different results") + " in " +
           std::to_string(table.rows.size()) + " runs";
}

std::string describe_reruns(const RerunTable& table) {
    if (table.rows.empty()) return {};
    std::string out = rerun_sentence(table) + "\n";
    for (const RerunRow& row : table.rows) {
        out += "  " + row.how + "  " + format_element(table.type, row.bits) + " (0x" +
               format_bits(table.type, row.bits) + ")\n";
    }
    return out;
}

}  // namespace lanewise::scene
