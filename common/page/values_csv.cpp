#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/base/element.hpp"
#include "common/page/document.hpp"
#include "common/scene/held.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/part.hpp"

namespace lanewise::page {
namespace {

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

std::optional<Value> value_of(const scene::LaneCell& cell) {
    return cell.known ? std::optional<Value>({cell.type, cell.bits}) : std::nullopt;
}

// "load+load+store": the lane's own instructions.
std::string operations(const scene::Part& part, int lane) {
    std::string names;
    for (const scene::Instruction& each : part.instructions)
        if ((each.lanes >> lane) & 1u) names += (names.empty() ? "" : "+") + std::string(each.op);
    return names;
}

// "in[3] = 5; out[3] <- 26": what it read and wrote.
std::string words(const scene::LaneFacts& facts) {
    std::string all;
    for (const scene::Access& access : facts.accesses) {
        const std::string verb = access.touch == scene::Touch::read    ? " = "
                                 : access.touch == scene::Touch::write ? " <- "
                                                                       : " " + std::string(access.op) + " ";
        all += (all.empty() ? "" : "; ") + access.array + "[" + std::to_string(access.index) + "]" + verb +
               format_element(access.type, access.bits);
    }
    return all;
}

class Rows {
public:
    explicit Rows(const run::Run& run) : steps_(scene::steps_of(run)), outline_(scene::outline_of(run)) {}

    std::string text() {
        out_ =
            "launch,block,warp,lane,step,label,stage,line,operation,source_lane,before,received,after,before_bits,"
            "received_bits,"
            "after_bits,type,inputs,words\r\n";
        for (std::size_t k = 0; k < outline_.steps.size(); ++k) {
            for (const std::size_t w : scene::warps_in(steps_, k)) {
                const scene::Part part = scene::part_of(steps_, k, outline_.warps[w]);
                for (const scene::LaneFacts& facts : part.facts) row(part, facts);
            }
        }
        return std::move(out_);
    }

private:
    void row(const scene::Part& part, const scene::LaneFacts& facts) {
        const std::size_t k = part.step;
        const scene::StepHead& step = outline_.steps[k];
        const int lane = facts.lane;
        const scene::LaneCell then = scene::held(steps_, k, part.warp, lane);
        std::optional<Value> before = value_of(scene::held(steps_, k == 0 ? kNoStep : k - 1, part.warp, lane)),
                             received, after = value_of(then);
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
                if (access.touch == scene::Touch::read) received = Value{access.type, access.bits};
        const bool has_source = facts.active && step.kind == StepKind::shuffle && facts.view.source >= 0;
        const std::optional<Value>& typed = after ? after : received ? received : before;
        // A value with parts: "(3, 1)", and the bits of each.
        std::string texts[3] = {decimal(before), decimal(received), decimal(after)};
        std::string bits[3] = {hex(before), hex(received), hex(after)};
        const bool has_after =
            std::all_of(facts.parts.begin(), facts.parts.end(), [](const auto& p) { return p.has_after; });
        using Part = scene::LaneFacts::ValuePart;
        for (const auto& [at, which] : {std::pair{0, &Part::before}, {1, &Part::received}, {2, &Part::after}}) {
            if (facts.parts.empty() || (at == 1 && facts.view.undefined) || (at == 2 && !has_after)) continue;
            texts[at] = field(scene::parts_text(facts.parts, which));
            bits[at].clear();
            for (const Part& each : facts.parts)
                bits[at] += (bits[at].empty() ? "0x" : " 0x") + format_bits(each.type, each.*which);
        }
        if (facts.parts.empty() && !then.more.empty()) texts[2] = field(scene::value_text(then));
        std::string inputs;
        if (outline_.input_count > 0) inputs = std::to_string(then.inputs);
        out_ += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", part.warp.launch,
                            part.warp.block, part.warp.warp, lane, k + 1, field(step.label), field(step.stage),
                            step.line, facts.active ? operations(part, lane) : "idle",
                            has_source ? std::to_string(facts.view.source) : "", texts[0], texts[1], texts[2],
                            bits[0], bits[1], bits[2],
                            typed ? element_name(typed->type) : "", inputs, field(words(facts)));
    }

    const steps::Steps& steps_;
    scene::Outline outline_;
    std::string out_;
};

}  // namespace

std::string values_csv(const run::Run& run) { return Rows(run).text(); }

}  // namespace lanewise::page
