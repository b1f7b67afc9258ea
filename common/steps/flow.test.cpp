// Values that move through statements without a record.
#include <gtest/gtest.h>

#include "common/steps/programs.testing.hpp"

namespace lanewise::steps {
namespace {

TEST(Flow, Placeholder) { SUCCEED(); }

}  // namespace
}  // namespace lanewise::steps
