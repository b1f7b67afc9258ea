#include "common/lesson/program.hpp"

#include <algorithm>
#include <ctime>
#include <new>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/lesson/ladder.hpp"
#include "common/lesson/costs.hpp"
#include "common/lesson/options.hpp"
#include "common/lesson/print.hpp"
#include "common/lesson/runner.hpp"
#include "common/lesson/timer.hpp"
#include "common/page/document.hpp"
#include "common/steps/align.hpp"
#include "common/terminal/stepper.hpp"
#include "common/trace/diff.hpp"
#include "common/trace/io.hpp"

namespace lanewise::lesson {

namespace {

// The answers to one command line.
class Session {
public:
    Session(Program& program, Options options, Console console)
        : program_(program), lesson_(program.lesson), options_(std::move(options)), console_(console),
          paint_(options_.color == ColorChoice::always || (options_.color == ColorChoice::automatic && console.color)),
          runner_(program, options_), timer_(program, options_, runner_, console) {}

    // The program that goes on after this one, where the window asked for it.
    const GoOn& next() const { return next_; }

    int answer() {
        if (options_.list) print_list(console_.out, lesson_, paint_);
        if (!options_.diff.empty()) status_ = std::max(status_, diff());
        if (!options_.open.empty()) open();
        if (!options_.save_trace.empty()) save();
        if (!options_.record.empty() && !options_.costs) record();
        if (!options_.exported.empty()) export_run();
        if (options_.interactive) interactive();
        else if (options_.text) text();
        if (options_.check) check();
        if (options_.table && options_.screenshot.empty()) table();
        if (options_.time) time();
        if (options_.costs && options_.screenshot.empty() && options_.exported.empty()) costs();
        if (options_.describe || !options_.screenshot.empty()) draw_without_display();
        if (options_.wants_window()) window();
        return status_;
    }

private:
    // The variants that were named, or `otherwise`.
    std::vector<std::string> chosen(bool all_otherwise) const {
        if (!options_.variants.empty()) return options_.variants;
        if (!options_.compare.empty()) return options_.compare;
        std::vector<std::string> names;
        for (const auto& v : lesson_.variants())
            if (all_otherwise || v.tab) names.push_back(v.name);
        if (names.empty()) throw Error(fmt::format("{} has no variants yet; add one in lesson.cpp.", lesson_.name()));
        return names;
    }

    // Those named; any of the lesson's tabs may be set beside those that are compared.
    std::vector<std::string> tabs_of_window() const {
        if (opened_) return looked_at();
        if (!options_.variants.empty() || options_.compare.empty()) return chosen(false);
        std::vector<std::string> names;
        for (const auto& v : lesson_.variants()) {
            const bool compared = std::find(options_.compare.begin(), options_.compare.end(), v.name) != options_.compare.end();
            if (v.tab || compared) names.push_back(v.name);
        }
        return names;
    }

    // All variants, or those named; of all, those that exist in the blocks that were asked for.
    std::vector<std::string> measured_variants() const {
        auto names = chosen(true);
        if (!options_.block || !options_.variants.empty() || !options_.compare.empty()) return names;
        const auto lacks = [&](const std::string& name) {
            return !has_instance(lesson_.find(name), *options_.block, program_.kernels);
        };
        const auto all = names;
        std::erase_if(names, lacks);
        return names.empty() ? all : names;  // of none, the first says which instances there are
    }

    // Those of the variants that this machine's GPU can run; a sentence for the others.
    std::vector<std::string> that_run(std::vector<std::string> names) {
        if (runner_.backend() != BackendChoice::gpu) return names;
        std::vector<std::string> told;
        std::erase_if(names, [&](const std::string& name) {
            const Variant& variant = lesson_.find(name);
            const std::string why = runner_.why_not(variant, runner_.on_this_machine(Lesson::default_inputs(variant)));
            if (!why.empty() && std::find(told.begin(), told.end(), why) == told.end()) {
                console_.err << why << '\n';
                told.push_back(why);
            }
            return !why.empty();
        });
        return names;
    }

