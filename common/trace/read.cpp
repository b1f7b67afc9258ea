#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/trace/checksum.hpp"
#include "common/trace/fields.hpp"
#include "common/trace/io.hpp"
#include "common/trace/read_values.hpp"

namespace lanewise::trace {
namespace {

using namespace reading;

ArrayImage image(const Json& json, const Trace& trace) {
    ArrayImage result;
    result.array = whole<std::uint32_t>(json.at("array"));
    if (result.array >= trace.arrays.size()) throw MalformedTrace("a snapshot names an array that is not there");
    const Array& array = trace.arrays[result.array];
    const Json& values = list(json.at("values"), kMaxLineBytes);
    if (json.contains("first")) result.first = whole<std::uint64_t>(json["first"]);
    if (result.first > array.count || values.size() > array.count - result.first)
        throw MalformedTrace("a snapshot goes past the end of its array");
    const bool known = !json.contains("written");
    result.values.reserve(values.size());
    for (const Json& value : values) {
        const bool written = !value.is_null();
        result.values.push_back(written ? bits(value, array.element) : 0);
        if (known) result.written.push_back(written);
        else if (!written) throw MalformedTrace("a snapshot leaves out an element");
    }
    return result;
}

void read_shuffle(const Json& json, Record& record, std::uint32_t warp_size) {
    if (json.contains("width")) record.width = whole<int>(json["width"], 1, kWarpSize);
    if (record.width & (record.width - 1)) throw MalformedTrace("a width is not a power of two");
    per_lane(json.at("source"), record.active, [&](std::size_t lane, const Json& value) {
        record.source[lane] = whole<std::int8_t>(value, -1, static_cast<std::int8_t>(warp_size - 1));
    });
}

// What the statement did with what its lanes received.
void read_effect(const Json& json, Record& record) {
    once_or_per_lane(json.at("effect"), record.active,
                     [&](std::size_t lane, const Json& value) { record.effect[lane] = effect(value); });
}

void read_after(const Json& json, Record& record) {
    const std::uint32_t active = record.active;
    if (!json.contains("after")) return;
    if (record.op == Op::load) record.after_type = element(json.at("after_type"));
    const Json& after = list(json["after"], kWarpSize);
    for (std::size_t lane = 0; lane < after.size(); ++lane) {
        if (after[lane].is_null()) continue;
        record.after[lane] = bits(after[lane], type_of_after(record));
        record.has_after |= std::uint32_t{1} << lane;
    }
    if (record.has_after & ~active) throw MalformedTrace("a lane that took no part has a value after");
}

void read_access(const Json& json, Record& record, const Trace& trace) {
    record.array = whole<std::uint32_t>(json.at("array"));
    if (record.array >= trace.arrays.size()) throw MalformedTrace("an access names an array that is not there");
    const int size = element_size(record.type);
    if (json.contains("elements")) record.elements = whole<int>(json["elements"], 1, 16 / size);
    per_lane(json.at("at"), record.active, [&](std::size_t lane, const Json& value) {
        record.element_index[lane] = whole<std::int64_t>(value, -kMaxElement, kMaxElement);
    });
    per_lane(json.at("value"), record.active, [&](std::size_t lane, const Json& value) {
        record.value[lane] = elements(value, record.type, record.elements);
    });
}

Record read_record(const Json& json, const Trace& trace) {
    Record record;
    record.source.fill(-1);
    record.op = op_from_name(text(json.at("op")));
    record.launch = whole<std::uint32_t>(json.at("launch"));
    if (record.launch > 0 && record.launch >= trace.header.launches.size())
        throw MalformedTrace("a record names a launch that is not there");
    record.block = whole<std::uint32_t>(json.at("block"));
    record.warp = whole<std::uint32_t>(json.at("warp"), 0, 1023);
    record.index = whole<std::uint32_t>(json.at("index"));
    record.line = whole<int>(json.at("line"), 0);
    record.active = lanes(json.at("active"));
    const std::uint32_t warp_size = trace.header.warp_size;
    if (warp_size < kWarpSize && record.active >> warp_size != 0)
        throw MalformedTrace(fmt::format("a lane past the warp's {} took part", warp_size));
    if (json.contains("type")) record.type = element(json["type"]);
    if (json.contains("mask")) record.mask = lanes(json["mask"]);
    if (json.contains("undefined")) record.undefined = lanes(json["undefined"]);
    if (is_shuffle(record.op)) read_shuffle(json, record, warp_size);
    if (is_exchange(record.op)) read_effect(json, record);
    if (has_after(record.op)) read_after(json, record);
    if (has_before(record.op))
        per_lane(json.at("before"), record.active, [&](std::size_t lane, const Json& value) {
            record.before[lane] = bits(value, record.type);
        });
    if (has_arg(record.op)) {
        const bool is_fence = record.op == Op::fence;   // block, device, system
        once_or_per_lane(json.at("arg"), record.active, [&](std::size_t lane, const Json& value) {
            record.arg[lane] = is_fence ? whole<std::int32_t>(value, 0, 2) : whole<std::int32_t>(value);
        });
    }
    if (is_access(record.op) || is_atomic(record.op)) read_access(json, record, trace);
    if (has_received(record.op))
        per_lane(json.at("received"), record.active, [&](std::size_t lane, const Json& value) {
            record.received[lane] = bits(value, received_type(record));
        });
    if (json.contains("shared"))
        for (const Json& entry : list(json["shared"], 4096)) record.shared.push_back(image(entry, trace));
    return record;
}

std::array<std::uint32_t, 3> extent(const Json& json) {
    if (list(json, 3).size() != 3) throw MalformedTrace("an extent has not three numbers");
    return {whole<std::uint32_t>(json[0]), whole<std::uint32_t>(json[1]), whole<std::uint32_t>(json[2])};
}

Statement::Lines lines_of(const Json& json, const char* key) {
    const auto there = json.find(key);
    if (there == json.end()) return {};
    if (list(*there, 2).size() != 2) throw MalformedTrace("lines are not two numbers");
    return {whole<int>((*there)[0], 0), whole<int>((*there)[1], 0)};
}

// A number from 0 to 1.
double part_of_one(const Json& json) {
    if (!json.is_number()) throw MalformedTrace("a tolerance is no number");
    const double value = json.get<double>();
    if (!(value >= 0 && value <= 1)) throw MalformedTrace("a tolerance is not from 0 to 1");
    return value;
}

bool truth_or_not(const Json& json, const char* key) { return json.contains(key) && parse_bool(json[key]); }

Statement read_statement(const Json& json) {
    Statement statement;
    statement.line = whole<int>(json.at("line"), 0);
    statement.last_line = whole<int>(json.at("last_line"), 0);
    statement.effect = effect(json.at("effect"));
    statement.target = text(json.at("target"));
    statement.to_memory = parse_bool(json.at("to_memory"));
    statement.conditional = truth_or_not(json, "conditional");
    statement.copies = truth_or_not(json, "copies");
    statement.calls = truth_or_not(json, "calls");
    if (json.contains("loads")) statement.loads = whole<int>(json["loads"], 0);
    if (json.contains("uses"))
        for (const Json& name : list(json["uses"], kMaxUses)) statement.uses.push_back(text(name));
    statement.function = lines_of(json, "function");
    statement.loop = lines_of(json, "loop");
    statement.branch = lines_of(json, "branch");
    statement.offers = text_or_empty(json, "offers");
    statement.call = text_or_empty(json, "call");
    return statement;
}

void read_header(const Json& json, Trace& trace) {
    Header& header = trace.header;
    header.lesson = text(json.at("lesson"));
    header.variant = text(json.at("variant"));
    const Json& source = json.at("source");
    const std::string kind = text(source.at("kind"));
    if (kind != "gpu" && kind != "emulator") throw MalformedTrace("it comes from neither a GPU nor the emulator");
    header.source.kind = kind == "gpu" ? SourceKind::gpu : SourceKind::emulator;
    header.source.gpu = text_or_empty(source, "gpu");
    header.source.driver = text_or_empty(source, "driver");
    header.source.compute_capability = text_or_empty(source, "compute_capability");
    header.source.order = text_or_empty(source, "order");
    header.date = text(json.at("date"));
    header.n = whole<std::uint64_t>(json.at("n"));
    header.block = whole<std::uint32_t>(json.at("block"));
    if (json.contains("warp_size")) header.warp_size = whole<std::uint32_t>(json["warp_size"], 4, kWarpSize);
    if (header.warp_size & (header.warp_size - 1)) throw MalformedTrace("a warp has not 4, 8, 16 or 32 lanes");
    if (json.contains("offset")) header.offset = whole<std::uint32_t>(json["offset"]);
    if (json.contains("columns")) header.columns = whole<std::uint64_t>(json["columns"]);
    if (json.contains("tolerance")) header.tolerance = part_of_one(json["tolerance"]);
    if (json.contains("controls"))
        for (const Json& entry : list(json["controls"], 64))
            header.controls.emplace_back(text(list(entry, 2).at(0)), text(entry.at(1)));
    if (json.contains("values"))
        for (const Json& value : list(json["values"], 1024)) header.values.push_back(number(value));
    header.seed = whole<std::uint64_t>(json.at("seed"));
    header.input = text(json.at("input"));
    header.kernel_file = text(json.at("kernel_file"));
    header.kernel_hash = text(json.at("kernel_hash"));
    header.code_hash = text_or_empty(json, "code_hash");
    for (const Json& entry : list(json.at("launches"), 4096))
        header.launches.push_back({text(entry.at("kernel")), extent(entry.at("grid")), extent(entry.at("block")),
                                   whole<std::uint32_t>(entry.at("dynamic_shared_bytes"))});
    for (const Json& entry : list(json.at("statements"), 65536))
        header.statements.push_back(read_statement(entry));
    for (const Json& entry : list(json.at("blocks"), 65536)) header.blocks.push_back(whole<std::uint32_t>(entry));
    header.accesses_from = text_or_empty(json, "accesses_from");
    const std::string verdict = text_or_empty(json, "verdict");
    for (const Verdict known : {Verdict::clean, Verdict::wrong, Verdict::not_decided})
        if (verdict == verdict_name(known)) trace.verdict = known;
    trace.undecided = text_or_empty(json, "undecided");
    if (json.contains("partial")) {
        trace.partial = true;
        trace.partial_reason = text(json["partial"]);
    }
}

Finding read_finding(const Json& json) {
    Finding finding;
    finding.kind = text(json.at("finding"));
    finding.kernel = text(json.at("kernel"));
    finding.line = whole<int>(json.at("line"), 0);
    finding.block = whole<std::uint32_t>(json.at("block"));
    finding.warp = whole<std::uint32_t>(json.at("warp"));
    finding.lanes = lanes(json.at("lanes"));
    finding.count = whole<std::uint64_t>(json.at("count"));
    finding.sentence = text(json.at("sentence"));
    const std::string severity = text_or_empty(json, "severity");
    if (!severity.empty() && severity != "note" && severity != "wrong")
        throw MalformedTrace("a finding is neither wrong nor a note");
    finding.severity = severity == "note" ? Severity::note : Severity::wrong;
    finding.advice = text_or_empty(json, "advice");
    if (json.contains("launch")) finding.launch = whole<std::uint32_t>(json["launch"]);
    finding.array = text_or_empty(json, "of");
    if (json.contains("at")) finding.index = whole<std::int64_t>(json["at"]);
    if (json.contains("record")) finding.record = whole<std::int64_t>(json["record"], 0);
    finding.value = text_or_empty(json, "value");
    if (!json.contains("other")) return finding;
    const Json& place = json["other"];
    FindingPlace& other = finding.other.emplace();
    other.line = whole<int>(place.at("line"), 0);
    other.block = whole<std::uint32_t>(place.at("block"));
    other.warp = whole<std::uint32_t>(place.at("warp"));
    other.lanes = lanes(place.at("lanes"));
    if (place.contains("record")) other.record = whole<std::int64_t>(place["record"], 0);
    other.value = text_or_empty(place, "value");
    return finding;
}

Output read_output(const Json& json) {
    Output output{text(json.at("output")), element(json.at("element")), whole<std::uint64_t>(json.at("count")), {}};
    for (const Json& value : list(json.at("values"), kMaxOutput)) output.values.push_back(bits(value, output.element));
    return output;
}

Rerun read_rerun(const Json& json) {
    Rerun rerun{text(json.at("rerun")), {}};
    for (const Json& output : list(json.at("outputs"), kMaxRerunOutputs)) rerun.outputs.push_back(read_output(output));
    return rerun;
}

using Blocks = std::set<std::pair<std::uint32_t, std::uint32_t>>;   // launch and block, of those that records name

// One line after the header. Kinds of lines that a newer minor version added are passed over.
void read_line(const Json& json, Trace& trace, Blocks& blocks) {
    if (json.contains("op")) {
        if (trace.records.size() == kMaxRecords)
            throw MalformedTrace(fmt::format("there are more than {} records", kMaxRecords));
        Record record = read_record(json, trace);
        blocks.emplace(record.launch, record.block);
        if (blocks.size() * (trace.records.size() + 1) > kMaxRecordsTimesBlocks)
            throw MalformedTrace(fmt::format("there are {} records of {} blocks; their product can be at most {}",
                                             trace.records.size() + 1, blocks.size(), kMaxRecordsTimesBlocks));
        trace.records.push_back(std::move(record));
    } else if (json.contains("array")) {
        const std::string space = text(json.at("space"));
        if (space != "shared" && space != "global") throw MalformedTrace("an array is neither shared nor global");
        trace.arrays.push_back({text(json.at("array")), space == "shared" ? Space::shared : Space::global,
                                element(json.at("element")), whole<std::uint64_t>(json.at("count"))});
    } else if (json.contains("finding")) {
        trace.findings.push_back(read_finding(json));
    } else if (json.contains("output")) {
        trace.outputs.push_back(read_output(json));
    } else if (json.contains("plain")) {
        trace.plain.push_back(read_output(json["plain"]));
    } else if (json.contains("rerun")) {
        if (trace.reruns.size() == kMaxReruns)
            throw MalformedTrace(fmt::format("there are more than {} reruns", kMaxReruns));
        trace.reruns.push_back(read_rerun(json));
    } else if (!json.is_object()) {
        throw MalformedTrace("it is not a part of a trace");
    }
}

// Lines of a stream, with the caps.
class Lines {
public:
    explicit Lines(std::istream& in) : in_(*in.rdbuf()) {}

