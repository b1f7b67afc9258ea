// The values of a plan and their reference in double take the host longer than a measurement takes the GPU. So the
// plans of a list of jobs are made on other threads while the GPU measures those before them, and where the same jobs
// are measured again, plans are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/measure/sweep.hpp"

namespace lanewise::measure {

class PlansAhead {
public:
    // Keeps a reference to the jobs, whose plan() must be callable from any thread. `most` plans are made ahead; 0:
    // none.
    PlansAhead(const std::vector<Job>& jobs, std::size_t most);

    // The plan of job `at`, of which those before are no longer asked for. Throws what Job::plan throws.
    launch::Plan take(std::size_t at);
    // Until nothing is being made: what runs on this machine's CPU next has it to itself.
    void wait();

private:
    const std::vector<Job>& jobs_;
    std::size_t most_;
    std::uint64_t most_values_;   // in all plans made ahead
    std::map<std::size_t, std::future<launch::Plan>> made_;   // by job
};

// Three quarters of this machine's threads, twelve at most, none of fewer than four: the one that measures must not
// wait for a core.
std::size_t plans_made_ahead();

// The same jobs, to be measured several times over. Their plans, which must not change, are made once and then copied,
// as long as all that are kept take no more than so many bytes. They live as long as a copy of the jobs does.
std::vector<Job> keeping_plans(std::vector<Job> jobs, std::uint64_t most_bytes);

}  // namespace lanewise::measure
