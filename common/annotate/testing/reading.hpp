// Readings of short texts, for annotate's tests.
#pragma once

#include <string>

#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

// The declarations that kernel files are parsed against, as the build compiled them.
inline Prelude test_prelude() { return {LANEWISE_ROOT, LANEWISE_STAND_INS, LANEWISE_DECLARATIONS}; }

inline Reading reading_of(const std::string& text) { return read_kernels("/k.cuh", text, test_prelude()); }

// What the bodies of the tests use, in front of them on their line.
inline const std::string kDeclared =
    "struct S { float sum; int shfl, asm_count; }; struct A {}; template <class X> struct B { float x; }; "
    "using T = float; template <class X, class Y> struct Pair { X first; Y second; }; namespace cg = "
    "cooperative_groups; template <class X, class Y> float op(X, Y); template <class X, class Y> float "
    "op(float, float); template <class... X> void g(X...); void h(); float reduce(float); extern float "
    "*in, *out, *other, *tree, *many, v, w, a, b, p, q, sum, x, y, *atomicsLike; float4 FLOAT4(float); extern float4 *in4; extern B<float>* link; "
    "extern int lane, d, o, i, j, n, c, k, l, t, r, shift, ok, stride, bits, *index_of, *pointer, "
    "*counter; extern unsigned m; extern S s; extern cooperative_groups::thread_block_tile<32> tile, "
    "*tiles; constexpr int kA = 1; ";

}  // namespace lanewise::annotate
