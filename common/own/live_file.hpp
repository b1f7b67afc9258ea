// A kernel file with what it says is to run, read and compiled again at each save.
#pragma once

#include <memory>

#include "common/cli/program.hpp"
#include "common/own/own_file.hpp"

namespace lanewise::own {

// The file of `asked`: `program` becomes another lesson with each save.
cli::Program::Live live_file(cli::Program& program, const Asked& asked, std::shared_ptr<OwnFile> first,
                             const compile::Toolchain& tools, std::shared_ptr<worker::Pool> pool);

}  // namespace lanewise::own
