// A kernel file that is edited while a window shows it: each save is compiled, and runs are made on it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/own/own_file.hpp"
#include "common/own/watch_file.hpp"

namespace lanewise::own {

// The file of `asked`, with what it says is to run: `program` becomes another lesson with each save.
lesson::Program::Live live_file(lesson::Program& program, const Asked& asked, std::shared_ptr<OwnFile> first,
                                const Toolchain& tools, std::shared_ptr<worker::Pool> pool);

// A lesson's kernels, as the copy `file` has them: the lesson launches them and knows what must come of it. Puts the
// copy in the place of the program's emulated kernels.
lesson::Program::Live live_lesson(lesson::Program& program, const std::filesystem::path& file, const Toolchain& tools,
                                  std::shared_ptr<worker::Pool> pool);

// The learner's copy of a lesson's kernel files: made below ~/lanewise (or LANEWISE_HOME) where it is not there yet.
std::filesystem::path learners_copy(const lesson::Lesson& lesson);

}  // namespace lanewise::own
