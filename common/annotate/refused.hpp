// What a CPU cannot stand in for: in the emulated copies it becomes a compile error on its line that names it.
#pragma once

#include "common/annotate/edits.hpp"
#include "common/annotate/source.hpp"

namespace lanewise::annotate {

// What token `i` begins that cannot be emulated, "inline PTX"; empty where nothing.
std::string_view refused_at(const Source& source, std::size_t i);

// What a call of this function of cooperative groups', or of this class of theirs, needs that cannot be emulated.
std::string_view refused_call(std::string_view of_class, std::string_view function);

// What the text of a macro holds that cannot be emulated; empty where nothing.
std::string_view refused_in(const Macro& macro);

// Puts the error in front of each such name, where the preprocessor leaves it in. In a macro it is in the
// macro's text and takes effect where the macro is used.
void refuse_intrinsics(const Source& source, Edits& edits);
// The same in the file's own macros.
void refuse_in_macros(const Source& source, Edits& edits);

}  // namespace lanewise::annotate