    // The variants whose steps are shown when one picture or one text is asked for.
    std::vector<std::string> looked_at() const {
        if (opened_) return {opened_->run->trace.header.variant};
        auto names = chosen(false);
        if (options_.variants.empty() && options_.compare.empty()) names.resize(1);
        return names;
    }

    // Throws where --step, --focus or --lane name what the run does not have.
    void check_place(const std::string& variant) {
        const auto& run = *runner_.run(variant)->run;
        if (options_.step && *options_.step > run.steps.size())
            throw Error(fmt::format("--step {}: {} has {} steps; give 1 to {}.", *options_.step, variant, run.steps.size(),
                                    run.steps.size()));
        if (options_.focus_warp && !focused(run))
            throw Error(fmt::format("--focus {}:{}: {} recorded no such warp; its last is {}:{}.", *options_.focus_block,
                                    *options_.focus_warp, variant, run.steps.warps.empty() ? 0 : run.steps.warps.back().block,
                                    run.steps.warps.empty() ? 0 : run.steps.warps.back().warp));
    }

    // The same for pictures. In a comparison a step is a place where steps stand together, as its timeline counts them.
    void check_drawn(const std::string& variant) {
        if (options_.compare.empty() || !options_.step) return check_place(variant);
        std::vector<const steps::Steps*> runs;
        for (const auto& name : options_.compare) runs.push_back(&runner_.run(name)->run->steps);
        const std::size_t places = steps::align_all(runs).size();
        if (*options_.step > places)
            throw Error(fmt::format("--step {}: beside each other {} have {} places; give 1 to {}.", *options_.step,
                                    fmt::join(options_.compare, " and "), places, places));
        if (options_.focus_warp && !focused(*runner_.run(variant)->run)) check_place(variant);
    }

    std::optional<steps::WarpRef> focused(const Run& run) const {
        if (!options_.focus_warp) return std::nullopt;
        for (const auto& warp : run.steps.warps)
            if (warp.block == static_cast<std::uint32_t>(*options_.focus_block) &&
                warp.warp == static_cast<std::uint32_t>(*options_.focus_warp))
                return warp;
        return std::nullopt;
    }

    int diff() {
        trace::Trace a = trace::load(options_.diff[0]), b = trace::load(options_.diff[1]);
        const auto difference = trace::diff(a, b);
        console_.out << difference.sentence << '\n';
        for (const auto* t : {&a, &b})
            if (t->partial) return say_partial(*t);
        return difference.equal ? kExitOk : kExitFailed;
    }

    int say_partial(const trace::Trace& t) {
        console_.err << t.partial_reason << '\n';
        return kExitPartial;
    }

    void open() {
        opened_ = runner_.open(options_.open);
        if (opened_->raw.partial) status_ = std::max(status_, say_partial(opened_->raw));
    }

    void save() {
        const auto names = looked_at();
        const auto finished = runner_.run(names.front());
        trace::save(options_.save_trace, finished->raw);
        console_.out << fmt::format("saved {} ({} records) to {}\n", names.front(), finished->raw.records.size(),
                                    options_.save_trace);
    }

    // One file to take away; a page may hold several variants.
    void export_run() {
        const auto names = looked_at();
        if (options_.step || options_.focus_warp) check_drawn(names.front());
        const page::Ending ending = page::ending_of("--export", options_.exported);
        if (ending == page::Ending::svg) {
            if (!program_.make_frontend)
                throw Error(fmt::format("--export {} draws, and this program was built without drawing; configure with "
                                        "-DLANEWISE_WINDOW=ON, or give FILE.html or FILE.csv.", options_.exported));
            program_.make_frontend()->svg(presentation(), request(names.front()), options_.exported);
            console_.out << fmt::format("drew {}\n", options_.exported);
            return;
        }
        if (ending == page::Ending::csv) {
            page::write_file("--export", options_.exported, page::values_csv(*shown_run(names.front())));
            console_.out << fmt::format("wrote every value of {} to {}\n", names.front(), options_.exported);
            return;
        }
        std::vector<std::shared_ptr<const Run>> runs;
        page::Document document{lesson_.name(), lesson_.title(), {}};
        for (const auto& name : names) {
            const Variant& variant = lesson_.find(name);
            runs.push_back(shown_run(name));
            document.panels.push_back({runs.back().get(), variant.title, variant.summary, !variant.declared_wrong.empty()});
        }
        if (options_.step) document.step = *options_.step - 1;
        document.block = options_.focus_block.value_or(-1);
        document.warp = options_.focus_warp.value_or(-1);
        document.lane = options_.lane.value_or(-1);
        page::write_file("--export", options_.exported, page::page_html(document));
        console_.out << fmt::format("wrote a page that steps through {} to {}\n", fmt::join(names, " and "), options_.exported);
    }

