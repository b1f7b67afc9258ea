// A lesson is a list of variants: kernels of one file with a title, a launch and a reference. Every table, tab and
// flag is made from this list.
//
// lessons/NN_name/lesson.cpp:
//
//     #include "common/lesson/lesson.hpp"
//
//     LESSON(warp_shuffle) {
//         lesson.title("Warp shuffle");
//         lesson.add({.name = "warp_sum_xor",
//                     .title = "xor",
//                     .summary = "every lane ends with the sum",
//                     .n = 32,
//                     .block = 32,
//                     .plan = [](launch::Plan& plan, const lesson::Inputs& inputs) { … }});
//     }
//
// add_lesson() compiles that file with LANEWISE_LESSON_NAME ("05_warp_shuffle") defined, and links lessons/main.cpp and
// the generated builds.cpp to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/launch/backend.hpp"
#include "common/launch/kernel.hpp"
#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::lesson {

// Writes a variant's buffers, launches and expectations into an empty plan.
using PlanBuilder = std::function<void(launch::Plan&, const Inputs&)>;

// What a variant's run owes to the order in which its blocks come.
enum class BlockOrder : std::uint8_t {
    free,        // nothing: each block leaves the same trace in any order
    arrival,     // the block that takes the last ticket finishes: an atomic shows a GPU's order, in which it is
                 // emulated
    last_waits,  // the last block waits for the others: the emulator, which runs one after the other, takes them in
                 // ascending order only
};

// One thing to run and look at: usually one kernel, named as it is.
struct Variant {
    std::string name = {};            // "block_sum_two_level": what --variant takes
    std::string title = {};           // "two-level": short, for a tab
    std::string summary = {};         // one line for --list
    std::uint64_t n = 32;             // what it runs on when the command line does not say
    std::uint64_t columns = 0;        // values a row, of a variant that works row by row; it takes --rows and --columns
    std::uint32_t block = 32;
    // Threads a block for n values when the command line does not say; empty: `block`.
    std::function<std::uint32_t(std::uint64_t n)> block_for = {};
    // Threads a block in teaching warps of `warp` lanes when the command line does not say; empty: as in warps of 32.
    std::function<std::uint32_t(std::uint32_t warp)> block_in_warps_of = {};
    std::string input = "ramp";
    PlanBuilder plan = {};
    std::vector<ControlValue> controls = {};  // the lesson's controls that it takes, each with its own default ("": the
                                              // control's)
    bool permutation = false;         // --text shows each of its shuffles as a matrix of lanes, too
    std::string compared_with = {};   // the one that it is compared with first; empty: none
    std::string declared_wrong = {};  // why its result is not expected to hold; empty: it is
    // Lanes that do it, where no check sees it: legal accesses, wrong numbers. Shown as findings of the run are;
    // --check does not count them.
    std::function<std::vector<trace::Finding>(const trace::Trace& trace)> mistakes = {};
    std::uint64_t timed_n = std::uint64_t{1} << 20;  // what --time runs on when the command line does not say
    std::uint64_t timed_columns = 0;                 // … in rows of so many; 0: `columns`
    // What it is timed against: "CUB DeviceReduce::Sum", measured in the same run; or a row of torch.json, a file
    // next to the lesson's recordings that assets/torch_rows.py wrote on the same GPU: "torch.compile softmax"; empty:
    // nothing.
    std::string baseline = {};
    std::uint32_t recorded_blocks = 2;  // blocks that a recording shows, from the first
    int reruns = 0;                   // its last bits depend on the order of blocks: run so many times more, in other
                                      // orders, and show what each gave (trace::Rerun)
    BlockOrder block_order = BlockOrder::free;
    double tolerance = 0;             // how far a GPU's values may be from the emulator's, as trace::Header says; 0:
                                      // bit by bit
    bool offsets = false;             // its plan takes Inputs::offset: values that begin anywhere in their buffer
    bool large_n = false;             // its kernels count in 64 bits: up to kMaxLargeValues values
    std::uint64_t most_n = 0;         // what it takes at most, where that is less than a run may have; 0: no such limit
    std::string input_text = {};      // what its header says of the input, where its plan makes memory of its own
    std::vector<std::string> float_packs = {};  // its shared arrays of uint4 whose packs hold floats, to be shown as such
    bool tab = true;                  // among the window's tabs when the command line names no variants

