// Any bytes as a trace: read, made into steps, written and read again, or refused in a sentence.
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "common/base/error.hpp"
#include "common/steps/steps.hpp"
#include "common/trace/io.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanewise;
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    try {
        const trace::Trace read = trace::read(in, "fuzz.ndjson");
        steps::build_steps(read);
        std::ostringstream out;
        trace::write(out, read);
        std::istringstream again(out.str());
        if (trace::read(again, "fuzz.ndjson").records.size() != read.records.size()) std::abort();
    } catch (const Error&) {
    }
    return 0;
}
