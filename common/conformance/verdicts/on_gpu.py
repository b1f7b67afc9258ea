#!/usr/bin/env python3
"""What a GPU does with these kernels, and what compute-sanitizer's four tools say of them.

    on_gpu.py TABLE.csv        on a machine with a GPU, nvcc and compute-sanitizer; some minutes

Each kernel runs as its directive says (directives.testing.hpp): by itself, plain, and under each tool. The table has a
row for each: the verdict stated beside the kernel, what a plain launch did, how many errors each tool reported. A table
that is there is gone on with: a kernel whose row is whole, with the same verdict, is not run again.
"""
import concurrent.futures
import csv
import itertools
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SECONDS = 20
AT_ONCE = 16
DIRECTIVE = re.compile(r"// verdict (wrong|clean|note)( [\w,]+)?( \([\w,]+\))?: (\w+)<<<([\dx, ]+)>>>\((.*)\)")
BUFFER = re.compile(r"(ramp|zeros|ones|raw)_(\w+)\((\d+)\)")
TYPES = {"f32": "float", "f64": "double", "f16": "unsigned short", "bf16": "unsigned short", "i32": "int", "u32": "unsigned",
         "i64": "long long", "u64": "unsigned long long", "i16": "short", "u16": "unsigned short", "i8": "signed char",
         "u8": "unsigned char"}

PROGRAM = """
#include <cstdio>
#include <cstring>
#include <vector>
#include "{kernels}"
static std::vector<void*> buffers;
static std::vector<size_t> counts;
template <class T> void* buffer(const char* kind, size_t count) {{
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = strcmp(kind, "ones") ? (strcmp(kind, "ramp") ? T(0) : T(i)) : T(1);
  void* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  if (strcmp(kind, "raw")) cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}}
template <class T> void show(void* memory, size_t count) {{
  std::vector<T> values(count);
  if (cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) return;
  for (size_t i = 0; i < count && i < 4; ++i) printf(" %g", double(values[i]));
  printf(count > 4 ? " ..;" : ";");
}}
int main(int, char** argv) {{
{cases}
  return 2;
}}
"""

CASE = """  if (!strcmp(argv[1], "{name}")) {{
    {arguments}
    void* values[] = {{{addresses}}};
    cudaError_t error = cudaLaunchKernel(reinterpret_cast<const void*>(&{name}), dim3({grid}), dim3({block}), values, {shared}, 0);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {{ printf("%s", cudaGetErrorName(error)); return 1; }}
    printf("finished:");
    {shown}
    return 0;
  }}
"""


def directives(path):
    for line in path.read_text().split("\n"):
        if line.startswith("// verdict "):
            match = DIRECTIVE.fullmatch(line)
            verdict, kinds, _, name, sizes, arguments = match.groups()
            yield verdict, (kinds or "").strip(), name, [s.strip().replace("x", ", ") for s in sizes.split(",")], re.split(r", *", arguments)


def case(name, sizes, arguments):
    made, shown = [], []
    for i, text in enumerate(a for a in arguments if a):
        match = BUFFER.fullmatch(text)
        if match:
            kind, element, count = match.groups()
            made.append(f'void* a{i} = buffer<{TYPES[element]}>("{kind}", {count});')
            if kind in ("zeros", "raw"):
                shown.append(f"show<{TYPES[element]}>(a{i}, {count});")
        else:
            made.append(f"int a{i} = {text};")
    return CASE.format(name=name, arguments="\n    ".join(made), addresses=", ".join(f"&a{i}" for i in range(len(made))) or "nullptr",
                       grid=sizes[0], block=sizes[1], shared=sizes[2] if len(sizes) > 2 else 0, shown="\n    ".join(shown))


def build(folder, where):
    kernels = folder / "kernels.cuh"
    source = where / (folder.name + ".cu")
    source.write_text(PROGRAM.format(kernels=kernels, cases="".join(case(n, s, a) for _, _, n, s, a in directives(kernels))))
    program = where / folder.name
    made = subprocess.run(["nvcc", "-std=c++20", "-arch=native", "-lineinfo", "-fmad=false", "-w", "-o", program, source],
                          capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{kernels} does not compile:\n{made.stdout}{made.stderr}")
    return program


def call(command):
    # A tool starts the program as a child, which must end with it: a kernel that never ends would slow all others.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True)
    try:
        return process.communicate(timeout=SECONDS)[0], process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "", None


def plain(program, name):
    text, status = call([program, name])
    return "did not end" if status is None else text.strip() or f"ended by signal {-status}"


def errors(tool, program, name):
    text, status = call(["compute-sanitizer", "--tool", tool, program, name])
    if status is None:
        return "did not end"
    found = re.search(r"ERROR SUMMARY: (\d+) error", text) or re.search(r"RACECHECK SUMMARY: \d+ hazards? displayed \((\d+) error", text)
    warned = re.search(r"RACECHECK SUMMARY: .*, (\d+) warning", text)
    if not found:
        return "no summary"
    return found.group(1) + (f" and {warned.group(1)} warnings" if warned and warned.group(1) != "0" else "")


def row(job):
    folder, verdict, kinds, name, program = job
    alone = plain(program, name)
    # Under a tool it would not end either, and slow all others.
    told = [alone if alone == "did not end" else errors(tool, program, name) for tool in TOOLS]
    return [folder, name, verdict, kinds, alone] + told


def rows_that_stand(table):
    """The rows of a table from before, in which every tool ended unless the kernel does not."""
    if not table.exists():
        return []
    with open(table, newline="") as file:
        return [r for r in list(csv.reader(file))[1:] if r[4] == "did not end" or "did not end" not in r[5:]]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as temporary:
        folders = sorted(path.parent for path in HERE.glob("*/kernels.cuh"))
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            programs = list(pool.map(lambda folder: build(folder, pathlib.Path(temporary)), folders))
            jobs = [(folder.name, verdict, kinds, name, program) for folder, program in zip(folders, programs)
                    for verdict, kinds, name, _, _ in directives(folder / "kernels.cuh")]
            stated = {(folder, name, verdict) for folder, verdict, _, name, _ in jobs}
            rows = [r for r in rows_that_stand(pathlib.Path(sys.argv[1])) if (r[0], r[1], r[2]) in stated]
            have = {(r[0], r[1]) for r in rows}
            all_of_them = len(jobs)
            jobs = [job for job in jobs if (job[0], job[3]) not in have]
            done = concurrent.futures.as_completed([pool.submit(row, job) for job in jobs])
            while True:   # a file at any time, in order at the end
                rows.extend(each.result() for each in itertools.islice(done, 1))
                with open(sys.argv[1], "w", newline="") as file:
                    table = csv.writer(file, lineterminator="\n")
                    table.writerow(["folder", "kernel", "verdict", "findings", "plain launch"] + list(TOOLS))
                    table.writerows(sorted(rows))
                if len(rows) == all_of_them:
                    break
    said = lambda r: any(c not in ("0", "no summary", "did not end") for c in r[5:])
    for verdict in ("wrong", "note", "clean"):
        of = [r for r in rows if r[2] == verdict]
        print(f"{verdict}: {len(of)} kernels, of {sum(map(said, of))} a tool says something")


main()