    std::shared_ptr<const Run> shown_run(const std::string& name) {
        const auto finished = opened_ ? opened_ : runner_.run(name);
        return {finished, finished->run.get()};
    }

    // What a machine without a GPU will show: the GPU's traces of all variants, and their times.
    void record() {
        std::string why;
        if (!program_.kernels.has_gpu() || !program_.gpu_available(&why) || runner_.backend() != BackendChoice::gpu)
            throw Error(fmt::format("--record {}: recordings are made on a GPU. {}", options_.record, why));
        const auto folder = std::filesystem::path(options_.record) / lesson_.name();
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error)
            throw Error(fmt::format("--record {}: {} cannot be made: {}; choose another folder.", options_.record,
                                    folder.string(), error.message()));
        const auto names = that_run(measured_variants());
        for (const auto& name : names) trace::save(folder / (name + ".ndjson"), runner_.run(name)->raw);
        timing::save(folder / "timings.json", timer_.record(names));
        timing::save(folder / "sweep.json", timer_.record_sweep(names));
        console_.out << fmt::format("recorded {} variants and their times to {}\n", names.size(),
                                    folder.string());
    }

    void text() {
        bool first = true;
        for (const auto& name : looked_at()) {
            if (!opened_) check_place(name);
            const auto finished = opened_ ? opened_ : runner_.run(name);
            if (opened_) check_place(name);
            TextView view;
            view.focus = focused(*finished->run);
            if (options_.step) view.step = *options_.step - 1;
            view.lane = options_.lane;
            view.paint = paint_;
            if (!first) console_.out << '\n';
            first = false;
            if (options_.rounding) {
                print_rounding(console_.out, lesson_, *finished->run, paint_);
                continue;
            }
            if (options_.tree) print_tree(console_.out, lesson_, *finished->run, view);
            else print_text(console_.out, lesson_, *finished, finished->run->source, view);
        }
    }

    // The same steps, one at a time, in the terminal.
    void interactive() {
        const auto names = opened_ ? looked_at() : chosen(false);
        if (options_.step || options_.focus_warp) check_place(names.front());
        terminal::Request request;
        request.lesson_title = lesson_.title();
        for (const auto& name : names) request.variants.push_back({name, lesson_.find(name).title});
        request.run = [this](const std::string& name) { return shown_run(name); };
        if (options_.step) request.step = *options_.step - 1;
        request.block = options_.focus_block.value_or(-1);
        request.warp = options_.focus_warp.value_or(-1);
        request.lane = options_.lane.value_or(-1);
        request.color = options_.color == ColorChoice::always ? 1 : options_.color == ColorChoice::never ? -1 : 0;
        terminal::step_through(request);
    }

    void check() {
        std::vector<CheckedVariant> rows;
        for (const auto& name : measured_variants()) {
            const Variant& variant = lesson_.find(name);
            Checked checked = runner_.check(variant);
            if (!checked.not_run.empty() && !options_.variants.empty()) throw Error(checked.not_run);
            rows.push_back({name, choose_inputs(variant, options_).n, variant.declared_wrong, std::move(checked)});
        }
        if (print_check(console_.out, runner_.machine(), rows, paint_) > 0) status_ = std::max(status_, kExitFailed);
    }

    void time() {
        std::string why;
        const bool measure = options_.backend == BackendChoice::gpu ||
                             (options_.backend == BackendChoice::automatic && program_.kernels.has_gpu() &&
                              program_.gpu_available(&why));
        if (measure) runner_.backend();  // the sentence of --backend gpu where there is none
        status_ = std::max(status_, timer_.show(measure ? timer_.measure(that_run(measured_variants())) : timer_.recorded()));
    }

