#!/usr/bin/env python3
"""check_lessons.py LESSONS CHECK_PROGRAM PROGRAMS TESTS [LESSON … | LESSON:VARIANT …]: the lessons' kernels through `check`.

Each variant is recorded by its lesson's program (in the folder PROGRAMS), and once more by `check` from the lesson's
kernel file, with `run:` lines that are written from the variant's plan, which the lesson's test (in TESTS) gives. The
two traces must be the same, byte for byte, but for their header (with it the choice of blocks that are recorded, and
the table of arrays) and the footer, which counts it in. What a lesson says and no `run:` line can, is left out of the
comparison, and counted apart, as "but for":
  numbers     shared arrays are numbered through all kernels of a lesson's file, or those that run: compared by name
  snapshots   arrays in global memory that a lesson shows at barriers, beside shared memory
  structures  a lesson says what its structures in memory are made of (f32); to `check` they are words (u32)
  joins       what a sum is after a load that it takes in: recorded where no kernel of the file uses its name otherwise
  outputs     which arrays' last values a trace ends with: a lesson names its results, `check` all that began as zeros
A variant that no `run:` line can give is named with the reason. Exit status: 0 all the same; 1 one differs, or there
was nothing to compare.
"""
import collections
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SIZES = {"float": 4, "double": 8, "int": 4, "unsigned": 4, "unsigned int": 4, "long long": 8, "unsigned long long": 8,
         "char": 1, "signed char": 1, "unsigned char": 1, "int8_t": 1, "uint8_t": 1, "std::int8_t": 1,
         "half": 2, "__half": 2, "__half2": 4, "half2": 4, "__nv_bfloat16": 2, "__nv_bfloat162": 4, "__nv_fp8_e4m3": 1,
         "__nv_fp8_e5m2": 1, "float2": 8, "float4": 16, "int4": 16, "uint2": 8, "uint4": 16, "MaxSum": 8}
STRUCTURES = ("MaxSum",)
INPUT, OUTPUT, SCRATCH, KEPT = range(4)


class NotExpressible(Exception):
    """What a `run:` line cannot express of a launch."""


def parameters(text, kernel):
    """The kernel's parameters in the file: (type, name) each."""
    found = re.search(r"__global__[^;{]*?\b%s\s*\(([^)]*)\)\s*\{" % re.escape(kernel), text, re.S)
    if not found:
        raise NotExpressible(f"the parameters of {kernel}")
    pairs = []
    for parameter in re.sub(r"//[^\n]*", "", found.group(1)).split(","):
        kind, _, name = parameter.strip().rpartition(" ")
        pairs.append((kind + "*" * name.count("*"), name.replace("*", "").strip()))
    return pairs


def pointee(kind, text, kernel, template_arguments):
    """What a pointer of this type points to, as far as the launch shows: `const T*` with <float, 64> is a float."""
    kind = re.sub(r"\b(const|__restrict__|volatile)\b|\*", "", kind).strip()
    heads = re.findall(r"template\s*<([^>]*)>\s*__global__[^;{]*?\b%s\s*\(" % re.escape(kernel), text)
    names = [parameter.split("=")[0].split()[-1] for parameter in heads[0].split(",")] if heads else []
    if kind in names:
        return template_arguments.split(",")[names.index(kind)].strip()
    return kind


class Plan:
    """What the lesson's test wrote of a variant."""
    def __init__(self, path):
        self.path, self.buffers, self.launches, self.structures = path, [], [], set()
        for line in path.read_text().splitlines():
            name, *rest = line.split("\t")
            if name == "buffer":
                self.buffers.append((rest[0], int(rest[1]), int(rest[2])))
            elif name == "launch":
                self.launches.append((rest[0], rest[1], [int(number) for number in rest[2:]], []))
            else:
                self.launches[-1][3].append((name, rest))

    def run_lines(self, text):
        """The launches as `run:` lines."""
        lines, known = [], set()
        for kernel, template_arguments, (gx, gy, gz, bx, by, bz, shared), arguments in self.launches:
            values = []
            for (kind, name), (passed, rest) in zip(parameters(text, kernel), arguments):
                if passed == "memory":
                    element = pointee(kind, text, kernel, template_arguments)
                    values.append(self.memory(int(rest[0]), int(rest[1]), element, known))
                else:
                    values.append(self.value(bytes.fromhex(rest[0]), kind, name))
            shape = f"dim3({gx}, {gy}, {gz}), dim3({bx}, {by}, {bz})" + (f", {shared}" if shared else "")
            instance = f"<{template_arguments}>" if template_arguments else ""
            lines.append(f"{kernel}{instance}<<<{shape}>>>({', '.join(values)})")
        return lines

    def memory(self, number, offset, kind, known):
        name, role, size = self.buffers[number]
        if kind not in SIZES:
            raise NotExpressible(f"how large a {kind} is")
        if kind in STRUCTURES:
            self.structures.add(name)
        if number in known:
            return f"{name} + {offset // SIZES[kind]}" if offset else name
        if offset:
            raise NotExpressible(f"{name} where it does not begin, and nowhere else")
        known.add(number)
        if role == INPUT:
            return f'{name} = file("{self.path.with_suffix("")}.{number}.bin")'
        return f"{name} = {'uninitialized' if role == SCRATCH else 'zeros'}({size // SIZES[kind]})"

    @staticmethod
    def value(bits, kind, name):
        kind = kind.replace("const ", "").strip()
        if kind in ("float", "double"):
            return repr(struct.unpack("<f" if kind == "float" else "<d", bits)[0])
        if kind == "bool":
            return "true" if bits[0] else "false"
        if len(bits) in (1, 2, 4, 8) and SIZES.get(kind) == len(bits) and "half" not in kind:
            return str(int.from_bytes(bits, "little", signed=not kind.startswith("unsigned")))
        raise NotExpressible(f"{name}, a {kind}")


