#!/usr/bin/env python3
"""What nvcc makes of kernels that the texts speak of: registers, and instructions of the PTX; sizes of CUB's types.

    compiled.py            writes assets/compiled.json
    compiled.py --check    compares it with what the nvcc of this machine makes, if it has the same version

The commands, for lesson 07's kernels: nvcc -std=c++20 -fmad=false -arch=sm_90 -cubin -Xptxas -v, and nvcc -ptx.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from figures import ROOT, fnv1a  # noqa: E402

ARCHITECTURE = "sm_90"
# Lesson, kernel with its template arguments, parameters.
KERNELS = [
    ("05_warp_shuffle", "warp_sum_xor<32>", "const float*, float*, float*, int"),
    ("05_warp_shuffle", "warp_sum_xor_rolled<32>", "const float*, float*, float*, int, int"),
    ("05_warp_shuffle", "warp_sum_xor_pragma<32>", "const float*, float*, float*, int, int"),
    ("05_warp_shuffle", "block_sum_two_level<256>", "const float*, float*, int"),
    ("05_warp_shuffle", "block_sum_two_level_broadcast<256>", "const float*, float*, float*, int"),
    ("05_warp_shuffle", "block_sum_every_warp<256>", "const float*, float*, float*, int"),
    ("05_warp_shuffle", "block_sum_library<256>", "const float*, float*, int"),
    ("10_shuffle_explorer", "shuffle_xor<unsigned>", "const unsigned*, const int*, unsigned*, int, unsigned, int"),
    ("10_shuffle_explorer", "shuffle_xor<long long>", "const long long*, const int*, long long*, int, unsigned, int"),
    ("07_vectorized", "grid_stride_f32<128>", "const float*, float*, int, int"),
    ("07_vectorized", "grid_stride_f32_unroll_1<128>", "const float*, float*, int, int"),
    ("07_vectorized", "grid_stride_f32_unroll_4<128>", "const float*, float*, int, int"),
    ("07_vectorized", "grid_stride_f32x4<128>", "const float*, float*, int, int"),
    ("07_vectorized", "grid_stride_f32x4_unroll_1<128>", "const float*, float*, int, int"),
]

# Of lesson 07 once more, with every `#pragma unroll 4` written as `#pragma unroll`: named "… as #pragma unroll".
REWRITTEN = ("07_vectorized", "#pragma unroll 4", "#pragma unroll")

# sizeof of these, each with <cub/cub.cuh>.
SIZES = [f"cub::BlockReduce<float, {block}>::TempStorage" for block in (128, 256, 512, 1024)] + \
        [f"cub::BlockReduce<float, {block}, cub::BLOCK_REDUCE_RAKING>::TempStorage" for block in (256, 1024)]


def mangled(kernel):
    name, arguments = re.match(r"(\w+)<(.*)>", kernel).groups()
    types = {"unsigned": "j", "long long": "x"}
    return f"{len(name)}{name}I" + "".join(types.get(one.strip(), f"Li{one.strip()}E") for one in arguments.split(","))


# All kernels of one lesson in one file: what ptxas says of each, and the instructions of each in the PTX.
def compile_lesson(lesson, kernels, folder, old="", new=""):
    text = ROOT / "lessons" / lesson / "kernels.cuh"
    source = Path(folder) / "kernels.cu"
    source.write_text((text.read_text().replace(old, new) if old else text.read_text()) + "\n" +
                      "".join(f"template __global__ void {kernel}({parameters});\n" for kernel, parameters in kernels))
    nvcc = ["nvcc", "-std=c++20", "-fmad=false", f"-arch={ARCHITECTURE}", source]
    said = subprocess.run([*nvcc, "-cubin", "-Xptxas", "-v", "-o", f"{folder}/kernels.cubin"], capture_output=True,
                          text=True, check=True).stderr
    subprocess.run([*nvcc, "-ptx", "-o", f"{folder}/kernels.ptx"], check=True, capture_output=True)
    registers = dict(re.findall(r"Compiling entry function '(\w+)'.*?Used (\d+) registers", said, re.S))
    bodies = dict(re.findall(r"\.entry (\w+)\((.*?)^}", (Path(folder) / "kernels.ptx").read_text(), re.S | re.M))
    made = {}
    for kernel, _ in kernels:
        entry = next(name for name in registers if mangled(kernel) in name)
        counts = {}
        for instruction in re.findall(r"^\s+(?:@!?%p\d+\s+)?(shfl\.sync|ld\.global)", bodies[entry], re.M):
            counts[instruction] = counts.get(instruction, 0) + 1
        name = f"{lesson}/{kernel}" + (f" as {new}" if new else "")
        made[name] = {"kernels_fnv1a": fnv1a(text.read_bytes()), "registers": int(registers[entry]), "ptx": counts}
    return made


def compiled():
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        for lesson in sorted({lesson for lesson, _, _ in KERNELS}):
            made |= compile_lesson(lesson, [(k, p) for l, k, p in KERNELS if l == lesson], folder)
        lesson, old, new = REWRITTEN
        made |= compile_lesson(lesson, [(k, p) for l, k, p in KERNELS if l == lesson and "unroll_4" in k], folder, old,
                               new)
    return made


def sizes():
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "sizes.cu"
        source.write_text("#include <cub/cub.cuh>\n" + "".join(
            f'extern "C" __device__ const unsigned size_{k} = sizeof({name});\n' for k, name in enumerate(SIZES)))
        subprocess.run(["nvcc", "-std=c++20", f"-arch={ARCHITECTURE}", source, "-ptx", "-o", f"{folder}/sizes.ptx"],
                       check=True, capture_output=True)
        found = re.findall(r"\.u32 size_(\d+) = (\d+);", (Path(folder) / "sizes.ptx").read_text())
        return {SIZES[int(k)]: int(size) for k, size in found}


def main():
    path = ROOT / "assets" / "compiled.json"
    if not shutil.which("nvcc"):
        print("There is no nvcc here.")
        return 77
    version = re.search(r"release (\S+),", subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout)[1]
    if sys.argv[1:] == ["--check"]:
        table = json.loads(path.read_text())
        if table["nvcc"] != version:
            print(f"compiled.json is of nvcc {table['nvcc']}, and this is {version}.")
            return 77
        now = compiled()
        for kernel, entry in now.items():
            if table["kernels"].get(kernel) != entry:
                print(f"{kernel}: compiled.json has {table['kernels'].get(kernel)}, nvcc gives {entry}.")
        now_sizes = sizes()
        if table["sizes"] != now_sizes:
            print(f"sizes: compiled.json has {table['sizes']}, nvcc gives {now_sizes}.")
        return 0 if table["kernels"] == now and table["sizes"] == now_sizes else 1
    path.write_text(json.dumps({"nvcc": version, "architecture": ARCHITECTURE, "kernels": compiled(), "sizes": sizes()},
                               indent=1) + "\n")
    print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