    void costs() { show_costs(costs_of(program_, options_, console_), options_, console_, paint_); }

    void table() {
        const auto names = measured_variants();
        const timing::TimingTable times = times_of(names);
        Comparison comparison{{}, times_from(times)};
        for (const auto& name : names) {
            try {
                comparison.rows.push_back(compared(*runner_.run(name)->run, times));
            } catch (const Error& error) {
                if (!options_.variants.empty()) throw;
                comparison.rows.push_back(compared(name, error.what(), times));
            }
            comparison.rows.back().declared_wrong = !lesson_.find(name).declared_wrong.empty();
        }
        if (!options_.sort.empty()) sort(comparison, parse_sorting(options_.sort));
        print_comparison(console_.out, runner_.machine(), comparison, paint_);
    }

    // Measured where there is a GPU, else as recorded; no rows where neither is there.
    timing::TimingTable times_of(const std::vector<std::string>& names) {
        if (runner_.backend() == BackendChoice::gpu) return timer_.measure_quietly(names);
        return recorded_for_window();
    }

    // What was recorded of the variants at their own sizes; a file that cannot be read is done without.
    timing::TimingTable recorded_for_window() {
        try {
            if (const auto path = find_recording(lesson_, "timings.json"); !path.empty()) return without_sizes(timing::load(path));
        } catch (const Error& error) {
            console_.err << error.what() << '\n';
        }
        return {};
    }

    // What a window shows: measured where --costs asks for them, else what was recorded.
    timing::CostTable costs_for_window() {
        if (options_.costs) return costs_of(program_, options_, console_);
        try {
            if (const auto path = find_costs(lesson_); !path.empty()) return timing::load_costs(path);
        } catch (const Error& error) {
            console_.err << error.what() << '\n';
        }
        return {};
    }

    Presentation presentation() {
        Presentation p;
        p.lesson = lesson_.name();
        p.title = lesson_.title();
        p.text = read_text(lesson_.text_path());
        p.kernel_file = launch::kKernelFile;
        p.source = runner_.source(p.kernel_file);
        const auto tabs = tabs_of_window();
        for (const auto& name : tabs) {
            const Variant& v = lesson_.find(name);
            p.variants.push_back({v.name, v.title, v.summary, !v.declared_wrong.empty()});
        }
        for (const auto& v : lesson_.variants()) {
            p.all_variants.push_back(v.name);
            if (!v.declared_wrong.empty()) p.declared_wrong.push_back(v.name);
        }
        p.timings = recorded_for_window();
        p.costs = costs_for_window();
        p.run = [this](const std::string& name) {
            const auto finished = runner_.run(name);
            return std::shared_ptr<const Run>(finished, finished->run.get());
        };
        p.open = [this](const std::string& path) {
            const auto finished = runner_.load(path);
            return std::shared_ptr<const Run>(finished, finished->run.get());
        };
        p.lessons = read_ladder(lesson_.folder().parent_path(), folder_of_this_program());
        if (program_.start) p.go_on = [this](const GoOn& next) { next_ = with_own_flags(next); };
        if (options_.backend == BackendChoice::automatic || options_.backend == BackendChoice::gpu)
            p.measure = [this, tabs] {
                return runner_.backend() == BackendChoice::gpu ? timer_.measure_quietly(that_run(tabs)) : timing::TimingTable{};
            };
        present_sizes(p, tabs);
        return p;
    }

    // Times over sizes and by shapes, as recorded, and how to measure them anew.
    void present_sizes(Presentation& p, const std::vector<std::string>& tabs) {
        try {
            if (const auto path = find_recording(lesson_, "timings.json"); !path.empty()) p.shapes = only_sizes(timing::load(path));
            if (const auto path = find_recording(lesson_, "sweep.json"); !path.empty()) p.sizes = timing::load(path);
            else p.sizes = p.shapes;
        } catch (const Error& error) {
            console_.err << error.what() << '\n';
        }
        p.why_not_measured = [this] { return runner_.why_no_gpu(); };
        p.measure_sizes = [this, tabs](const SweepWatch& watch) { return timer_.measure_sizes(that_run(tabs), watch); };
    }

