#include "common/steps/update.hpp"

#include <algorithm>

namespace lanewise::steps {

using trace::Record;

Update update_of(const trace::Trace& trace, const WarpStep& step, std::size_t lane) {
    Update update;
    for (const std::size_t number : step.records) {
        const Record& record = trace.records[number];
        if (record.op == trace::Op::store && takes_part(record, lane)) update.store = &record;
    }
    if (update.store == nullptr) return update;
    int others = 0;
    for (const std::size_t number : step.records) {
        const Record& record = trace.records[number];
        if (record.op != trace::Op::load || !takes_part(record, lane)) continue;
        const bool same_word = record.array == update.store->array &&
                               record.element_index[lane] == update.store->element_index[lane];
        if (same_word) {
            update.own = &record;
        } else {
            update.other = &record;
            ++others;
        }
    }
    if (others > 1) update.other = nullptr;
    return update;
}

std::uint64_t sum_bits(Element type, std::uint64_t a, std::uint64_t b) {
    switch (type) {
        case Element::f32: return to_bits(from_bits<float>(a) + from_bits<float>(b));
        case Element::f64: return to_bits(from_bits<double>(a) + from_bits<double>(b));
        case Element::f16:
        case Element::bf16:
            return element_from_double(type, element_to_double(type, a) + element_to_double(type, b));
        default: {
            const int size = element_size(type);
            const std::uint64_t sum = a + b;
            return size == 8 ? sum : sum & ((std::uint64_t{1} << (size * 8)) - 1);
        }
    }
}

const char* update_name(const trace::Trace& trace, const Step& step) {
    bool any = false, add = true, max = true, min = true;
    for (const WarpStep& warp : step.warps) {
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
            const Update update = update_of(trace, warp, lane);
            if (update.store == nullptr) continue;
            if (update.own == nullptr || update.other == nullptr) return "update";
            any = true;
            const Element type = update.store->type;
            const std::uint64_t a = accessed(*update.own, lane);
            const std::uint64_t b = accessed(*update.other, lane);
            const std::uint64_t result = accessed(*update.store, lane);
            const double left = element_to_double(type, a);
            const double right = element_to_double(type, b);
            const double held = element_to_double(type, result);
            add = add && same_value(type, sum_bits(type, a, b), result);
            max = max && held == std::max(left, right);
            min = min && held == std::min(left, right);
        }
    }
    if (!any) return "update";
    return add ? "add" : max ? "max" : min ? "min" : "update";
}

}  // namespace lanewise::steps
