#!/usr/bin/env python3
"""What nvcc makes of kernels that the texts speak of: registers, and instructions of the PTX.

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
from figures import RECORDED, ROOT, fnv1a  # noqa: E402

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
    ("07_vectorized", "grid_stride_f32<128>", "const float*, float*, int, int"),
    ("07_vectorized", "grid_stride_f32_unroll_1<128>", "const float*, float*, int, int"),
    ("07_vectorized", "grid_stride_f32_unroll_4<128>", "const float*, float*, int, int"),
    ("07_vectorized", "grid_stride_f32x4<128>", "const float*, float*, int, int"),
    ("07_vectorized", "grid_stride_f32x4_unroll_1<128>", "const float*, float*, int, int"),
]


def compile_one(lesson, kernel, parameters, folder):
    text = ROOT / "lessons" / lesson / "kernels.cuh"
    source = Path(folder) / "one.cu"
    source.write_text(f'#include "{text}"\ntemplate __global__ void {kernel}({parameters});\n')
    nvcc = ["nvcc", "-std=c++20", "-fmad=false", f"-arch={ARCHITECTURE}"]
    said = subprocess.run([*nvcc, "-cubin", "-Xptxas", "-v", source, "-o", f"{folder}/one.cubin"], capture_output=True,
                          text=True, check=True)
    subprocess.run([*nvcc, "-ptx", source, "-o", f"{folder}/one.ptx"], check=True, capture_output=True)
    counts = {}
    for line in (Path(folder) / "one.ptx").read_text().split("\n"):
        found = re.match(r"\s+(?:@!?%p\d+\s+)?(shfl\.sync|ld\.global|rem)", line)
        if found:
            counts[found[1]] = counts.get(found[1], 0) + 1
    return {"kernels_fnv1a": fnv1a(text.read_bytes()), "registers": int(re.search(r"Used (\d+) registers", said.stderr)[1]),
            "ptx": counts}


def compiled():
    with tempfile.TemporaryDirectory() as folder:
        return {f"{lesson}/{kernel}": compile_one(lesson, kernel, parameters, folder)
                for lesson, kernel, parameters in KERNELS}


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
        return 0 if table["kernels"] == now else 1
    path.write_text(json.dumps({"nvcc": version, "architecture": ARCHITECTURE, "kernels": compiled()}, indent=1) + "\n")
    print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
