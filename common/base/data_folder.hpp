// Where a program's texts, kernels' sources and recordings lie: found from the program, wherever that was moved.
#pragma once

#include <filesystem>

namespace lanewise {

// The folder that this program lies in; empty where the system does not say.
std::filesystem::path folder_of_this_program();

// The folder with lessons/ and assets/recorded: share/lanewise beside the folder of a program that lies in `programs`.
// So it is where Lanewise was installed; in a build share/lanewise/lessons is a link, and the folder is that of the
// sources. Throws Error where there is none.
std::filesystem::path data_folder(const std::filesystem::path& programs = folder_of_this_program());

}  // namespace lanewise
