#include "common/lesson/lesson.hpp"
#include "lessons/_template/case.hpp"

LESSON(template) {
    lesson.title("Template");
    lesson.add({.name = "slice_sum",
                .title = "down",
                .summary = "lane 0 ends with the sum of its slice",
                .n = 32,
                .block = 32,
                .plan = slice_sum::plan});
}
