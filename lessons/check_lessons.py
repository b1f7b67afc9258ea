#!/usr/bin/env python3
"""check_lessons.py LESSONS_FOLDER CHECK_PROGRAM PROGRAMS_FOLDER [LESSON …]: the lessons' own kernels through `check`.

Each variant is recorded by its lesson's program, and once more by `check` from the lesson's kernel file, with a
`run:` line made of what the first trace says: launches, arrays, and the values that were loaded. The records must be the
same, byte for byte, of the blocks that both recorded, but for what a lesson says and no `run:` line: which arrays in
global memory are shown at barriers; and for the numbers of arrays, which count through a file with all its kernels. The
results are compared where all blocks were recorded, so that all inputs are known. A variant with an argument that its
trace does not tell is named, with the argument. Exit status: 0 all the same; 1 one differs, or none could be compared.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

BYTES = {"u8": 1, "i8": 1, "e4m3": 1, "e5m2": 1, "u16": 2, "i16": 2, "f16": 2, "bf16": 2, "u32": 4, "i32": 4, "f32": 4,
         "u64": 8, "i64": 8, "f64": 8}


class NotTold(Exception):
    """What the trace does not tell of a launch."""


def parameters(text, kernel):
    """The kernel's parameters in the file: (type, name) each."""
    found = re.search(r"__global__[^;{]*?\b%s\s*\(([^)]*)\)\s*\{" % re.escape(kernel), text, re.S)
    if not found:
        raise NotTold("its parameters")
    pairs = []
    for parameter in found.group(1).split(","):
        kind, _, name = re.sub(r"//.*", "", parameter).strip().rpartition(" ")
        pairs.append((kind + "*" * name.count("*"), name.replace("*", "").replace("__restrict__", "").strip()))
    return pairs


class Trace:
    def __init__(self, path):
        lines = path.read_text().split("\n")
        self.header = json.loads(lines[0])
        rest = [json.loads(line) for line in lines[1:-1]]
        self.arrays = [line for line in rest if "array" in line and "op" not in line]
        self.events = [line for line in rest if "op" in line]
        self.outputs = {line["output"]: line["values"] for line in rest if "output" in line}
        launches = self.header["launches"]
        blocks = [launch["grid"][0] * launch["grid"][1] * launch["grid"][2] for launch in launches]
        self.blocks = set(self.header.get("blocks", range(max(blocks))))
        self.is_whole = len(self.blocks) >= max(blocks)

    def records(self, blocks):
        """The records of these blocks as text, a line each, with arrays by name."""
        names = [array["array"] for array in self.arrays]
        spaces = [array["space"] for array in self.arrays]
        for event in self.events:
            if event["block"] not in blocks:
                continue
            told = dict(event)
            if "array" in told:
                told["array"] = names[told["array"]]
            if "shared" in told:
                images = [dict(image, array=names[image["array"]]) for image in told.pop("shared")
                          if spaces[image["array"]] == "shared"]
                if images:
                    told["shared"] = sorted(images, key=lambda image: image["array"])
            yield json.dumps(told)

    def first_bytes(self):
        """Of each array, by number: the bytes that it held before anything was stored there, as far as they were loaded."""
        known, written = {}, set()
        for event in self.events:
            if event["op"] not in ("load", "store") and not event["op"].startswith("atomic"):
                continue
            array = event["array"]
            size = BYTES[self.arrays[array]["element"]]
            for at, value in zip(event["at"], event["value"]):
                if at is None or value is None:
                    continue
                stored = b"".join(bytes.fromhex(element)[::-1] for element in value.split())
                for k, byte in enumerate(stored):
                    place = (array, at * size + k)
                    if event["op"] != "load":
                        written.add(place)
                    elif place not in written:
                        known.setdefault(array, {}).setdefault(at * size + k, byte)
        return known


