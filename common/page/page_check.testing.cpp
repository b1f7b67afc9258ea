// page_check PROGRAM VARIANT [ARGUMENT…]: writes the variant's page and trace with a lesson's program, drives the page
// through a headless Chromium to its end and back, and compares all that is on it with the trace. Exit status 77
// where there is no Chromium (CHROMIUM names another).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "common/base/folder.testing.hpp"
#include "common/base/kernel_text.hpp"
#include "common/scene/boxes/suppression.hpp"
#include "common/scene/cell_text.hpp"
#include "common/scene/held.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/scene/warps.hpp"
#include "common/steps/steps.hpp"
#include "common/trace/io.hpp"

namespace {

using namespace lanewise;
using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kSkipped = 77;
int failures = 0;

void expect(const std::string& what, const json& found, const json& wanted) {
    if (found == wanted) return;
    if (++failures <= 20)
        std::cerr << what << ": the page has " << found.dump() << ", the trace " << wanted.dump() << '\n';
}

std::string quoted(const std::string& text) {
    std::string all = "'";
    for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return all + "'";
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(path.string() + " cannot be read.");
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string run(const std::string& command) {
    std::FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) throw Error("could not run " + command);
    std::string out;
    char buffer[1 << 16];
    for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, got);
    if (const int status = pclose(pipe)) throw Error(command + " ended with status " + std::to_string(status) + ".");
    return out;
}

std::string chromium() {
    if (const char* named = std::getenv("CHROMIUM")) return named;
    const char* path = std::getenv("PATH");
    std::stringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        for (const char* name : {"chromium", "chromium-browser", "chromium-headless-shell", "google-chrome"})
            if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return fs::path(folder) / name;
    return "";
}

std::string unescaped(std::string text) {
    const std::pair<const char*, const char*> entities[] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&nbsp;", "\xc2\xa0"}, {"&quot;", "\""}, {"&amp;", "&"}};
    for (const auto& [entity, with] : entities)
        for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos; at += std::string(with).size())
            text.replace(at, std::string(entity).size(), with);
    return text;
}

std::string joined(std::string text) {
    std::erase(text, '\n');
    return text;
}

class Check {
public:
    Check(const steps::Steps& steps, const json& report)
        : steps_(steps), boxes_(scene::suppression_of(steps)), report_(report) {}

    void all() {
        expect("errors", report_["errors"], json::array());
        const std::string count = std::to_string(steps_.size()), last = "step " + count + " of " + count,
                          first = "step 1 of " + count;
        for (const auto& [way, inspected] : {std::pair{"forward", true}, {"back", false}}) {
            expect(std::string("steps, ") + way, report_[way].size(), steps_.size());
            for (std::size_t k = 0; k < std::min(report_[way].size(), steps_.size()); ++k)
                step(std::string(way) + " step " + std::to_string(k + 1), report_[way][k], k, inspected);
        }
        expect("End", report_["end"], last);
        expect("a click on the timeline", report_["clicked"], first);
        expect("the slider", report_["slid"], last);
        expect("D changes the theme", report_["theme"], true);
        expect("? opens the keys", report_["keys"], true);
        expect("Esc closes them", report_["keysGone"], true);
        expect("Space plays", report_["playing"], true);
        expect("playing ends at the last step", report_["played"], last);
        expect("and stops", report_["stopped"], true);
        expect("things from elsewhere", report_["outside"], 0);
        std::size_t stage = 0;
        while (stage + 1 < steps_.size() && steps_.steps[stage].stage == steps_.steps[0].stage) ++stage;
        expect("Shift and right", report_["stage"], steps_.steps[stage].stage);
    }

private:
    void step(const std::string& where, const json& seen, std::size_t k, bool inspected) {
        expect(where + ", label", seen["label"], steps_.steps[k].label);
        expect(where + ", line", seen["line"], steps_.steps[k].line);
        expect(where + ", place", seen["place"],
               "step " + std::to_string(k + 1) + " of " + std::to_string(steps_.size()));
        expect(where + ", warps", seen["warps"].size(), steps_.warps.size());
        boxes(where, seen, k);
        for (std::size_t w = 0; w < std::min(seen["warps"].size(), steps_.warps.size()); ++w) {
            const WarpRef& ref = steps_.warps[w];
            const json& warp = seen["warps"][w];
            const std::string here = where + ", " + scene::warp_name(steps_, ref);
            expect(here, warp["name"], scene::warp_name(steps_, ref));
            row(here + ", before", warp["before"], k == 0 ? kNoStep : k - 1, ref, steps_.steps[k].find(ref),
                steps_.steps[k].kind);
            row(here + ", after", warp["after"], k, ref, nullptr, steps_.steps[k].kind);
            for (int lane = 0; lane < scene::lanes_of(steps_, ref); ++lane) {
                expect(here + ", formula of lane " + std::to_string(lane),
                       warp["facts"].at(static_cast<std::size_t>(lane))[0], formula(k, ref, lane));
                expect(here + ", rows of lane " + std::to_string(lane),
                       warp["facts"].at(static_cast<std::size_t>(lane))[1], rows(k, ref, lane));
            }
            if (inspected)
                for (const json& lane : warp["lanes"]) inspector(here, lane, k, ref);
        }
    }

