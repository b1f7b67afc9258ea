#!/usr/bin/env python3
"""What a GPU does with these kernels, and what compute-sanitizer's four tools say of them.

    on_gpu.py TABLE.csv        on a machine with a GPU, nvcc and compute-sanitizer; some minutes

Each kernel runs as its directive says (directives.testing.hpp): plain, and under each tool. The table has a row for
each: the verdict stated beside the kernel, what a plain launch did, how many errors each tool reported. A table that is
there is gone on with: a kernel whose row is whole, with the same verdict, is not run again.

Right kernels share a process, since starting one under a tool takes seconds. Where a tool says something of several
together, each half runs again, down to the one that it speaks of. A wrong kernel has a process of its own.
"""
import concurrent.futures
import csv
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
SECONDS_ALONE = 10       # a plain launch
AT_ONCE = max(4, os.cpu_count() or 16)
TOGETHER = 8             # right kernels in one process, at most
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
// A line for each kernel. An error stays with the process: the kernels after it do not run.
int launch(const char* name) {{
{cases}
  return 2;
}}
int main(int count, char** names) {{
  for (int i = 1; i < count; ++i) {{
    printf("%s: ", names[i]);
    const int failed = launch(names[i]);
    printf("\\n");
    fflush(stdout);
    if (failed) return failed;
  }}
  return 0;
}}
"""

CASE = """  if (!strcmp(name, "{name}")) {{
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


def call(command, seconds=SECONDS):
    # A tool starts the program as a child, which must end with it: a kernel that never ends would slow all others.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True)
    try:
        return process.communicate(timeout=seconds)[0], process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0], None


def plain(program, names):
    """What a plain launch of each did, by name; of those after one that failed or did not end, nothing."""
    text, status = call([program, *names], SECONDS_ALONE)
    said = {}
    for name in names:
        line = re.search(rf"^{name}: (.*)$", text, re.M)
        if status is not None and status < 0 and not (line and line.group(1)):
            return said | {name: f"ended by signal {-status}"}
        if line is None or (status is None and not line.group(1)):
            return said | ({name: "did not end"} if status is None else {})
        said[name] = line.group(1).strip()
        if not said[name].startswith("finished"):
            break
    return said


def errors(tool, program, names):
    """How many errors the tool reports of a process that launches these."""
    text, status = call(["compute-sanitizer", "--tool", tool, program, *names])
    if status is None:
        return "did not end"
    found = re.search(r"ERROR SUMMARY: (\d+) error", text) or re.search(r"RACECHECK SUMMARY: \d+ hazards? displayed \((\d+) error", text)
    warned = re.search(r"RACECHECK SUMMARY: .*, (\d+) warning", text)
    if not found:
        return "no summary"
    return found.group(1) + (f" and {warned.group(1)} warnings" if warned and warned.group(1) != "0" else "")


def errors_of_each(tool, program, names):
    said = errors(tool, program, names)
    if said == "0" or len(names) == 1:
        return {name: said for name in names}
    half = len(names) // 2
    return errors_of_each(tool, program, names[:half]) | errors_of_each(tool, program, names[half:])


def rows_of(batch):
    """The rows of kernels of one folder that share processes."""
    folder, program, kernels = batch
    names = [name for _, _, name in kernels]
    alone = plain(program, names)
    for name in names:
        if name not in alone:
            alone |= plain(program, [name])
    # A kernel that did not end would not end under a tool either, and slow all others.
    ends = [name for name in names if alone.get(name) != "did not end"]
    errors = [errors_of_each(tool, program, ends) if ends else {} for tool in TOOLS]
    return [[folder, name, verdict, kinds, alone.get(name, "nothing said")] +
            [of_tool.get(name, "did not end") for of_tool in errors] for verdict, kinds, name in kernels]


def batches(jobs):
    """Wrong kernels one by one; right ones of one folder together."""
    right = {}
    for folder, verdict, kinds, name, program in jobs:
        if verdict == "wrong":
            yield folder, program, [(verdict, kinds, name)]
        else:
            right.setdefault((folder, program), []).append((verdict, kinds, name))
    for (folder, program), kernels in right.items():
        for at in range(0, len(kernels), TOGETHER):
            yield folder, program, kernels[at:at + TOGETHER]


def rows_that_stand(table):
    """The rows of a table from before, in which every tool ended unless the kernel does not."""
    if not table.exists():
        return []
    with open(table, newline="") as file:
        return [r for r in list(csv.reader(file))[1:] if r[4] == "did not end" or "did not end" not in r[5:]]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    table = pathlib.Path(sys.argv[1])
    jobs = [(path.parent, verdict, kinds, name) for path in sorted(HERE.glob("*/kernels.cuh"))
            for verdict, kinds, name, _, _ in directives(path)]
    stated = {(folder.name, name, verdict) for folder, verdict, _, name in jobs}
    rows = [r for r in rows_that_stand(table) if (r[0], r[1], r[2]) in stated]
    have = {(r[0], r[1]) for r in rows}
    jobs = [job for job in jobs if (job[0].name, job[3]) not in have]
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        folders = sorted({job[0] for job in jobs})
        programs = dict(zip(folders, pool.map(lambda folder: build(folder, pathlib.Path(temporary)), folders)))
        jobs = [(folder.name, verdict, kinds, name, programs[folder]) for folder, verdict, kinds, name in jobs]
        # Those of several kernels take longest.
        longest_first = sorted(batches(jobs), key=lambda batch: -len(batch[2]))
        for done in concurrent.futures.as_completed([pool.submit(rows_of, batch) for batch in longest_first]):
            rows.extend(done.result())
            with open(table, "w", newline="") as file:   # a file at any time
                written = csv.writer(file, lineterminator="\n")
                written.writerow(["folder", "kernel", "verdict", "findings", "plain launch"] + list(TOOLS))
                written.writerows(sorted(rows))
    said = lambda r: any(c not in ("0", "no summary", "did not end") for c in r[5:])
    for verdict in ("wrong", "note", "clean"):
        of = [r for r in rows if r[2] == verdict]
        print(f"{verdict}: {len(of)} kernels, of {sum(map(said, of))} a tool says something")


main()
