// The steps of one run as text, one at a time.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>

#include "common/print/print.hpp"

namespace lanewise::print {

class StepPrinter {
public:
    // All but the view, which is copied, outlives the printer.
    StepPrinter(std::ostream& out, const run::Run& run, const TextView& view);
    ~StepPrinter();

    // Its heading, after `title` where there is one, its source line, what the focused warp's lanes did.
    void print_step(std::size_t k, const std::string& title = "");
    void print_findings();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lanewise::print
