#!/usr/bin/env python3
"""Answers every generated question of a lesson once more, from the trace file alone, and compares.

    predictions.py [--programs DIR] [--most N] LESSON...     --most: N variants of each, spread over its list

For each variant that the emulator runs, the lesson's program writes a trace (--save-trace) and its questions with their
answers (--predict list). What is asked is computed here anew, by rules written from the PTX manual (which lane a shuffle
reads) and the CUDA Programming Guide (32-byte sectors), and from the values in the file. An answer that differs, or a
wrong answer of a question that is right, is an error.
"""
import argparse
import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"u8": 1, "i8": 1, "e4m3": 1, "e5m2": 1, "u16": 2, "i16": 2, "f16": 2, "bf16": 2, "u32": 4, "i32": 4, "f32": 4,
         "u64": 8, "i64": 8, "f64": 8}


class Different(Exception):
    """A sentence on an answer that does not hold."""


# The lane that PTX's shfl.sync reads: its manual's "Semantics", with c as CUDA's headers make it from the width.
def ptx_source(op, lane, b, width):
    segmask, clamp = (32 - width) & 31, 0 if op == "shfl_up" else 31
    b &= 31
    most, least = (lane & segmask) | (clamp & ~segmask & 31), lane & segmask
    if op == "shfl_up":
        return lane - b if lane - b >= most else lane
    j = {"shfl_down": lane + b, "shfl_xor": lane ^ b, "shfl_idx": least | (b & ~segmask & 31)}[op]
    return j if j <= most else lane


def number(kind, digits):
    bits = int(digits, 16)
    if kind == "f32":
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    if kind == "f64":
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    if kind == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    if kind == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    size = 8 * SIZES[kind]
    return bits - (1 << size) if kind[0] == "i" and bits >> (size - 1) else bits


def lanes_of(text):
    lanes = set()
    for part in filter(None, text.replace(" ", "").split(",")):
        first, _, last = part.partition("-")
        lanes |= set(range(int(first), int(last or first) + 1))
    return lanes


def of_lane(field, lane):
    return field[lane] if isinstance(field, list) else field


class Trace:
    def __init__(self, path):
        lines = [json.loads(line) for line in path.read_text().split("\n") if line]
        self.header = lines[0]
        self.arrays = [line for line in lines if "space" in line]
        self.records = [line for line in lines if "op" in line]

    def record(self, q):
        return next(r for r in self.records
                    if (r.get("launch", 0), r["block"], r["warp"], r["index"]) ==
                    (q["launch"], q["block"], q["warp"], q["record"]))

    def source(self, record, lane):
        return ptx_source(record["op"], lane, of_lane(record["arg"], lane), record.get("width", 32))

    # Of each lane how often each element of the first input came into its value, followed through loads and shuffles.
    def held(self, last):
        held = [{} for _ in range(32)]
        for r in self.records:
            if r["op"] == "load" and self.arrays[r["array"]] is self.first_input():
                for lane, at in enumerate(r["at"]):
                    if at is not None:
                        held[lane] = {at: 1}
            elif r["op"].startswith("shfl"):
                before = [dict(h) for h in held]
                for lane, source in enumerate(r["source"]):
                    effect = of_lane(r["effect"], lane)
                    if source is None or effect == "keep":
                        continue
                    held[lane] = dict(before[lane]) if effect == "join" else {}
                    for at, times in before[self.source(r, lane)].items():
                        held[lane][at] = held[lane].get(at, 0) + times
            if r is last:
                return held

    def first_input(self):
        return next(self.arrays[r["array"]] for r in self.records
                    if r["op"] == "load" and self.arrays[r["array"]]["space"] == "global")

    def answer(self, q):
        r, lane = self.record(q), q["lane"]
        active = int(r["active"], 16)
        if q["kind"] == "source_lane":
            return str(self.source(r, lane))
        if q["kind"] == "is_defined":
            return "yes" if active >> self.source(r, lane) & 1 else "no"
        if q["kind"] == "value_after":
            source = self.source(r, lane)
            if r["received"][lane] != r["before"][source]:
                raise Different(f"lane {lane} received {r['received'][lane]}; lane {source} held {r['before'][source]}")
            return r["type"], number(r["type"], r["after"][lane])
        if q["kind"] == "sectors":
            size = SIZES[r["type"]]
            return str(len({byte // 32 for at in r["at"] if at is not None
                            for byte in range(at * size, (at + r.get("elements", 1)) * size)}))
        if q["kind"] == "barriers":
            return str(sum(x["op"].startswith("sync_block") and x.get("launch", 0) == q["launch"]
                           and x["block"] == q["block"] and x["warp"] == q["warp"] and x["index"] <= r["index"]
                           for x in self.records))
        if q["kind"] == "holds_total":
            inputs = range(self.first_input()["count"])
            return {lane for lane, held in enumerate(self.held(r))
                    if active >> lane & 1 and held == {at: 1 for at in inputs}}
        raise Different(f"there is no rule for questions of kind {q['kind']}")


