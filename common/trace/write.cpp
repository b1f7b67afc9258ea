#include <algorithm>
#include <ostream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/kernel_text.hpp"
#include "common/base/whole_file.hpp"
#include "common/trace/checksum.hpp"
#include "common/trace/fields.hpp"
#include "common/trace/io.hpp"

namespace lanewise::trace {
namespace {

using Json = nlohmann::ordered_json;

// What is written can be read again: no longer than the reader's cap.
std::string capped(const std::string& text) { return text.substr(0, kMaxStringBytes); }

std::string hex32(std::uint32_t bits) { return fmt::format("{:08x}", bits); }

const char* effect_name(Effect effect) {
    switch (effect) {
        case Effect::replace: return "replace";
        case Effect::join: return "join";
        case Effect::keep: return "keep";
        case Effect::unknown: break;
    }
    return "unknown";
}

// An array with the value of each lane up to the last of `lanes`, null for lanes that are not among them.
template <class F>
Json per_lane(std::uint32_t lanes, F value) {
    Json list = Json::array();
    for (int lane = 0; lane < kWarpSize && lanes >> lane != 0; ++lane)
        list.push_back(lanes >> lane & 1 ? Json(value(static_cast<std::size_t>(lane))) : Json());
    return list;
}

// The one value of all active lanes, else an array.
template <class F>
Json once_or_per_lane(std::uint32_t lanes, F value) {
    Json list = per_lane(lanes, value);
    const Json* first = nullptr;
    for (const Json& entry : list) {
        if (entry.is_null()) continue;
        if (first != nullptr && *first != entry) return list;
        first = &entry;
    }
    return first != nullptr ? *first : list;
}

Json bits_of(const Record& record, std::uint32_t lanes, const PerLane<std::uint64_t>& bits, Element type) {
    return per_lane(lanes & record.active, [&](std::size_t lane) { return format_bits(type, bits[lane]); });
}
Json bits_of(const Record& record, std::uint32_t lanes, const PerLane<std::uint64_t>& bits) {
    return bits_of(record, lanes, bits, record.type);
}

std::string elements_of(const Record& record, std::size_t lane) {
    std::string text;
    for (int k = 0; k < record.elements; ++k) {
        if (k > 0) text += ' ';
        text += format_bits(record.type, element_at(record.value[lane], record.type, k));
    }
    return text;
}

Json image_json(const ArrayImage& image, Element element) {
    Json json{{"array", image.array}};
    if (image.first != 0) json["first"] = image.first;
    const bool known = image.written.size() == image.values.size();
    if (!known) json["written"] = "unknown";
    Json values = Json::array();
    for (std::size_t i = 0; i < image.values.size(); ++i)
        values.push_back(known && !image.written[i] ? Json() : Json(format_bits(element, image.values[i])));
    json["values"] = std::move(values);
    return json;
}

Json record_json(const Record& record, const Trace& trace) {
    Json json{{"op", op_name(record.op)}, {"launch", record.launch}, {"block", record.block},
              {"warp", record.warp},      {"index", record.index},   {"line", record.line}};
    if (has_type(record.op)) json["type"] = std::string(element_name(record.type));
    json["active"] = hex32(record.active);
    if (is_collective(record.op) && !is_block_barrier(record.op)) json["mask"] = hex32(record.mask);
    if (record.undefined & record.active) json["undefined"] = hex32(record.undefined & record.active);
    if (is_shuffle(record.op) && record.width != kWarpSize) json["width"] = record.width;
    if (is_exchange(record.op))
        json["effect"] = once_or_per_lane(
            record.active, [&](std::size_t lane) { return std::string(effect_name(record.effect[lane])); });
    if (is_shuffle(record.op))
        json["source"] = per_lane(record.active, [&](std::size_t lane) { return int{record.source[lane]}; });
    if (has_before(record.op)) json["before"] = bits_of(record, record.active, record.before);
    if (has_arg(record.op))
        json["arg"] = once_or_per_lane(record.active, [&](std::size_t lane) { return record.arg[lane]; });
    if (is_access(record.op) || is_atomic(record.op)) {
        json["array"] = record.array;
        if (record.elements != 1) json["elements"] = record.elements;
        json["at"] = per_lane(record.active, [&](std::size_t lane) { return record.element_index[lane]; });
        json["value"] = per_lane(record.active, [&](std::size_t lane) { return elements_of(record, lane); });
    }
    if (has_received(record.op))
        json["received"] = bits_of(record, record.active, record.received, received_type(record));
    if (has_after(record.op) && (record.has_after & record.active)) {
        json["after"] = bits_of(record, record.has_after, record.after, type_of_after(record));
        if (record.op == Op::load) json["after_type"] = std::string(element_name(record.after_type));
    }
    if (!record.shared.empty()) {
        Json images = Json::array();
        for (const ArrayImage& image : record.shared) {
            if (image.array >= trace.arrays.size())
                throw Error(fmt::format("A snapshot of the trace names array {}, but it has {} arrays.", image.array,
                                        trace.arrays.size()));
            images.push_back(image_json(image, trace.arrays[image.array].element));
        }
        json["shared"] = std::move(images);
    }
    return json;
}

Json source_json(const Source& source) {
    Json json{{"kind", source.kind == SourceKind::gpu ? "gpu" : "emulator"}};
    if (!source.gpu.empty()) json["gpu"] = capped(source.gpu);
    if (!source.driver.empty()) json["driver"] = capped(source.driver);
    if (!source.compute_capability.empty()) json["compute_capability"] = capped(source.compute_capability);
    if (!source.order.empty()) json["order"] = capped(source.order);
    return json;
}

// What there is to say beyond the effect.
void add_facts(Json& json, const Statement& statement) {
    if (statement.conditional) json["conditional"] = true;
    if (statement.copies) json["copies"] = true;
    if (statement.calls) json["calls"] = true;
    if (statement.loads != 0) json["loads"] = statement.loads;
    Json uses = Json::array();
    for (std::size_t i = 0; i < std::min(statement.uses.size(), kMaxUses); ++i)
        uses.push_back(capped(statement.uses[i]));
    if (!uses.empty()) json["uses"] = std::move(uses);
    const auto add_lines = [&](const char* name, const Statement::Lines& lines) {
        if (lines.last != 0) json[name] = {lines.first, lines.last};
    };
    add_lines("function", statement.function);
    add_lines("loop", statement.loop);
    add_lines("branch", statement.branch);
    if (!statement.offers.empty()) json["offers"] = capped(statement.offers);
    if (!statement.call.empty()) json["call"] = capped(statement.call);
}

Json header_json(const Trace& trace) {
    const Header& header = trace.header;
    Json json{{"format", "lanewise trace"},
              {"major", kFormatMajor},
              {"minor", kFormatMinor},
              {"lesson", capped(header.lesson)},
              {"variant", capped(header.variant)},
              {"source", source_json(header.source)},
              {"date", capped(header.date)},
              {"n", header.n},
              {"block", header.block},
              {"warp_size", header.warp_size},
              {"offset", header.offset},
              {"seed", header.seed},
              {"input", capped(header.input)},
              {"kernel_file", capped(header.kernel_file)},
              {"kernel_hash", capped(header.kernel_hash)}};
    if (!header.code_hash.empty()) json["code_hash"] = capped(header.code_hash);
    if (header.columns != 0) json["columns"] = header.columns;
    for (const auto& [name, text] : header.controls) json["controls"].push_back({capped(name), capped(text)});
    if (!header.values.empty()) json["values"] = header.values;
    if (header.tolerance > 0) json["tolerance"] = header.tolerance;
    Json launches = Json::array();
    for (const Launch& launch : header.launches)
        launches.push_back({{"kernel", capped(launch.kernel)},
                            {"grid", launch.grid},
                            {"block", launch.block},
                            {"dynamic_shared_bytes", launch.dynamic_shared_bytes}});
    json["launches"] = std::move(launches);
    Json statements = Json::array();
    for (const Statement& statement : header.statements) {
        statements.push_back({{"line", statement.line},
                              {"last_line", statement.last_line},
                              {"effect", effect_name(statement.effect)},
                              {"target", capped(statement.target)},
                              {"to_memory", statement.to_memory}});
        add_facts(statements.back(), statement);
    }
    json["statements"] = std::move(statements);
    json["blocks"] = header.blocks;
    if (!header.accesses_from.empty()) json["accesses_from"] = capped(header.accesses_from);
    if (trace.verdict != Verdict::not_checked) json["verdict"] = verdict_name(trace.verdict);
    if (!trace.undecided.empty()) json["undecided"] = capped(trace.undecided);
    if (trace.partial) json["partial"] = capped(trace.partial_reason);
    return json;
}

// What a finding of the first kinds does not have is left out.
Json finding_json(const Finding& finding) {
    Json json{{"finding", capped(finding.kind)}, {"kernel", capped(finding.kernel)},
              {"line", finding.line},            {"block", finding.block},
              {"warp", finding.warp},            {"lanes", hex32(finding.lanes)},
              {"count", finding.count},          {"sentence", capped(finding.sentence)}};
    if (finding.severity == Severity::note) json["severity"] = "note";
    if (!finding.advice.empty()) json["advice"] = capped(finding.advice);
    if (finding.launch != 0) json["launch"] = finding.launch;
    if (!finding.array.empty()) json.update({{"of", capped(finding.array)}, {"at", finding.index}});
    if (finding.record >= 0) json["record"] = finding.record;
    if (!finding.value.empty()) json["value"] = capped(finding.value);
    if (!finding.other) return json;
    const FindingPlace& place = *finding.other;
    Json& other = json["other"] = {{"line", place.line},
                                   {"block", place.block},
                                   {"warp", place.warp},
                                   {"lanes", hex32(place.lanes)}};
    if (place.record >= 0) other["record"] = place.record;
    if (!place.value.empty()) other["value"] = capped(place.value);
    return json;
}

Json output_json(const Output& output) {
    Json values = Json::array();
    for (const std::uint64_t bits : output.values) values.push_back(format_bits(output.element, bits));
    return {{"output", capped(output.name)},
            {"element", std::string(element_name(output.element))},
            {"count", output.count},
            {"values", std::move(values)}};
}

Json rerun_json(const Rerun& rerun) {
    Json outputs = Json::array();
    for (const Output& output : rerun.outputs)
        if (outputs.size() < kMaxRerunOutputs) outputs.push_back(output_json(output));
    return {{"rerun", capped(rerun.how)}, {"outputs", std::move(outputs)}};
}

}  // namespace

void write(std::ostream& out, const Trace& trace) {
    if (trace.records.size() > kMaxRecords)
        throw Error(fmt::format("The trace has {} records; a file holds at most {}. Record fewer blocks.",
                                trace.records.size(), kMaxRecords));
    if (trace.reruns.size() > kMaxReruns)
        throw Error(fmt::format("The trace has {} reruns; a file holds at most {}. Ask for fewer.", trace.reruns.size(),
                                kMaxReruns));
    Fnv1a sum;
    std::size_t lines = 0;
    const auto put = [&](const Json& json) {
        const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
        sum.add(line);
        out << line;
        ++lines;
    };
    put(header_json(trace));
    for (const Array& array : trace.arrays)
        put({{"array", capped(array.name)},
             {"space", array.space == Space::shared ? "shared" : "global"},
             {"element", std::string(element_name(array.element))},
             {"count", array.count}});
    for (const Record& record : trace.records) put(record_json(record, trace));
    for (const Finding& finding : trace.findings) put(finding_json(finding));
    for (const Output& output : trace.outputs) put(output_json(output));
    for (const Output& output : trace.plain) put({{"plain", output_json(output)}});
    for (const Rerun& rerun : trace.reruns) put(rerun_json(rerun));
    out << Json{{"end", {{"lines", lines}, {"fnv1a", fmt::format("{:016x}", sum.value())}}}}.dump() << '\n';
}

void save(const std::filesystem::path& path, const Trace& trace) {
    std::ostringstream text;
    write(text, trace);
    const std::string why = write_whole_file(path, text.view());
    if (!why.empty())
        throw Error(fmt::format("The trace cannot be written to {}: {}. Name a file in a folder that you may write to.",
                                path.string(), why));
}

std::string fnv1a_hex(std::string_view text) {
    Fnv1a sum;
    sum.add(text);
    return fmt::format("{:016x}", sum.value());
}

void set_kernel_file(Header& header, const std::string& file, std::string_view text) {
    header.kernel_file = file;
    header.kernel_hash = fnv1a_hex(text);
    header.code_hash = fnv1a_hex(code_of(text));
}

bool is_code_of(const Header& header, std::string_view text) {
    return header.code_hash.empty() ? header.kernel_hash == fnv1a_hex(text)
                                    : header.code_hash == fnv1a_hex(code_of(text));
}

}  // namespace lanewise::trace
