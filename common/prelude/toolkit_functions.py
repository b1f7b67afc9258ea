#!/usr/bin/env python3
"""Holds the emulator's prelude to the CUDA toolkit: each device function that its headers declare must compile in an
emulated kernel with the same types, or stand in the list of those that cannot be emulated.

    common/prelude/toolkit_functions.py --nvcc NVCC --compiler g++ --stand-ins FOLDER"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ["cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuComplex.h"]

# What is not emulated, and why; REFERENCE.md says so too.
REFUSED = {
    r"cuda[A-Z]\w*": "CUDA's runtime, called in a kernel",
    r"__cvta_\w+": "addresses for PTX",
    r"__isConstant|__isGridConstant": "constant memory is ordinary memory here",
    r"(__)?(all|any|ballot)": "votes without a mask, which GPUs have lost with sm_70",
    r"__barrier_sync|__barrier_sync_count": "numbered barriers",
    r"__nv_cvt_\w*e8m0\w*": "e8m0, a type of scale factors",
    r"tex\w+|surf\w+|[iu]?tex\w*|__tex\w+|__surf\w+": "textures and surfaces",
}
# Declared in those headers, and no part of CUDA's documentation: what its own functions are made of, or are left of old
# ones.
INTERNAL = (r"__nvvm_\w+|__nv_(?!cvt)\w+|__internal\w*|__builtin\w*|__cudart\w*|__cuda\w+|__assert\w*|\w+_impl|\w+_internal|__\w*Atomic\w+|"
            r"__float_simpl_\w+|__fmaf_ieee_\w+|__pm\d|__uni_sync|syncthreads_\w+|d(add|sub|mul|div|rcp|sqrt)|\w*2(int|uint|ll|ull|double|float|hiint|loint)|"
            r"__\w+_as_\w+_internal|clock_ns|__gpu_\w+|__syncthreads_\w+_\w+|saturate|mulhi|umulhi|mul64hi|umul64hi|mul24|umul24")
KEYWORDS = {"int", "char", "float", "double", "short", "long", "unsigned", "signed", "bool", "const", "volatile", "void", "struct", "enum"}


def declarations(nvcc):
    """name -> set of the types of its parameters, of all device functions that are no templates."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "all.cu"
        source.write_text("".join(f"#include <{header}>\n" for header in HEADERS))
        text = subprocess.run([nvcc, "-std=c++20", "-arch=sm_80", "-E", str(source)], capture_output=True, text=True, check=True,
                              errors="replace").stdout
    lines, current = [], ""
    for line in text.split("\n"):
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            current = marker.group(1)
        elif "/cuda" in current:
            lines.append(line)
    text = "\n".join(lines).replace("__attribute__((device))", " @device ")
    text = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|__declspec\([^)]*\)", " ", text)
    text = re.sub(r'noexcept *(\(true\))?|\bthrow\(\)|__inline__|__forceinline__|\b(extern|static|inline|constexpr)\b|\b__restrict__\b|"C"', " ", text)
    found = {}
    for match in re.finditer(r"([^;{}#@]*)@device\s+([^;{}#@]*?)\b([A-Za-z_]\w*)\s*\(([^()]*)\)\s*[^;{}=@]*?(?=[;{])", text):
        before, result, name, parameters = (part.strip() for part in match.groups())
        if not result or "template" in before or "<" in result or "operator" in name + result or "return" in result or "..." in parameters:
            continue
        types = [] if parameters in ("", "void") else [type_of(parameter) for parameter in parameters.split(",")]
        if not any(one.startswith("enum") for one in types):
            found.setdefault(name, set()).add(tuple(types))
    return found


def type_of(parameter):
    parameter = re.sub(r"\[\s*\]", "*", re.sub(r"=.*", "", parameter, flags=re.S)).strip()
    named = re.match(r"^(.*[\s*&])(\w+)$", parameter, flags=re.S)
    if named and named.group(2) not in KEYWORDS and (set(re.findall(r"\w+", named.group(1))) - {"const", "volatile", "struct"}):
        parameter = named.group(1)
    return re.sub(r"\s+", " ", parameter).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("nvcc", "compiler", "stand-ins"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    calls, refused = [], 0
    for name, overloads in sorted(declarations(options.nvcc).items()):
        if re.fullmatch(INTERNAL, name):
            continue
        if any(re.fullmatch(pattern, name) for pattern in REFUSED):
            refused += 1
            continue
        calls += [(name, types) for types in sorted(overloads)]
    text = ['#include "common/prelude/emulated/emulated.hpp"', '#include "common/prelude/emulated/emulated_special.hpp"',
            '#include "common/prelude/emulated/emulated_video.hpp"', "#include <cuComplex.h>", "template <class T> T make();"]
    for i, (name, types) in enumerate(calls):
        arguments = ", ".join(f"make<{one}>()" for one in types)
        text.append(f'#line {i} "CALLS"\ninline void call_{i}() {{ {name}({arguments}); }}')
    compiled = subprocess.run([options.compiler, "-std=c++20", "-w", "-fsyntax-only", "-fmax-errors=0", f"-I{ROOT}",
                               f"-I{options.stand_ins}", "-x", "c++", "-"], input="\n".join(text), capture_output=True, text=True)
    missing = sorted({int(line) for line in re.findall(r"^CALLS:(\d+):\d+: error", compiled.stderr, flags=re.M)})
    for i in missing:
        print(f"missing: {calls[i][0]}({', '.join(calls[i][1])})")
    others = [line for line in compiled.stderr.splitlines() if "error" in line and not line.startswith("CALLS:")]
    if len(calls) < 1000 or (compiled.returncode != 0 and not missing):
        print("the comparison itself failed:", others[:3], len(calls), "calls")
        return 1
    print(f"{len(calls)} device functions compared, {refused} names refused, {len(missing)} missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
