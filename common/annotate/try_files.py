#!/usr/bin/env python3
"""Annotates every CUDA file of a folder, compiles the emulated copies and prints a table: which kernels work.

    common/annotate/try_files.py --build BUILD FOLDER [--include FOLDER …] [--only TEXT] [--traced] [--jobs N]

A kernel counts as refused where it needs what the emulator does not have, and the row says what. A template is compiled
with the arguments that the file's own launches give it, where those are literals or types of one name."""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def compile_options(build):
    return ["g++", "-std=c++20", "-w", "-Wno-narrowing", "-fsyntax-only", "-fmax-errors=20", f"-I{ROOT}",
            f"-I{build}/share/lanewise-cuda-headers"]


def instances(text, kernels):
    """`name<float, 256>` for the launches of templates that can be repeated outside of their function."""
    result = []
    for name, is_template in kernels:
        last = name.split("::")[-1]
        if not is_template:
            continue
        found = set()
        for arguments in re.findall(r"\b" + last + r"\s*<([^<>;(){}]*)>\s*<<<", text):
            items = [item.strip() for item in arguments.split(",")]
            if all(re.fullmatch(r"(unsigned |const )?(int|float|double|half|char|short|long|bool|T|\d+|true|false)", item) for item in items):
                found.add(", ".join("float" if item == "T" else item for item in items))
        result += [f"{name}<{arguments}>" for arguments in sorted(found)]
    return result


def wrapper(folder, entries, traced):
    kind = "emulated_traced" if traced else "emulated"
    lines = [f'#include "{folder}/kernels.includes.inc"', f'#include "common/prelude/emulated/{kind}.hpp"',
             '#include "common/launch/kernel_exports.hpp"', "namespace kernels_here {",
             "using ::lanewise_emulated::heap::malloc;", "using ::lanewise_emulated::heap::free;",
             f'#include "{folder}/kernels.overloads.inc"', f'#include "{folder}/kernels.{kind}.cuh"', f'#include "{folder}/kernels.tables.inc"']
    lines += [f"template <auto k> struct Use{i} {{}}; Use{i}<&{entry}> use{i};" for i, entry in enumerate(entries)]
    return "\n".join(lines) + "\n}\n"


def try_file(path, options):
    row = {"path": path, "kernels": 0, "refused": [], "verdict": "", "why": ""}
    build = pathlib.Path(options.build).resolve()
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{build}/common/annotate/lanewise_annotate", "kernels", "--root", str(ROOT), "--stand-ins",
                   f"{build}/share/lanewise-cuda-headers", "--declarations", f"{build}/common/annotate/declared.pch"]
        for include in options.include:
            command += ["--include", include]
        read = subprocess.run(command + [str(path), folder], capture_output=True, text=True, timeout=120, errors="replace")
        if read.returncode != 0:
            row["verdict"] = "not read" if read.returncode > 0 else "crash"
            row["why"] = read.stderr.strip().splitlines()[0] if read.stderr.strip() else str(read.returncode)
            return row
        kernels, refused, skipped = [], {}, []
        for line in read.stdout.splitlines():
            if line.startswith("kernel "):
                head = line[7:line.index("(")] if "(" in line else line[7:]
                kernels.append((head.split("<")[0], "<" in head))
            elif line.startswith("  refused "):
                refused.setdefault(len(kernels) - 1, line.split(": ", 1)[1])
            elif line.startswith("  skipped "):
                skipped.append(line.split(": ", 1)[1])
        row["kernels"] = len(kernels)
        row["refused"] = sorted(refused.values())
        row["skipped"] = skipped
        if not kernels:
            row["verdict"] = "no kernel"
            return row
        if len(refused) == len(kernels):
            row["verdict"] = "refused"
            return row
        text = path.read_text(errors="replace")
        left = [kernel for i, kernel in enumerate(kernels) if i not in refused]
        (pathlib.Path(folder) / "w.cpp").write_text(wrapper(folder, instances(text, left), options.traced))
        compiled = subprocess.run(compile_options(build) + [f"{folder}/w.cpp"], capture_output=True, text=True, timeout=300, errors="replace")
        row["verdict"] = "compiles" if compiled.returncode == 0 else "fails"
        errors = [line for line in compiled.stderr.splitlines() if "error" in line]
        row["why"] = errors[0] if errors else compiled.stderr[:200]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--build", required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--traced", action="store_true", help="the copies that record")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    paths = sorted(path for folder in options.folder for path in
                   ([pathlib.Path(folder)] if pathlib.Path(folder).is_file() else pathlib.Path(folder).rglob("*.cu"))
                   if options.only in str(path))
    # What another file includes is no file of its own: it may lean on what stands in front of it there.
    parts = set()
    for path in paths:
        parts.update((path.parent / name).resolve() for name in re.findall(r'#\s*include\s*["<]([^">]*\.cu)[">]', path.read_text(errors="replace")))
    paths = [path for path in paths if path.resolve() not in parts]
    counts, refusals = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda path: try_file(path, options), paths):
            counts[row["verdict"]] += 1
            refusals.update(row["refused"])
            counts["with a kernel refused, and others that compile"] += row["verdict"] == "compiles" and bool(row["refused"])
            print(f"{row['verdict']:10} {row['kernels']:3} {len(row['refused']):3}  {row['path']}  {row['why']}", flush=True)
    print("\n" + "\n".join(f"{count:4}  {what}" for what, count in counts.most_common()))
    print("\n" + "\n".join(f"{count:4}  refused: {what}" for what, count in refusals.most_common()))
    tried = counts["compiles"] + counts["fails"] + counts["not read"] + counts["crash"]
    print(f"\n{counts['compiles']} of {tried} files with kernels that nothing refuses compile")
    return 0


if __name__ == "__main__":
    sys.exit(main())
