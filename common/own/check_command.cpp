#include "common/own/check_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <ostream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/compile/kernel_file.hpp"
#include "common/own/live_file.hpp"
#include "common/own/print_own.hpp"

namespace lanewise::own {

namespace {

constexpr const char* kUsage =
    "usage: check FILE.cu [FLAG…]\n"
    "\n"
    "Runs what the file's lines such as these say, on the emulator with all checks on:\n"
    "  // run: block_sum<256><<<4, 256>>>(in = random(1024), out = zeros(1), 1024)\n"
    "  // expect: out[0] ~ sum(in)\n"
    "\n"
    "  --run TEXT, --expect TEXT  the same lines, instead of the file's\n"
    "  -I FOLDER                  where the file's headers are\n"
    "  --text                     print each step; --step K, --focus BLOCK:WARP, --lane L choose what\n"
    "  --interactive              step through it in the terminal\n"
    "  --window                   open the window on it\n"
    "  --edit                     the same, and show each save of the file\n"
    "  --compare A,B              programs or kernels side by side, with --text, --export, --screenshot or "
    "--window\n"
    "  --variant NAME             of several programs only this one\n"
    "  --order ORDER              of lanes and blocks: ascending, descending or a seed\n"
    "  --report FILE.json|.sarif  the findings, for other programs\n"
    "  --export FILE.html|.csv|.svg, --screenshot FILE.png, --save-trace FILE.ndjson\n"
    "\n"
    "Exit status: 0 clean and as expected; 1 findings or another result; 2 the file or a flag is not as it must be.\n";

// Of a lesson's flags those that say on which inputs to run, or that measure.
constexpr const char* kNotHere[] = {
    "--n",    "--rows",  "--columns", "--block",    "--warp",    "--offset", "--seed",  "--input", "--values",
    "--time", "--sizes", "--costs",   "--table",    "--ladder",  "--record", "--start", "--l2",    "--samples",
    "--csv",  "--json",  "--timings", "--roofline", "--backend", "--list",   "--check"};

struct Parsed {
    Asked asked;
    std::vector<std::string> rest;  // a lesson's flags
    bool window = false;
    bool edit = false;
    bool help = false;
};

Parsed parse(const std::vector<std::string>& arguments) {
    Parsed parsed;
    const auto value_of = [&](std::size_t& i, const std::string& flag) -> std::optional<std::string> {
        const std::string& given = arguments[i];
        if (given.starts_with(flag + "=")) return given.substr(flag.size() + 1);
        if (given != flag) return std::nullopt;
        if (++i == arguments.size()) throw Error(fmt::format("{} needs a value; --help shows how.", flag));
        if (arguments[i].starts_with("--"))
            throw Error(fmt::format("{0} {1}: give {0} its value before {1}; --help shows how.", flag, arguments[i]));
        return arguments[i];
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& given = arguments[i];
        const std::string flag = given.substr(0, given.find('='));
        if (const auto run = value_of(i, "--run")) {
            parsed.asked.runs.push_back(*run);
        } else if (const auto expect = value_of(i, "--expect")) {
            parsed.asked.expects.push_back(*expect);
        } else if (given.starts_with("-I")) {
            if (given.size() == 2 && i + 1 == arguments.size()) throw Error("-I needs a folder, as in -I include.");
            parsed.asked.include_folders.emplace_back(given.size() > 2 ? given.substr(2) : arguments[++i]);
        } else if (given == "--edit") {
            parsed.window = parsed.edit = true;
        } else if (given == "--window") {
            parsed.window = true;
        } else if (given == "--help" || given == "-h") {
            parsed.help = true;
        } else if (std::find(std::begin(kNotHere), std::end(kNotHere), flag) != std::end(kNotHere)) {
            throw Error(fmt::format(
                "{} is a lesson's flag: what a kernel file runs on stands in its // run: lines, or after --run.",
                flag));
        } else if (const auto names = value_of(i, "--compare")) {
            std::istringstream list(*names);
            for (std::string name; std::getline(list, name, ',');) parsed.asked.compare.push_back(name);
            parsed.rest.insert(parsed.rest.end(), {"--compare", *names});
        } else if (!given.starts_with("-") && parsed.asked.file.empty() &&
                   (i == 0 || !arguments[i - 1].starts_with("--"))) {
            parsed.asked.file = given;
        } else {
            parsed.rest.push_back(given);
            // A flag's value is no file.
            static constexpr const char* kWithValue[] = {
                "--step",       "--focus", "--lane",  "--variant", "--order", "--report",  "--export", "--screenshot",
                "--save-trace", "--size",  "--scale", "--theme",   "--color", "--predict", "--open"};
            if (std::find(std::begin(kWithValue), std::end(kWithValue), given) != std::end(kWithValue) &&
                i + 1 < arguments.size())
                parsed.rest.push_back(arguments[++i]);
        }
    }
    return parsed;
}

// The file of a window that shows each save of it: where it is not right from the beginning, once it is.
std::shared_ptr<OwnFile> open_once_right(const Asked& asked, const compile::Toolchain& tools,
                                         const std::shared_ptr<worker::Pool>& pool, const cli::Console& console) {
    const compile::WatchedFile file(asked.file);
    for (;;) {
        const std::uint64_t version = file.state()->version;
        try {
            return std::make_shared<OwnFile>(open_file(asked, tools, pool));
        } catch (const Error& error) {
            if (!asked.runs.empty() || !asked.expects.empty()) throw;  // it may be they that are wrong
            console.err << error.what() << "\nMend it and save it: the window opens then. Ctrl-C quits." << std::endl;
        }
        while (file.state()->version == version) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

int check(const CheckSetup& setup, Parsed& parsed, cli::Console& console) {
    if (!setup.pool)
        throw Error(
            "A kernel file of your own runs in a process of its own, which this system does not allow (pidfd_open, "
            "Linux 5.3 or later).");
    compile::read_kernel_file(parsed.asked.file);  // its sentence before that of a missing compiler
    const compile::Toolchain tools =
        compile::find_toolchain([&](const std::string& sentence) { console.err << sentence << std::endl; });
    const auto opened = parsed.edit ? open_once_right(parsed.asked, tools, setup.pool, console)
                                    : std::make_shared<OwnFile>(open_file(parsed.asked, tools, setup.pool));
    OwnFile& own = *opened;
    const std::string path = parsed.asked.file.generic_string();
    cli::Program program{{own.lesson,
                          own.kernels,
                          [&] { return worker::contained_emulator(setup.pool, setup.limits); },
                          {},
                          [](std::string* why) {
                              *why = "A kernel file of your own runs on the emulator.";
                              return false;
                          },
                          {},
                          cli::date_of_today}};
    program.make_front_end = setup.make_front_end;
    program.tries_other_order = true;
    if (parsed.edit) program.live = live_file(program, parsed.asked, opened, tools, setup.pool);
    program.reported_path = [&](const std::string&) { return path; };
    for (const compile::TextFile& file : own.library->files())
        if (file.first_line > 1) program.included.push_back({file.path, file.first_line});
    const SourceText source(own.library->files());
    program.print_checks = [&](std::ostream& out, const std::vector<print::CheckedVariant>& rows, print::Paint paint) {
        return print_checks(out, source, own.programs, rows, paint);
    };
    std::vector<std::string> flags = parsed.rest;
    if (!parsed.window) flags.insert(flags.begin(), "--check");  // behind a flag it could be its value
    const auto draws = [](const std::string& flag) {
        return flag.starts_with("--screenshot") || flag.starts_with("--export");
    };
    const bool shows =
        std::any_of(flags.begin(), flags.end(), [&](const std::string& f) { return draws(f) || f == "--text"; });
    if (!parsed.asked.compare.empty() && !parsed.window && !shows) flags.emplace_back("--text");
    return cli::run_program(program, flags, console);
}

}  // namespace

int run_check(const CheckSetup& setup, const std::vector<std::string>& arguments, cli::Console console) {
    try {
        Parsed parsed = parse(arguments);
        if (parsed.help) {
            console.out << kUsage;
            return kExitOk;
        }
        // `--nonsense sum.cu`: the file went for the flag's value.
        for (std::size_t i = 1; parsed.asked.file.empty() && i < arguments.size(); ++i)
            if (arguments[i].ends_with(".cu") || arguments[i].ends_with(".cuh"))
                throw Error(
                    fmt::format("Name the file before {}, as in ./lessons/run check {} {}; --help lists the flags.",
                                arguments[i - 1], arguments[i], arguments[i - 1]));
        if (parsed.asked.file.empty())
            throw Error("check needs a CUDA file, as in ./lessons/run check sum.cu; --help says more.");
        return check(setup, parsed, console);
    } catch (const compile::CompileError& error) {
        console.out.flush();
        console.err << error.what() << '\n';
        return kExitUsage;
    } catch (const Error& error) {
        console.out.flush();
        console.err << error.what() << '\n';
        return kExitUsage;
    } catch (const std::bad_alloc&) {
        console.err << "There is not enough memory for this run; give fewer elements.\n";
        return kExitUsage;
    } catch (const std::exception& error) {
        console.err << fmt::format("Something failed that Lanewise did not expect: {}\n", error.what());
        return kExitFailed;
    }
}

}  // namespace lanewise::own
