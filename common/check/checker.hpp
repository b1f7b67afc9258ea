// The checks of a run: races, accesses out of bounds, reads of what nothing wrote. Barriers and masks the emulator
// judges itself.
#pragma once

#include <memory>

#include "common/emu/checks.hpp"
#include "common/launch/backend.hpp"

namespace lanewise::check {

std::unique_ptr<emu::Checker> make_checker();

// The emulator with these checks, for runs with Request::checks; or with that of races alone.
std::unique_ptr<launch::Backend> make_emulator();
std::unique_ptr<launch::Backend> make_emulator_of_races();

}  // namespace lanewise::check