    // False at the end of the file.
    bool next() {
        line_.clear();
        complete_ = false;
        for (int c = in_.sbumpc(); c != std::char_traits<char>::eof(); c = in_.sbumpc()) {
            if (++bytes_ > kMaxFileBytes)
                throw MalformedTrace(fmt::format("the file is larger than {} MiB", kMaxFileBytes >> 20));
            line_ += static_cast<char>(c);
            if (c == '\n') {
                complete_ = true;
                break;
            }
            if (line_.size() > kMaxLineBytes)
                throw MalformedTrace(fmt::format("the line is longer than {} MiB", kMaxLineBytes >> 20));
        }
        number_ += !line_.empty();
        return !line_.empty();
    }

    const std::string& text() const { return line_; }
    bool complete() const { return complete_; }   // ends in a newline
    std::size_t number() const { return number_; }

private:
    std::streambuf& in_;
    std::string line_;
    bool complete_ = false;
    std::size_t number_ = 0;
    std::size_t bytes_ = 0;
};

Json parse(const std::string& line) {
    Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) throw MalformedTrace("it is not JSON");
    return json;
}

// What is wrong with the present line, from whatever was thrown in reading it.
std::string reason_of(const std::exception& error) {
    // A library's own messages name its internals; ours are sentences.
    return dynamic_cast<const Json::exception*>(&error) != nullptr ? "a field is missing or of another kind"
                                                                   : error.what();
}

void read_first_line(Lines& lines, Trace& trace, const std::string& name) {
    try {
        if (!lines.next()) throw MalformedTrace("it is empty");
        const Json json = parse(lines.text());
        if (!json.is_object() || json.value("format", Json()) != "lanewise trace")
            throw MalformedTrace("its first line is not the header of one");
        trace.header.major = whole<int>(json.at("major"), 0);
        trace.header.minor = whole<int>(json.at("minor"), 0);
        if (trace.header.major > kFormatMajor)
            throw Error(
                fmt::format("{} is a trace of format {}.{}; this program reads formats up to {}.{}. Use a newer "
                            "Lanewise, or record the trace again with this one.",
                            name, trace.header.major, trace.header.minor, kFormatMajor, kFormatMinor));
        read_header(json, trace);
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throw Error(fmt::format("{} is not a trace that can be read: {}. Record one with --save-trace.", name,
                                reason_of(error)));
    }
}

}  // namespace