    // What was asked of this lesson and holds for any.
    GoOn with_own_flags(GoOn next) const {
        const std::pair<BackendChoice, const char*> names[] = {{BackendChoice::gpu, "gpu"}, {BackendChoice::cpu, "cpu"}, {BackendChoice::recorded, "recorded"}};
        for (const auto& [choice, name] : names)
            if (options_.backend == choice) next.arguments.insert(next.arguments.end(), {"--backend", name});
        if (options_.scale > 0) next.arguments.insert(next.arguments.end(), {"--scale", fmt::format("{}", options_.scale)});
        return next;
    }

    WindowRequest request(const std::string& variant) const {
        WindowRequest r;
        r.variant = variant;
        r.compare = options_.compare;
        r.has_step = options_.step.has_value();
        r.step = options_.step ? *options_.step - 1 : 0;
        r.has_size = options_.has_size;
        r.start_page = options_.start;
        r.opened = options_.open;
        r.width = options_.width;
        r.height = options_.height;
        r.scale = options_.scale;
        r.block = options_.focus_block.value_or(-1);
        r.warp = options_.focus_warp.value_or(-1);
        r.lane = options_.lane.value_or(-1);
        r.view = options_.costs ? View::costs : options_.table ? View::table : options_.tree ? View::tree : options_.rounding ? View::rounding : View::stage;
        r.sort = options_.sort;
        if (options_.timings) r.view = View::timings;
        if (options_.roofline) r.view = View::roofline;
        return r;
    }

    void draw_without_display() {
        if (!program_.make_frontend)
            throw Error("--screenshot and --describe draw, and this program was built without drawing; configure with "
                        "-DLANEWISE_WINDOW=ON, or use --text.");
        const std::string name = looked_at().front();
        if (options_.step || options_.focus_warp) check_drawn(name);
        const auto frontend = program_.make_frontend();
        if (options_.describe) {
            const std::string text = frontend->describe(presentation(), request(name));
            console_.out << text << (text.empty() || text.back() == '\n' ? "" : "\n");
        }
        if (!options_.screenshot.empty()) {
            frontend->screenshot(presentation(), request(name), options_.screenshot);
            console_.out << fmt::format("drew {}\n", options_.screenshot);
        }
    }

    void window() {
        const std::string name = looked_at().front();
        if (options_.step || options_.focus_warp) check_drawn(name);
        // A wrong size or block is a sentence before a window opens.
        if (!opened_) runner_.check_request(lesson_.find(name));
        try {
            if (!program_.make_frontend)
                throw NoDisplay("This program was built without a window (LANEWISE_WINDOW=OFF).");
            program_.make_frontend()->window(presentation(), request(name));
        } catch (const NoDisplay& none) {
            console_.err << none.what() << " Here are the steps as text.\n";
            text();
        }
    }

    Program& program_;
    const Lesson& lesson_;
    const Options options_;
    Console console_;
    Paint paint_;
    Runner runner_;
    Timer timer_;
    std::shared_ptr<const FinishedRun> opened_;
    GoOn next_;
    int status_ = kExitOk;
};

}  // namespace

int run_program(Program& program, const std::vector<std::string>& arguments, Console console) {
    try {
        auto options = parse_options(arguments, program.lesson, console.out);
        if (!options) return kExitOk;
        int status = kExitOk;
        GoOn next;
        {
            Session session(program, std::move(*options), console);
            status = session.answer();
            next = session.next();
        }
        console.out.flush();
        if (!next.program.empty()) program.start(next);
        return status;
    } catch (const Error& error) {
        console.out.flush();
        console.err << error.what() << '\n';
        return error.exit_status();
    } catch (const std::bad_alloc&) {
        console.err << "There is not enough memory for this run; give a smaller --n.\n";
        return kExitUsage;
    } catch (const std::exception& error) {
        console.err << fmt::format("Something failed that Lanewise did not expect: {}\n", error.what());
        return kExitFailed;
    }
}

std::string date_of_today() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return fmt::format("{:04}-{:02}-{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

}  // namespace lanewise::lesson
