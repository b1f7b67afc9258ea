#include "common/annotate/headers/group_headers.hpp"

#include <gtest/gtest.h>

namespace lanewise::annotate {
namespace {

std::string replaced(const std::string& text) {
    const Source source("/k.cuh", text);
    Edits edits;
    replace_group_headers(source, edits);
    return edits.apply(text);
}

TEST(GroupHeaders, AreReplacedOnTheirLine) {
    EXPECT_EQ(replaced("#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n  # include "
                       "\"cooperative_groups/scan.h\"  // why\nint x;\n"),
              "#include \"common/prelude/cooperative_groups.cuh\"\n"
              "#include \"common/prelude/cooperative_groups_reduce.cuh\"\n"
              "  # include \"common/prelude/cooperative_groups_scan.cuh\"  // why\nint x;\n");
}

TEST(GroupHeaders, LeaveOtherLinesAlone) {
    for (const std::string text :
         {"#include <cuda_fp16.h>\n", "// #include <cooperative_groups.h>\n",
          "#include <cooperative_groups/memcpy_async.h>\n", "#include \"my_cooperative_groups.h\"\n"})
        EXPECT_EQ(replaced(text), text);
}

}  // namespace
}  // namespace lanewise::annotate