def same(kind, mine, theirs):
    if kind == "holds_total":
        return mine == lanes_of(theirs)
    if kind == "value_after":
        element, value = mine
        if element[0] in "iu":
            return value == int(theirs)
        read = float(theirs)   # the shortest digits that read back as the same value of that type
        if abs(read) <= {"f32": 3.4028235e38, "f16": 65504}.get(element, -1):
            letter = "<f" if element == "f32" else "<e"
            read = struct.unpack(letter, struct.pack(letter, read))[0]
        if element == "bf16":   # the upper half of a float, rounded to even
            bits = struct.unpack("<I", struct.pack("<f", read))[0]
            read = number("bf16", f"{(bits + 0x7fff + (bits >> 16 & 1)) >> 16 & 0xffff:x}")
        return value == read or (value != value and read != read)
    return mine == theirs


def spread(names, most):
    """Up to `most` of the names, the first among them, at equal distances."""
    return names if len(names) <= most else [names[i * len(names) // most] for i in range(most)]


def check(program, folder, most):
    listed = subprocess.run([program, "--list", "--color", "never"], capture_output=True, text=True, check=True).stdout
    asked, errors, kinds = 0, [], set()
    for variant in spread(re.findall(r"^(\w+) ", listed, re.M)[1:], most):
        path = Path(folder) / "t.ndjson"
        path.unlink(missing_ok=True)
        common = ["--variant", variant, "--backend", "cpu"]
        if subprocess.run([program, "--save-trace", path, *common], capture_output=True).returncode != 0 or \
                not path.exists():
            continue   # it needs a GPU
        trace = Trace(path)
        said = subprocess.run([program, "--predict", "list", *common], capture_output=True, text=True, check=True).stdout
        for q in map(json.loads, said.splitlines()):
            asked += 1
            kinds.add(q["kind"])
            try:
                mine = trace.answer(q)
                if not same(q["kind"], mine, q["answer"]):
                    raise Different(f"the answer is {mine}, not {q['answer']}")
                for wrong, _ in q["wrong"]:
                    if q["kind"] != "is_defined" and same(q["kind"], mine, wrong):
                        raise Different(f"{wrong} is right, and called wrong")
            except Different as error:
                errors.append(f"{variant}, step {q['step']}, {q['question']} {error}")
    return asked, errors, kinds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=Path, default=ROOT / "build/lessons")
    parser.add_argument("--most", type=int, default=1000, metavar="N")
    parser.add_argument("lessons", nargs="+")
    args = parser.parse_args()
    bad = 0
    for lesson in args.lessons:
        with tempfile.TemporaryDirectory() as folder:
            asked, errors, kinds = check(args.programs / lesson, folder, args.most)
        print(f"{lesson}: {asked} questions ({', '.join(sorted(kinds))}), {len(errors)} wrong")
        for error in errors[:20]:
            print(f"  {error}", file=sys.stderr)
        bad += len(errors) + (asked == 0)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
