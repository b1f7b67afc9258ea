#include "common/base/data_folder.hpp"

#include <system_error>

#include "common/base/error.hpp"

namespace lanewise {

namespace fs = std::filesystem;

fs::path folder_of_this_program() {
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::path() : program.parent_path();
}

fs::path data_folder(const fs::path& programs) {
    const fs::path wanted = programs.parent_path() / "share" / "lanewise" / "lessons";
    std::error_code failed;
    const fs::path lessons = fs::canonical(wanted, failed);
    if (failed)
        throw Error("There is no folder " + wanted.string() +
                    " with the lessons' texts and kernels: run the program from where it was built or installed "
                    "(cmake --install build --prefix FOLDER); it cannot be moved without share/lanewise.");
    return lessons.parent_path();
}

}  // namespace lanewise
