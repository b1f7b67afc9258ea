// A lesson, its kernels, and the machines that it may run on.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "common/launch/backend.hpp"
#include "common/lesson/lesson.hpp"
#include "common/measure/meter.hpp"
#include "common/timing/costs.hpp"

namespace lanewise::runner {

struct LessonSetup {
    lesson::Lesson lesson;
    launch::KernelSet kernels;
    std::function<std::unique_ptr<launch::Backend>()> make_emulator;
    std::function<std::unique_ptr<launch::Backend>()> make_gpu;
    // Is there a GPU? When not, says why. Starts CUDA, so it is asked only when the answer matters.
    std::function<bool(std::string* why)> gpu_available;
    // What times plain kernels on the GPU.
    std::function<std::unique_ptr<measure::Meter>()> make_meter;
    std::function<std::string()> today;   // "2026-11-21"
    // What plans for the GPU are shaped by; asked only where there is one. Empty: as Machine says.
    std::function<lesson::Machine()> gpu_machine = {};
    // What single operations cost on the GPU. Empty: nothing measures them.
    std::function<timing::CostTable(const timing::CostProgress&)> measure_costs = {};
    // Where kernel files are read that are shown. Empty: in the lesson's folder.
    std::filesystem::path kernel_folder = {};
    // Is a check that finds nothing repeated in the other order of lanes and blocks, where it takes no time?
    bool tries_other_order = false;
};

}  // namespace lanewise::runner
