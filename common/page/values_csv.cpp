#include <optional>

#include <fmt/format.h>

#include "common/base/element.hpp"
#include "common/page/document.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/scene/warps.hpp"

namespace lanewise::page {
namespace {

using steps::StepKind;

struct Value {
    Element type = Element::f32;
    std::uint64_t bits = 0;
};

// RFC 4180: in quotes where it holds a comma, a quote or a line end.
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

std::string decimal(const std::optional<Value>& value) { return value ? format_element(value->type, value->bits) : ""; }
std::string hex(const std::optional<Value>& value) { return value ? "0x" + format_bits(value->type, value->bits) : ""; }

std::optional<Value> held(const steps::Steps& steps, std::size_t k, const steps::WarpRef& warp, int lane) {
    const steps::LaneValues& lane_values = steps.lane_values(k, warp);
    if (!((lane_values.known >> lane) & 1u)) return std::nullopt;
    return Value{lane_values.type, lane_values.bits[static_cast<std::size_t>(lane)]};
}

// "load+load+store": the lane's own records.
std::string operations(const steps::Steps& steps, const steps::WarpStep& part, int lane) {
    std::string names;
    for (const std::size_t number : part.records) {
        const trace::Record& record = steps.trace->records[number];
        if ((record.active >> lane) & 1u) names += (names.empty() ? "" : "+") + std::string(trace::op_name(record.op));
    }
    return names;
}

// "in[3] = 5; out[3] <- 26": what it read and wrote.
std::string words(const scene::LaneFacts& facts) {
    std::string all;
    for (const scene::Access& access : facts.accesses) {
        const std::string verb = access.op == trace::Op::load    ? " = "
                                 : access.op == trace::Op::store ? " <- "
                                                                 : " " + std::string(trace::op_name(access.op)) + " ";
        all += (all.empty() ? "" : "; ") + access.array + "[" + std::to_string(access.index) + "]" + verb +
               format_element(access.type, access.bits);
    }
    return all;
}

class Rows {
public:
    explicit Rows(const lesson::Run& run) : steps_(run.steps) {}

    std::string text() {
        out_ =
            "launch,block,warp,lane,step,label,stage,line,operation,source_lane,before,received,after,before_bits,"
            "received_bits,"
            "after_bits,type,inputs,words\r\n";
        for (std::size_t k = 0; k < steps_.size(); ++k)
            for (const steps::WarpStep& part : steps_.steps[k].warps)
                for (const scene::LaneFacts& facts : scene::lane_facts(steps_, k, part.warp)) row(k, part, facts);
        return std::move(out_);
    }

private:
    void row(std::size_t k, const steps::WarpStep& part, const scene::LaneFacts& facts) {
        const steps::Step& step = steps_.steps[k];
        const int lane = facts.lane;
        std::optional<Value> before = held(steps_, k == 0 ? steps::kNoStep : k - 1, part.warp, lane), received,
                             after = held(steps_, k, part.warp, lane);
        const bool exchanges = step.kind == StepKind::shuffle || step.kind == StepKind::reduce;
        if (facts.active && (exchanges || step.kind == StepKind::atomic)) {
            if (facts.view.has_received && !facts.view.undefined) received = Value{facts.type, facts.view.received};
            if (exchanges) before = Value{facts.type, facts.view.before};
            if (exchanges && facts.view.has_after) after = Value{facts.type, facts.view.after};
        }
        if (facts.active && facts.has_offered) before = Value{facts.type, facts.offered};
        if (facts.active && facts.has_answer) received = Value{facts.answer_type, facts.answer};
        if (facts.active && step.kind == StepKind::load)
            for (const scene::Access& access : facts.accesses)
                if (access.op == trace::Op::load) received = Value{access.type, access.bits};
        const bool has_source = facts.active && step.kind == StepKind::shuffle && facts.view.source >= 0;
        const std::optional<Value>& typed = after ? after : received ? received : before;
        std::string inputs;
        if (steps_.input_count > 0) {
            const auto& ids = steps_.lane_values(k, part.warp).inputs;
            inputs = std::to_string(steps_.provenances[ids[static_cast<std::size_t>(lane)]].count());
        }
        out_ += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", part.warp.launch,
                            part.warp.block, part.warp.warp, lane, k + 1, field(step.label), field(step.stage),
                            step.line, facts.active ? operations(steps_, part, lane) : "idle",
                            has_source ? std::to_string(facts.view.source) : "", decimal(before), decimal(received),
                            decimal(after), hex(before), hex(received), hex(after),
                            typed ? element_name(typed->type) : "", inputs, field(words(facts)));
    }

    const steps::Steps& steps_;
    std::string out_;
};

}  // namespace

std::string values_csv(const lesson::Run& run) { return Rows(run).text(); }

}  // namespace lanewise::page