class Trace:
    def __init__(self, path):
        lines = path.read_text().splitlines()
        self.header = json.loads(lines[0])
        parsed = [(line, json.loads(line)) for line in lines[1:-1]]
        self.arrays = [line for _, line in parsed if "array" in line and "op" not in line]
        self.events = [(text, line) for text, line in parsed if "op" in line]
        self.outputs = {line["output"]: text for text, line in parsed if "output" in line}
        counts = [x * y * z for x, y, z in (launch["grid"] for launch in self.header["launches"])]
        self.blocks = set(self.header.get("blocks", range(max(counts))))

    def records(self, blocks):
        """The lines of these blocks."""
        return [text for text, event in self.events if event["block"] in blocks]

    def named(self, blocks, structures, joins=True):
        """The records of these blocks, with arrays by name and without snapshots of global memory."""
        for _, event in self.events:
            if event["block"] not in blocks:
                continue
            event = dict(event)
            if "array" in event:
                event["array"] = self.arrays[event["array"]]["array"]
                if event["array"] in structures:
                    del event["type"]
            if event["op"] == "load" and not joins:
                event.pop("after", None), event.pop("after_type", None)
            if "shared" in event:
                images = [dict(image, array=self.arrays[image["array"]]["array"]) for image in event.pop("shared")
                          if self.arrays[image["array"]]["space"] == "shared"]
                if images:
                    event["shared"] = sorted(images, key=lambda image: image["array"])
            yield json.dumps(event)


def difference(own, other, structures):
    """Nothing: the same, byte for byte. A word: but for that. False: they differ."""
    blocks = own.blocks & other.blocks
    # What all blocks wrote is the same where all of them are of the same launches: it always is.
    results = [name for name in own.outputs if name in other.outputs and name not in structures]
    if not own.events or any(own.outputs[name] != other.outputs[name] for name in results):
        return False
    said = "" if list(own.outputs) == list(other.outputs) else "outputs"
    if own.records(blocks) == other.records(blocks):
        return said
    if list(own.named(blocks, structures)) != list(other.named(blocks, structures)):
        same = list(own.named(blocks, structures, False)) == list(other.named(blocks, structures, False))
        return "joins" if same else False
    if structures:
        return "structures"
    shows = any(own.arrays[image["array"]]["space"] != "shared" for _, event in own.events for image in event.get("shared", []))
    return "snapshots" if shows else "numbers"


def compare(lesson, program, check, variant, plan, folder):
    own, other = folder / "a.ndjson", folder / "b.ndjson"
    done = subprocess.run([program, "--backend", "cpu", "--variant", variant, "--save-trace", own], capture_output=True,
                          text=True)
    if done.returncode != 0 or not own.exists():
        raise RuntimeError(done.stderr.strip())
    text = "\n".join(path.read_text() for path in sorted(lesson.rglob("*.cuh")))
    command = [check, lesson / "kernels.cuh", "--save-trace", other]
    plan = Plan(plan)
    for line in plan.run_lines(text):
        command += ["--run", f"{variant}: {line}"]
    trace = Trace(own)
    for name in trace.outputs:  # what is expected of a buffer is of no account: its last values are in the trace then
        command += ["--expect", f"{variant}: {name} ~ 0 within 1e30"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not other.exists():
        raise RuntimeError(done.stderr.strip() or done.stdout.strip())
    return difference(trace, Trace(other), plan.structures)


def main():
    lessons, check, programs, tests = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
    wanted = [word.partition(":")[::2] for word in sys.argv[5:]]
    total = collections.Counter()
    for lesson in sorted(lessons.glob("[0-9]*")):
        program, test = programs / lesson.name, tests / (lesson.name + "_test")
        here = [variant for name, variant in wanted if name in (lesson.name, lesson.name[:2])]
        if not program.exists() or not test.exists() or (wanted and not here):
            continue
        counts, left_out = collections.Counter(), []
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            subprocess.run([test, "--gtest_filter=*.WritesItsPlanWhereThatIsAskedFor"], check=True, capture_output=True,
                           env=dict(os.environ, LANEWISE_PLANS=str(folder)))
            listed = subprocess.run([program, "--list"], capture_output=True, text=True).stdout
            for variant in re.findall(r"^(\w+) ", listed, re.M)[1:]:  # below the headings
                if here and here != [""] and variant not in here:
                    continue
                plan = folder / f"{variant}.plan"
                for path in folder.glob("*.ndjson"):
                    path.unlink()
                try:
                    if not plan.exists():
                        raise NotExpressible("it runs on a GPU alone")
                    said = compare(lesson, program, check, variant, plan, folder)
                    if said is False:
                        print(f"{lesson.name} {variant}: the traces differ")
                    counts["differ" if said is False else said or "same"] += 1
                except NotExpressible as what:
                    left_out.append(f"{variant} ({what})")
                except RuntimeError as error:
                    counts["differ"] += 1
                    print(f"{lesson.name} {variant}: {error}")
        but = "".join(f", {counts[word]} but for {word}" for word in sorted(counts) if word not in ("same", "differ"))
        print(f"{lesson.name}: {counts['same']} byte for byte{but}" +
              (f"; left out: {', '.join(left_out)}" if left_out else ""), flush=True)
        total += counts
    differ = total.pop("differ", 0)
    print(f"{total['same']} byte for byte, {sum(total.values()) - total['same']} but for what no line says, {differ} not")
    return 0 if total and not differ else 1


if __name__ == "__main__":
    sys.exit(main())
