// `check FILE.cu`: somebody's kernel file run, judged and looked at.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/own/own_file.hpp"

namespace lanewise::own {

struct CheckSetup {
    std::shared_ptr<worker::Pool> pool;  // null: this system lets no program have workers
    std::function<std::unique_ptr<run::FrontEnd>()> make_front_end = {};  // empty: without a window
    worker::Limits limits = compile::kLimits;
};

// Runs one command line and returns the exit status: 0 clean and as expected, 1 findings or another result, 2 what the
// file or the command line lacks. Never throws.
int run_check(const CheckSetup& setup, const std::vector<std::string>& arguments, cli::Console console);

}  // namespace lanewise::own