Trace read(std::istream& in, const std::string& name) {
    Trace trace;
    Lines lines(in);
    read_first_line(lines, trace, name);
    Fnv1a sum;
    sum.add(lines.text());

    const auto stop = [&](const std::string& why) {
        trace.partial = true;
        trace.partial_reason =
            fmt::format("{} {}; the {} records before that are shown.", name, why, trace.records.size());
        return std::move(trace);
    };
    bool ended = false;
    Blocks blocks;
    try {
        while (lines.next()) {
            if (ended) return stop(fmt::format("goes on after its end, at line {}", lines.number()));
            const Json json = parse(lines.text());
            if (json.contains("end")) {
                const Json& end = json["end"];
                if (whole<std::size_t>(end.at("lines")) != lines.number() - 1)
                    return stop(fmt::format("has {} lines where its end says {}", lines.number() - 1,
                                            whole<std::size_t>(end.at("lines"))));
                if (hex(end.at("fnv1a")) != sum.value())
                    return stop("does not have the contents that its checksum says, so values may be wrong");
                ended = true;
                continue;
            }
            read_line(json, trace, blocks);
            sum.add(lines.text());
        }
    } catch (const std::exception& error) {
        if (!lines.complete() && in.rdbuf()->sgetc() == std::char_traits<char>::eof())
            return stop(fmt::format("is cut off in line {}", lines.number()));
        return stop(fmt::format("cannot be read from line {} on ({})", lines.number(), reason_of(error)));
    }
    if (!ended) return stop(fmt::format("is cut off after line {}", lines.number()));
    return trace;
}

Trace load(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw Error(fmt::format("{} is a folder; name a trace file in it.", path.string()));
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        const int reason = errno != 0 ? errno : ENOENT;
        throw Error(fmt::format("The trace {} cannot be opened: {}. Record one with --save-trace.", path.string(),
                                std::strerror(reason)));
    }
    return read(in, path.string());
}

}  // namespace lanewise::trace