def run_lines(trace, text, folder):
    """The launches of a trace as `run:` lines; the arrays' values become files in `folder`."""
    first, lines = trace.first_bytes(), []
    by_name = {a["array"]: i for i, a in enumerate(trace.arrays) if a["space"] == "global"}
    if len(trace.header["launches"]) > 1:
        raise NotTold("which launch has which arrays")
    numbers = {key: value for key, value in trace.header.items() if isinstance(value, int)}
    for launch in trace.header["launches"]:
        arguments = []
        parameters_here = parameters(text, launch["kernel"].split("<")[0])
        for kind, name in parameters_here:
            if "*" in kind:
                if name not in by_name:
                    raise NotTold(name)
                number = by_name[name]
                array = trace.arrays[number]
                if re.match(r"(const )?(MaxSum|Box)\b", kind):
                    raise NotTold(f"what {name}'s structures are shown as")
                if number not in first:
                    arguments.append(f"{name} = zeros({array['count']})")
                elif kind.startswith("const") and min(first[number]) > 0 and "first" not in dict(map(reversed, parameters_here)):
                    raise NotTold(f"where {name} begins")
                else:
                    path = folder / f"{name}.bin"
                    size = BYTES[array["element"]] * array["count"]
                    path.write_bytes(bytes(first[number].get(i, 0) for i in range(size)))
                    arguments.append(f'{name} = file("{path}")')
            elif name in numbers:
                arguments.append(str(numbers[name]))
            elif name == "first" and "in" in by_name:
                size = BYTES[trace.arrays[by_name["in"]]["element"]]
                arguments.append(str(min(first[by_name["in"]]) // size))
            else:
                raise NotTold(name)
        shape = "dim3({}, {}, {}), dim3({}, {}, {})".format(*launch["grid"], *launch["block"])
        if launch["dynamic_shared_bytes"]:
            shape += f", {launch['dynamic_shared_bytes']}"
        lines.append(f"{launch['kernel']}<<<{shape}>>>({', '.join(arguments)})")
    return lines


def compare(lesson, program, check, variant, folder):
    """True: the traces are the same. Throws NotTold, and RuntimeError where a program fails."""
    own, other = folder / "a.ndjson", folder / "b.ndjson"
    done = subprocess.run([program, "--backend", "cpu", "--variant", variant, "--save-trace", own], capture_output=True, text=True)
    if done.returncode != 0 or not own.exists():
        raise NotTold("a run on the emulator")
    trace = Trace(own)
    kernels = lesson / "kernels.cuh"
    command = [check, kernels, "--save-trace", other]
    text = "\n".join(path.read_text() for path in sorted(lesson.glob("*.cuh")))
    for line in run_lines(trace, text, folder):
        command += ["--run", f"{variant}: {line}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not other.exists():
        raise RuntimeError(done.stderr.strip() or done.stdout.strip())
    again = Trace(other)
    both = trace.blocks & again.blocks
    same = len(trace.events) > 0 and list(trace.records(both)) == list(again.records(both))
    # Scratch memory is a lesson's own, and an output to `check`.
    results = [name for name in trace.outputs if name in again.outputs]
    return same and (not trace.is_whole or all(trace.outputs[name] == again.outputs[name] for name in results))


def main():
    lessons, check, programs = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    wanted = sys.argv[4:]
    same = different = 0
    for lesson in sorted(lessons.glob("[0-9]*")):
        program = programs / lesson.name
        if not program.exists() or (wanted and lesson.name[:2] not in wanted and lesson.name not in wanted):
            continue
        listed = subprocess.run([program, "--list"], capture_output=True, text=True).stdout
        here, untold = 0, []
        for variant in re.findall(r"^(\w+) ", listed, re.M)[1:]:  # below the headings
            with tempfile.TemporaryDirectory() as folder:
                try:
                    if compare(lesson, program, check, variant, pathlib.Path(folder)):
                        here += 1
                    else:
                        different += 1
                        print(f"{lesson.name} {variant}: the traces differ")
                except NotTold as what:
                    untold.append(f"{variant} ({what})")
                except RuntimeError as error:
                    different += 1
                    print(f"{lesson.name} {variant}: {error}")
        same += here
        print(f"{lesson.name}: {here} the same" + (f"; not told: {', '.join(untold)}" if untold else ""), flush=True)
    print(f"{same} variants the same, {different} not")
    return 0 if same and not different else 1


if __name__ == "__main__":
    sys.exit(main())
