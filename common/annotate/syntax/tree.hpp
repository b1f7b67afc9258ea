// Makes a File of what libclang says of it: its statements and assignments, its calls and what they name.
#pragma once

#include <functional>

#include "common/annotate/syntax/places.hpp"

namespace lanewise::annotate {

// `is_own` says whether a declaration is in the kernel file or beside it. Adds to `functions` what is defined.
void read_tree(CXTranslationUnit unit, CXFile handle, const std::function<bool(CXCursor)>& is_own, File& file,
               std::set<std::string>& functions);

}  // namespace lanewise::annotate