    // Does it work row by row? Its sizes are shapes then, and it is not swept over lengths.
    bool takes_rows() const { return columns != 0; }
};

// A lesson: where its files are and what can be run.
class Lesson {
public:
    Lesson(std::string name, std::filesystem::path folder);
    // With its files where the program's data lie. Throws Error where they do not.
    static Lesson of_this_program(const std::string& name);

    // For lesson.cpp.
    Lesson& title(std::string title);
    // A control that variants may take; throws Error for a second one of the same name or a default that is not valid.
    Lesson& control(Control control);
    Lesson& add(Variant variant);   // throws Error for a second variant of the same name or one without a plan
    // Its place on the ladder: the variant, added before, whose time to one number is there. Throws as find().
    Lesson& main(std::string variant);

    const std::string& name() const { return name_; }            // "05_warp_shuffle"
    const std::string& title() const { return title_; }
    const std::filesystem::path& folder() const { return folder_; }
    // A kernel file of the folder by its name.
    std::filesystem::path kernel_path(const std::string& file = launch::kKernelFile) const { return folder_ / file; }
    // Its text: lesson.md, or what was given here. Empty where there is none.
    std::string text() const;
    Lesson& text(std::string text);
    std::filesystem::path text_path() const { return folder_ / "lesson.md"; }
    // The glossary of all lessons, as text; empty where there is none.
    std::string glossary() const;
    // Where recordings are kept: assets/recorded next to the folder of all lessons.
    std::filesystem::path recordings() const { return folder_.parent_path().parent_path() / "assets" / "recorded"; }

    const std::string& main() const { return main_; }            // empty: not on the ladder
    const std::vector<Variant>& variants() const { return variants_; }
    // The variant of that name. Throws Error that suggests the nearest.
    const Variant& find(const std::string& name) const;

    const std::vector<Control>& controls() const { return controls_; }
    // Null where there is none of that name.
    const Control* find_control(const std::string& name) const;

    // What `variant` runs on by default.
    static Inputs default_inputs(const Variant& variant);

private:
    std::string name_;
    std::string title_;
    std::string main_;
    std::filesystem::path folder_;
    std::optional<std::string> text_;   // none: it is in lesson.md
    std::vector<Variant> variants_;
    std::vector<Control> controls_;
};

// The variant's plan for these inputs. Throws Error where a launch has no instance among `kernels`, listing those
// there are, and where so many values have no room in this machine's memory.
launch::Plan make_plan(const Variant& variant, const Inputs& inputs, const launch::KernelSet& kernels);

// The file that the plan's kernels are in: that of its first launch.
std::string kernel_file_of(const launch::Plan& plan, const launch::KernelSet& kernels);

// The first of the plan's kernels that only GPUs run; null where the emulator runs it all.
const launch::Kernel* gpu_only_kernel(const launch::Plan& plan, const launch::KernelSet& kernels);

// Why the emulator cannot run the variant in that order; empty where it can.
std::string why_not_in_order(const Variant& variant, const launch::Order& order);

// Can the variant run in blocks of `block` threads?
bool has_instance(const Variant& variant, std::uint32_t block, const launch::KernelSet& kernels);

// The lesson's variants that can run in warps of `warp` lanes.
std::vector<std::string> variants_in_warps_of(std::uint32_t warp, const Lesson& lesson,
                                              const launch::KernelSet& kernels);

}  // namespace lanewise::lesson

// What each lesson's program is linked from.
namespace lanewise::generated {
lesson::Lesson make_lesson();   // lesson.cpp, by LESSON
launch::KernelSet kernels();    // builds.cpp, by add_lesson()
}  // namespace lanewise::generated

// Opens the body that fills `lesson`. `id` is the folder's name without its ordinal.
#define LESSON(id)                                                                                             \
    static void fill_lesson_##id(::lanewise::lesson::Lesson& lesson);                                          \
    ::lanewise::lesson::Lesson lanewise::generated::make_lesson() {                                            \
        auto lesson = ::lanewise::lesson::Lesson::of_this_program(LANEWISE_LESSON_NAME);                       \
        fill_lesson_##id(lesson);                                                                              \
        return lesson;                                                                                         \
    }                                                                                                          \
    static void fill_lesson_##id(::lanewise::lesson::Lesson& lesson)
