#include "common/annotate/kernel_statements.hpp"

namespace lanewise::annotate {

std::vector<Range> split_at_commas(const Source& source, std::size_t first, std::size_t end) {
    std::vector<Range> parts;
    std::size_t begin = first;
    for (std::size_t i = first; i <= end; i = i < end ? source.next(i) : end + 1) {
        if (i < end && !source.is(i, ",")) continue;
        if (i > begin) parts.push_back({begin, i - 1});
        begin = i + 1;
    }
    return parts;
}

}  // namespace lanewise::annotate
