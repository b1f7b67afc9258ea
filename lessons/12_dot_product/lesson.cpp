#include "common/lesson/lesson.hpp"
#include "lessons/12_dot_product/case.hpp"

namespace {

using namespace dot_product;
using lanewise::lesson::BlockOrder;
using lanewise::lesson::PlanBuilder;
using lanewise::lesson::Variant;

// Two blocks of two warps; a value is left when the last whole pack of 8 is taken.
constexpr std::uint64_t kDefaultN = 1017;
constexpr std::uint32_t kBlock = 64;

Variant dot(const std::string& name, const char* title, const char* summary, const char* compared_with,
            PlanBuilder plan) {
    return {.name = name,
            .title = title,
            .summary = summary,
            .n = kDefaultN,
            .block = kBlock,
            .block_for = [](std::uint64_t n) { return n > 100000 ? 256u : kBlock; },
            .input = "random",
            .plan = std::move(plan),
            .compared_with = compared_with,
            .timed_n = std::uint64_t{1} << 24,
            .offsets = true,
            .large_n = true};
}

PlanBuilder one_value(const char* kernel, Element element) {
    return [=](Plan& plan, const Inputs& inputs) { plan_atomic(plan, inputs, element, kernel, 1); };
}

PlanBuilder packs(Element element, std::uint32_t b_offset = 0) {
    return [=](Plan& plan, const Inputs& inputs) {
        plan_atomic(plan, inputs, element, "dot_product_packs",
                    16 / static_cast<std::uint64_t>(lanewise::element_size(element)), b_offset);
    };
}

std::string in_format(const std::string& name, Element element) {
    return name + "_" + std::string(lanewise::element_name(element));
}

// Packs of each stream in flight, by dot_product_last_block.
std::uint32_t loads_for(const Inputs& inputs) { return inputs.block == 512 && inputs.n > (1u << 22) ? 4 : 2; }

// One launch that needs nothing zeroed, in one format.
Variant one_launch(const std::string& name, const char* title, const char* summary, Element element,
                   PlanBuilder plan) {
    const std::string format(lanewise::element_name(element));
    Variant variant = dot(in_format(name, element), title, summary, "", std::move(plan));
    variant.title += element == Element::f32 ? "" : " " + format;
    variant.summary = format + ": " + variant.summary;
    variant.block_for = [](std::uint64_t n) { return n <= 4096 ? kBlock : n <= (1u << 17) ? 256u : 512u; };
    variant.tab = element == Element::f32;
    return variant;
}

Variant last_block(Element element) {
    Variant variant =
        one_launch("dot_product_last_block", "last block",
                   "the last block finishes: one launch, nothing zeroed, the same bits every run", element,
                   [=](Plan& plan, const Inputs& inputs) { plan_last_block(plan, inputs, element, loads_for(inputs)); });
    variant.compared_with =
        element == Element::f32 ? "dot_product_f32x4_f32" : in_format("dot_product", element) + "x8_pack_f32";
    variant.block_order = BlockOrder::arrival;
    return variant;
}

// Blocks of 256 are faster until the values outgrow L2: 1.92 us instead of 2.03 for 2^16 floats on an H200.
std::uint32_t told_block_for(std::uint64_t n) { return n <= 4096 ? kBlock : n <= (1u << 22) ? 256 : 512; }

Variant told(Element element) {
    Variant variant =
        one_launch("dot_product_told", "told", "each block tells its sum in one word: no fence, no ticket", element,
                   [=](Plan& plan, const Inputs& inputs) { plan_told(plan, inputs, element, false); });
    variant.compared_with = in_format("dot_product_last_block", element);
    variant.block_for = told_block_for;
    return variant;
}

// Told from 2^10 values on, and asked to keep what it can in L2. Fewer are taken as the emulator takes them.
Variant best(Element element) {
    Variant variant =
        one_launch("dot_product_best", "best",
                   "told, and L2 is to keep a part of what outgrows it; the last block where told cannot run", element,
                   [=](Plan& plan, const Inputs& inputs) {
                       if (inputs.machine.architecture >= 90 && inputs.n >= (1u << 10))
                           plan_told(plan, inputs, element, true);
                       else plan_last_block(plan, inputs, element, loads_for(inputs));
                   });
    variant.compared_with = in_format("dot_product_last_block", element);
    variant.baseline = "torch dot";
    variant.block_for = told_block_for;
    variant.block_order = BlockOrder::arrival;
    return variant;
}

}  // namespace

LESSON(dot_product) {
    lesson.title("Dot product");
    lesson.add(dot("dot_product_f32_f32", "f32", "one value of each stream a turn, fmaf", "",
                   one_value("dot_product", Element::f32)));
    lesson.add(dot("dot_product_f32x4_f32", "f32x4", "four values of each stream a load", "dot_product_f32_f32",
                   packs(Element::f32)));
    Variant misaligned =
        dot("dot_product_f32x4_misaligned", "b from 1", "b begins one value further on: no common vectors",
            "dot_product_f32x4_f32", packs(Element::f32, 1));
    lesson.add(misaligned);
    lesson.add(dot("dot_product_f16_f32", "f16", "widened first: each product is exact in f32", "dot_product_f32_f32",
                   one_value("dot_product", Element::f16)));
    lesson.add(dot("dot_product_f16_f32_rounded", "f16 product", "the product in f16, rounded, and then widened",
                   "dot_product_f16_f32", one_value("dot_product_rounded_f16", Element::f16)));
    lesson.add(dot("dot_product_f16x8_pack_f32", "f16x8", "eight halves of each stream a load", "dot_product_f16_f32",
                   packs(Element::f16)));
    Variant bf16 = dot("dot_product_bf16_f32", "bf16", "bfloat16, widened first", "dot_product_f16_f32",
                       one_value("dot_product", Element::bf16));
    bf16.tab = false;
    lesson.add(bf16);
    Variant bf16x8 = dot("dot_product_bf16x8_pack_f32", "bf16x8", "eight bfloat16s of each stream a load",
                         "dot_product_bf16_f32", packs(Element::bf16));
    bf16x8.tab = false;
    lesson.add(bf16x8);
    for (const Element element : {Element::f32, Element::f16, Element::bf16}) {
        lesson.add(last_block(element));
        lesson.add(told(element));
        lesson.add(best(element));
    }
}
