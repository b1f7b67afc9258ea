#include "common/launch/kernel.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace lanewise::launch {
namespace {

const char kAddress = 0;

BuiltFile built(Build build, const std::string& name, const std::string& file = kKernelFile,
                std::uint32_t architecture = 0) {
    BuiltFile result;
    result.build = build;
    result.entries = {{name, "128", {{8, true}}, {&kAddress}}};
    result.statements.emplace_back().target = name;
    result.shared_names = {"array of " + name};
    result.file = file;
    result.architecture = architecture;
    return result;
}

// A file of which there may be no build: its entries without addresses.
BuiltFile declared(const std::string& name, const std::string& file, std::uint32_t architecture) {
    BuiltFile result;
    result.entries = {{name, "128", {}, {}}};
    result.file = file;
    result.architecture = architecture;
    return result;
}

TEST(KernelSet, KeepsWhatEachFileSays) {
    KernelSet set;
    set.add(built(Build::emulated, "sum"));
    set.declare(declared("cluster_sum", "kernels_sm90.cuh", 90));
    set.add(built(Build::gpu_plain, "cluster_sum", "kernels_sm90.cuh", 90));
    set.add(built(Build::gpu_traced, "cluster_sum", "kernels_sm90.cuh", 90));
    EXPECT_EQ(set.files(), (std::vector<std::string>{"kernels.cuh", "kernels_sm90.cuh"}));
    ASSERT_EQ(set.kernels().size(), 2u);
    const Kernel &sum = set.find("sum", "128"), &cluster = set.find("cluster_sum", "128");
    EXPECT_FALSE(sum.gpu_only());
    EXPECT_TRUE(cluster.gpu_only());
    EXPECT_EQ(cluster.architecture, 90u);
    ASSERT_EQ(cluster.parameters.size(), 1u);   // given by the build, not by the declaration
    EXPECT_TRUE(cluster.gpu_plain && cluster.gpu_traced && !cluster.emulated);
    EXPECT_EQ(set.file_of(sum).statements.at(0).target, "sum");
    EXPECT_EQ(set.file_of(cluster).statements.at(0).target, "cluster_sum");
    EXPECT_EQ(set.file_of(cluster).shared_names.at(0), "array of cluster_sum");
}

TEST(KernelSet, WhatIsDeclaredIsKnownByName) {
    KernelSet set;
    set.declare(declared("cluster_sum", "kernels_sm90.cuh", 90));
    const Kernel& kernel = set.find("cluster_sum", "128");
    EXPECT_FALSE(kernel.gpu_plain);
    EXPECT_FALSE(set.has_gpu());
    EXPECT_NE(why_not_emulated(kernel).find("kernels_sm90.cuh need a GPU of sm_90"), std::string::npos);
    EXPECT_NE(why_no_gpu_build(kernel, set).find("-DLANEWISE_CUDA=ON"), std::string::npos);
    set.set_architectures("75");
    const std::string why = why_no_gpu_build(kernel, set);
    EXPECT_NE(why.find("compiled for sm_75"), std::string::npos) << why;
    EXPECT_NE(why.find("-DLANEWISE_CUDA_ARCH=90"), std::string::npos) << why;
    EXPECT_TRUE(why_not_on(kernel, 90).empty());
    EXPECT_TRUE(why_not_on(kernel, 100).empty());
    EXPECT_NE(why_not_on(kernel, 86).find("this GPU is sm_86"), std::string::npos);
}

TEST(KernelSet, OneNameStandsInOneFile) {
    KernelSet set;
    set.add(built(Build::emulated, "sum"));
    EXPECT_THROW(set.add(built(Build::gpu_plain, "sum", "kernels_sm80.cuh", 80)), Error);
    EXPECT_THROW(set.add(built(Build::emulated, "sum")), Error);
    Kernel elsewhere;
    elsewhere.file = "kernels_sm80.cuh";
    EXPECT_THROW(set.file_of(elsewhere), Error);
}

}  // namespace
}  // namespace lanewise::launch