    // Of a non-maximum suppression what became of each box, each bit that is known, those crossed out, the question.
    void boxes(const std::string& where, const json& seen, std::size_t k) {
        static constexpr const char* kFates[] = {"unplaced", "open", "kept", "crossed", "removed"};
        std::vector<std::string> fates, bits, removed;
        for (std::size_t box = 0; box < boxes_.boxes.size(); ++box) {
            const scene::Fate fate = boxes_.fate(box, k);
            if (fate != scene::Fate::unplaced)
                fates.push_back(std::to_string(box) + " " + kFates[static_cast<std::size_t>(fate)]);
            const std::size_t crossed = boxes_.boxes[box].crossed;
            if (crossed != kNoStep && crossed <= k) removed.push_back(std::to_string(box));
            for (std::size_t other = box + 1; other < boxes_.boxes.size(); ++other) {
                const scene::PairBit& bit = boxes_.pair(box, other);
                if (bit.made != kNoStep && bit.made <= k)
                    bits.push_back(std::to_string(box) + " " + std::to_string(other) + (bit.set ? " 1" : " 0"));
            }
        }
        for (auto* list : {&fates, &bits, &removed}) std::sort(list->begin(), list->end());
        expect(where + ", boxes", seen["boxes"], fates);
        expect(where + ", bits", seen["bits"], bits);
        expect(where + ", removed", seen["removed"], removed);
        const scene::ChainQuestion* const asked = scene::open_question(boxes_, k);
        const scene::ChainQuestion* const answered = scene::last_answered(boxes_, k);
        expect(where + ", question", seen["asked"], asked ? json("Predict " + asked->text + "YesNo") : json());
        expect(where + ", answer", seen["answered"], answered ? json(answered->answer) : json());
    }

    void row(const std::string& where, const json& seen, std::size_t k, const WarpRef& ref,
             const steps::WarpStep* offers, StepKind kind) {
        const steps::LaneValues& held = steps_.lane_values(k, ref);
        const auto lanes = static_cast<std::size_t>(scene::lanes_of(steps_, ref));
        expect(where + ", lanes", seen.size(), lanes);
        for (std::size_t lane = 0; lane < std::min(lanes, seen.size()); ++lane) {
            bool known = (held.known >> lane) & 1u;
            Element type = held.type;
            std::uint64_t bits = held.bits[lane];
            std::vector<scene::LaneCell::Part> more;   // of a value with parts
            for (const auto& part : held.more)
                if (part.known >> lane & 1u) more.push_back({part.bits[lane], part.type});
            // What lanes offer is known better than what they were last seen to hold.
            const bool exchange = kind == StepKind::shuffle || kind == StepKind::reduce;
            const trace::Record* record = offers ? &steps_.trace->records[offers->records.front()] : nullptr;
            const bool compares = kind == StepKind::vote && record && !trace::is_predicate_vote(record->op);
            if (record && (exchange || compares) && ((scene::active_lanes(steps_, offers) >> lane) & 1u)) {
                known = true;
                type = record->type;
                bits = compares ? record->before[lane] : offers->lanes[lane].before;
                more.clear();
                for (std::size_t part = 1; part < offers->parts.size(); ++part) {
                    const trace::Record& further = steps_.trace->records[offers->records[part]];
                    more.push_back({further.before[lane], further.type});
                }
            }
            std::string text = format_element(type, bits);
            for (const auto& part : more) text += ", " + format_element(part.type, part.bits);
            if (!more.empty()) text = "(" + text + ")";
            scene::LaneCell cell;
            cell.bits = bits;
            cell.type = type;
            cell.more = more;
            const std::string here = where + ", lane " + std::to_string(lane);
            expect(here, seen[lane][0], known ? text : "");
            if (!known) continue;
            expect(here + ", bits", seen[lane][1], format_bits(type, bits));
            const std::string drawn = seen[lane][2];
            bool fits = drawn == text;
            for (const int room : {7, 6, 5, 4}) fits = fits || drawn == joined(scene::cell_text(cell, room));
            if (!fits) expect(here + ", drawn", drawn, text);
        }
    }

