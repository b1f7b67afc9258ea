// A lesson run on the learner's own copy of its kernels.
#pragma once

#include <filesystem>
#include <memory>

#include "common/cli/program.hpp"
#include "common/compile/toolchain.hpp"
#include "common/worker/pool.hpp"

namespace lanewise::compile {

// A lesson's kernels, as the copy `file` has them: the lesson launches them and knows what must come of it. Puts the
// copy in the place of the program's emulated kernels.
cli::Program::Live live_lesson(cli::Program& program, const std::filesystem::path& file, const Toolchain& tools,
                               std::shared_ptr<worker::Pool> pool);

// The learner's copy of a lesson's kernel files: made below ~/lanewise (or LANEWISE_HOME) where it is not there yet.
std::filesystem::path learners_copy(const lesson::Lesson& lesson);

}  // namespace lanewise::compile
