// What a file makes its reader keep is in proportion to what it holds.
#include <gtest/gtest.h>

#include "common/trace/io.testing.hpp"

namespace lanewise::trace {
namespace {

using testing::read_text;
using testing::written;

// One lane of each of `blocks` blocks makes a fence: a small file, of which steps count for each block.
std::string fences(std::uint32_t blocks) {
    Trace trace;
    trace.header.launches.push_back({"k", {blocks, 1, 1}, {32, 1, 1}, 0});
    for (std::uint32_t block = 0; block < blocks; ++block) {
        Record record;
        record.op = Op::fence;
        record.block = block;
        record.line = static_cast<int>(block) + 1;
        record.active = 1;
        trace.records.push_back(record);
    }
    return written(trace);
}

TEST(TraceLimits, RecordsOfManyBlocksAreReadAsFarAsTheirProductAllows) {
    const Trace few = read_text(fences(2000));
    EXPECT_FALSE(few.partial) << few.partial_reason;
    const Trace many = read_text(fences(6000));
    EXPECT_TRUE(many.partial);
    EXPECT_EQ(many.records.size(), 2048u);   // times as many blocks: 2^22
    EXPECT_NE(many.partial_reason.find("2049 records of 2049 blocks"), std::string::npos) << many.partial_reason;
}

}  // namespace
}  // namespace lanewise::trace