    std::string formula(std::size_t k, const WarpRef& ref, int lane) const {
        const steps::Formula parts = steps::formula_parts(steps_, k, ref, lane);
        if (parts.who.empty()) return "";
        const std::string head =
            parts.rule.empty() ? parts.who : parts.who + (parts.is_equation ? " = " : ": ") + parts.rule;
        return head + "\n" + parts.bits + "\n" + parts.arithmetic;
    }

    json rows(std::size_t k, const WarpRef& ref, int lane) const {
        json all = json::array();
        for (const scene::ValueRow& row : scene::value_rows(steps_, k, ref, lane))
            all.push_back({row.label, row.word, row.is_value ? format_element(row.type, row.bits) : row.text,
                           row.is_value ? "0x" + format_bits(row.type, row.bits) : ""});
        return all;
    }

    void inspector(const std::string& where, const json& seen, std::size_t k, const WarpRef& ref) {
        const int lane = seen["lane"];
        const std::string here = where + ", inspector of lane " + std::to_string(lane);
        expect(here, seen["title"], "Lane " + std::to_string(lane));
        expect(here + ", rows", seen["rows"], rows(k, ref, lane));
        std::string drawn;
        for (const char* part : {"formula", "bits", "arithmetic"})
            drawn += (seen[part].is_null() ? "" : seen[part].get<std::string>()) +
                     (std::string(part) == "arithmetic" ? "" : "\n");
        const std::string wanted = formula(k, ref, lane);
        expect(here + ", formula", drawn, wanted.empty() ? "\n\n" : wanted);
        if (steps_.input_count > 0) {
            const steps::Provenance inputs =
                steps_.provenances[steps_.lane_values(k, ref).inputs[static_cast<std::size_t>(lane)]];
            expect(here + ", inputs", seen["inputs"], scene::inputs_text(inputs, steps_.input_count));
        }
        const std::string said = seen["said"];
        if (said.rfind("lane " + std::to_string(lane) + ":", 0) != 0)
            expect(here + ", label", said, "lane " + std::to_string(lane) + ": …");
    }

    const steps::Steps& steps_;
    const scene::Suppression boxes_;
    const json& report_;
};

int check(const std::vector<std::string>& arguments) {
    const std::string browser = chromium();
    if (browser.empty()) {
        std::cout << "skipped: there is no Chromium here (apt-get install chromium, or name one in CHROMIUM).\n";
        return kSkipped;
    }
    const lanewise::testing::TemporaryFolder temporary;
    const fs::path& folder = temporary.path();
    std::string command = quoted(arguments[0]) + " --backend cpu --variant " + quoted(arguments[1]) + " --export " +
                          quoted(folder / "page.html") + " --save-trace " + quoted(folder / "t.ndjson");
    for (std::size_t i = 2; i < arguments.size(); ++i) command += " " + quoted(arguments[i]);
    run(command);
    const trace::Trace trace = trace::load(folder / "t.ndjson");
    const fs::path kernels = fs::path(LANEWISE_LESSONS) / trace.header.lesson / trace.header.kernel_file;
    const std::string text = whole_kernel_text(kernels.string(), read_file(kernels));
    if (!trace::is_code_of(trace.header, text))
        throw Error(kernels.string() + " is not the text that ran.");
    const steps::Steps steps = steps::build_steps(trace, text);

    std::string page = read_file(folder / "page.html");
    const std::size_t size = page.size(), end = page.rfind("</body>");
    page.insert(end, "<script>" + read_file(LANEWISE_PAGE_DRIVER) + "</script>");
    std::ofstream(folder / "driven.html", std::ios::binary) << page;
    const std::string dom =
        run(quoted(browser) + " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=" +
            quoted(folder / "profile") + " --window-size=1280,800 --virtual-time-budget=600000 --dump-dom " +
            quoted("file://" + (folder / "driven.html").string()) + " 2>/dev/null");
    const std::string open = "<pre id=\"report\">";
    const std::size_t at = dom.rfind(open);
    if (at == std::string::npos) throw Error("The page left no report: its script did not come to its end.");
    const std::size_t from = at + open.size();
    const json report = json::parse(unescaped(dom.substr(from, dom.find("</pre>", from) - from)));
    Check(steps, report).all();
    if (failures) {
        std::cerr << failures << " differences between the page and the trace of " << arguments[1] << ".\n";
        return 1;
    }
    std::cout << arguments[1] << ": " << steps.size() << " steps of " << steps.warps.size()
              << " warps, to the end and back, equal to the trace; the page has " << size << " bytes.\n";
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        if (arguments.size() < 2) throw Error("page_check PROGRAM VARIANT [ARGUMENT…]");
        return check(arguments);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
