// Every kernel of these folders in three orders of lanes and two of blocks.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "common/check/checker.hpp"
#include "common/conformance/verdicts/directives.testing.hpp"

namespace lanewise::generated {
launch::KernelSet verdicts_shared();
launch::KernelSet verdicts_warps();
launch::KernelSet verdicts_blocks();
launch::KernelSet verdicts_memory();
launch::KernelSet verdicts_barriers();
launch::KernelSet verdicts_orders();
launch::KernelSet verdicts_waits();
launch::KernelSet verdicts_programs();
}  // namespace lanewise::generated

namespace lanewise::verdicts {
namespace {

using Kind = launch::Order::Kind;

struct Folder {
    const char* name;
    launch::KernelSet (*kernels)();
};
const Folder kFolders[] = {{"shared", generated::verdicts_shared},
                           {"warps", generated::verdicts_warps},
                           {"blocks", generated::verdicts_blocks},
                           {"memory", generated::verdicts_memory},
                           {"barriers", generated::verdicts_barriers},
                           {"orders", generated::verdicts_orders},
                           {"waits", generated::verdicts_waits},
                           {"programs", generated::verdicts_programs}};

class Verdicts : public ::testing::TestWithParam<Folder> {
protected:
    std::vector<Directive> directives() const {
        return directives_of(std::string(LANEWISE_VERDICTS_FOLDER) + "/" + GetParam().name + "/kernels.cuh");
    }
};

// Both accesses of a race can be stepped to, where their blocks were recorded.
void expect_records(const trace::Finding& finding, const launch::Outcome& outcome, const std::string& how) {
    if (!outcome.trace || !finding.other || finding.array.empty()) return;
    // Accesses of a kernel file's variables are not recorded.
    const auto& arrays = outcome.trace->arrays;
    if (std::none_of(arrays.begin(), arrays.end(), [&](const auto& array) { return array.name == finding.array; })) return;
    const auto is_there = [&](std::uint32_t block, std::uint32_t warp, std::int64_t index, int line) {
        const auto& recorded = outcome.trace->header.blocks;
        if (std::find(recorded.begin(), recorded.end(), block) == recorded.end()) return true;
        return std::any_of(outcome.trace->records.begin(), outcome.trace->records.end(), [&](const auto& record) {
            return record.block == block && record.warp == warp && record.index == index && record.line == line;
        });
    };
    EXPECT_TRUE(is_there(finding.block, finding.warp, finding.record, finding.line)) << how << ": " << finding.sentence;
    EXPECT_TRUE(is_there(finding.other->block, finding.other->warp, finding.other->record, finding.other->line))
        << how << ": the other of " << finding.sentence;
}

void expect(const Directive& directive, const launch::Outcome& outcome, const std::string& how) {
    const auto wanted = directive.verdict == "wrong" ? trace::Verdict::wrong : trace::Verdict::clean;
    EXPECT_EQ(trace::verdict_name(outcome.verdict), std::string(trace::verdict_name(wanted))) << how;
    bool any = false;
    for (const trace::Finding& finding : outcome.findings) {
        const bool one_of = directive.kinds.contains(finding.kind);
        any = any || one_of;
        EXPECT_TRUE(one_of || directive.others.contains(finding.kind))
            << how << ": " << finding.kind << ": " << finding.sentence;
        const auto severity = directive.verdict == "note" ? trace::Severity::note : trace::Severity::wrong;
        if (one_of) EXPECT_EQ(finding.severity, severity) << how << ": " << finding.sentence;
        EXPECT_TRUE(directive.lines.contains(finding.line)) << how << ": line " << finding.line << ": " << finding.sentence;
        if (finding.other)
            EXPECT_TRUE(directive.lines.contains(finding.other->line))
                << how << ": other line " << finding.other->line << ": " << finding.sentence;
        EXPECT_NE(finding.lanes, 0u) << how;
        expect_records(finding, outcome, how);
    }
    EXPECT_EQ(any, !directive.kinds.empty()) << how;
}

TEST_P(Verdicts, AreTheSameInEveryOrder) {
    const launch::KernelSet kernels = GetParam().kernels();
    const auto machine = check::make_emulator();
    for (const Directive& directive : directives())
        for (const launch::Order& lanes : {launch::Order{Kind::ascending, 0, {}}, launch::Order{Kind::descending, 0, {}},
                                           launch::Order{Kind::seeded, 11, {}}})
            for (const Kind blocks : {Kind::ascending, Kind::descending})
                for (const bool record : {false, true}) {
                    launch::Request request;
                    request.checks = true;
                    request.record = record;
                    request.order = lanes;
                    request.block_order = launch::Order{blocks, 0, {}};
                    const auto outcome = machine->run(directive.plan, kernels, request);
                    expect(directive, outcome,
                           directive.kernel + ", lanes " + lanes.name() + ", blocks " + request.block_order->name());
                }
}

TEST_P(Verdicts, AreSaidOfEveryKernel) {
    std::set<std::string> said, there;
    for (const Directive& directive : directives()) said.insert(directive.kernel);
    const launch::KernelSet kernels = GetParam().kernels();
    for (const launch::Kernel& kernel : kernels.kernels()) there.insert(kernel.name);
    EXPECT_EQ(said, there);
}

INSTANTIATE_TEST_SUITE_P(Of, Verdicts, ::testing::ValuesIn(kFolders),
                         [](const auto& folder) { return std::string(folder.param.name); });

TEST(VerdictsTogether, AreManyOfBoth) {
    int wrong = 0, right = 0;
    for (const Folder& folder : kFolders)
        for (const Directive& directive :
             directives_of(std::string(LANEWISE_VERDICTS_FOLDER) + "/" + folder.name + "/kernels.cuh"))
            ++(directive.verdict == "wrong" ? wrong : right);
    EXPECT_GE(wrong, 60);
    EXPECT_GE(right, 60);
}

}  // namespace
}  // namespace lanewise::verdicts
