#!/usr/bin/env python3
"""Answers every generated question of a lesson once more, from the trace file alone, and compares.

    predictions.py [--programs DIR] [--most N] LESSON...     --most: N variants of each, spread over its list

For each variant that the emulator runs, the lesson's program writes a trace (--save-trace) and its questions with their
answers (--predict list). What is asked is computed here anew, by rules written from the PTX manual (which lane a shuffle
reads) and the CUDA Programming Guide (32-byte sectors, 32 banks of 4 bytes, votes), from the values in the file and, of
times, from the recording. An answer that differs, or a wrong answer of a question that is right, is an error; so is a
question of the lesson's text that its variant does not ask.
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

    # The records of a block in an order in which each sees what it reads: between two barriers of the block, warp by
    # warp.
    def of_block(self, launch, block):
        passed, found = {}, []
        for place, r in enumerate(self.records):
            if (r.get("launch", 0), r["block"]) == (launch, block):
                found.append((passed.setdefault(r["warp"], 0), r["warp"], place, r))
                passed[r["warp"]] += r["op"].startswith("sync_block")
        return [r for *_, r in sorted(found, key=lambda each: each[:3])]

    # How often each element of the block's input came into the values of a warp's lanes after the record `last`,
    # followed through loads, shuffles and words handed on in shared memory. Asked of sums alone: a lane adds all that
    # it loads.
    def held(self, last):
        lanes, memory, first = {}, {}, self.first_of_block(last)
        added = {}   # of each lane, what an update such as `tree[t] += tree[t + 16]` has loaded so far
        loaded = {}  # of each warp, the line of a load if that was its last record
        for r in self.of_block(last.get("launch", 0), last["block"]):
            held = lanes.setdefault(r["warp"], [{} for _ in range(32)])
            array = r.get("array")
            if r["op"] == "load":
                # Sums add all that they load; of `value = tree[t] + tree[t + 32]` both.
                joins = array == first or loaded.get(r["warp"]) == r["line"]
                loaded[r["warp"]] = r["line"]
                nothing = self.chooses(r["line"]) and not joins   # c ? memory[i] : 0 on the lanes that load nothing
                for lane, at in enumerate(r["at"] + [None] * (32 - len(r["at"]))):
                    if at is None:
                        held[lane] = {} if nothing else held[lane]
                        continue
                    read = [{at + k: 1} if array == first else memory.get((array, at + k), {})
                            for k in range(r.get("elements", 1))]
                    if array != first and self.updates(r["line"]):
                        added.setdefault((r["warp"], lane), []).extend(read)
                    else:
                        held[lane] = self.sum(([held[lane]] if joins else []) + read)
                continue
            loaded[r["warp"]] = None
            if r["op"] == "store":
                for lane, at in enumerate(r["at"]):
                    if at is not None:
                        parts = added.pop((r["warp"], lane), None)
                        memory[array, at] = held[lane] if parts is None else self.sum(parts)
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

    @staticmethod
    def sum(parts):
        total = {}
        for part in parts:
            for at, times in part.items():
                total[at] = total.get(at, 0) + times
        return total

    def updates(self, line):
        return any(s["to_memory"] and s["effect"] == "join" and s["line"] <= line <= s["last_line"]
                   for s in self.header["statements"])

    def chooses(self, line):
        return any(s.get("conditional") and s["effect"] == "replace" and s["line"] <= line <= s["last_line"]
                   for s in self.header["statements"])

    # The array in global memory that the record's block loads from first, and what it loads of it.
    def first_of_block(self, record):
        return next(r["array"] for r in self.of_block(record.get("launch", 0), record["block"])
                    if r["op"] == "load" and self.arrays[r["array"]]["space"] == "global")

    def inputs_of_block(self, record):
        first = self.first_of_block(record)
        return {at + k for r in self.of_block(record.get("launch", 0), record["block"])
                if r["op"] == "load" and r["array"] == first
                for at in r["at"] if at is not None for k in range(r.get("elements", 1))}

    def several(self, q):
        found = {tuple(each) for each in q["records"]}
        return [r for r in self.records if (r.get("launch", 0), r["block"]) == (q["launch"], q["block"])
                and (r["warp"], r["index"]) in found]

    # Wavefronts: a request of more than 128 bytes goes in turns of 128; in each, the most different words that
    # one bank is asked for.
    def wavefronts(self, r):
        size = SIZES[self.arrays[r["array"]]["element"]]
        wanted = size * r.get("elements", 1)
        turn = max(1, min(32, 128 // wanted))
        count = 0
        for first in range(0, 32, turn):
            words = {byte // 4 for at in r["at"][first:first + turn] if at is not None
                     for byte in range(at * size, at * size + wanted)}
            banks = [word % 32 for word in words]
            count += max((banks.count(bank) for bank in set(banks)), default=0)
        return count

    def answer(self, q, times):
        if "against" in q:
            return times.answer(q)
        if "records" in q and q["kind"] in ("active_threads", "active_warps"):
            lanes = {}
            for r in self.several(q):
                lanes[r["warp"]] = lanes.get(r["warp"], 0) | int(r["active"], 16)
            return str(sum(bin(mask).count("1") for mask in lanes.values()) if q["kind"] == "active_threads"
                       else sum(mask != 0 for mask in lanes.values()))
        if q["kind"] == "wavefronts":
            return str(sum(self.wavefronts(r) for r in self.several(q)))
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
        if q["kind"] == "element":
            return str(r["at"][lane])
        if q["kind"] == "vote":
            voters = [i for i in range(32) if active >> i & 1]
            yes = [i for i in voters if of_lane(r["arg"], i) != 0]
            return str({"vote_any": int(bool(yes)), "vote_all": int(yes == voters),
                        "vote_ballot": sum(1 << i for i in yes)}[r["op"]])
        if q["kind"] == "holds_total":
            inputs = self.inputs_of_block(r)
            return {lane for lane, held in enumerate(self.held(r))
                    if active >> lane & 1 and held == {at: 1 for at in inputs}}
        if q["kind"] == "orders_memory":   # barriers order memory among those that take part; shuffles do not
            return "yes" if r["op"].startswith("sync_") else "no"
        if q["kind"] == "waits":           # a fence orders the accesses of its own thread
            return "no" if r["op"] == "fence" else "yes"
        if q["kind"] == "latency":
            return times.latency(r["op"])
        if q["kind"] == "ordered":
            return self.ordered(r, lane)
        raise Different(f"there is no rule for questions of kind {q['kind']}")

    # Is the store that a lane's load reads from sure to come first? Each barrier begins a new epoch of those that it
    # joins; the store must lie in an earlier one.
    def ordered(self, load, lane):
        element, stores, barriers = load["at"][lane], [], {}
        for r in self.records:
            if (r.get("launch", 0), r["block"]) != (load.get("launch", 0), load["block"]):
                continue
            of_warp = barriers.setdefault(r["warp"], {"block": 0, "warp": []})
            if r["op"].startswith("sync_block"):
                of_warp["block"] += 1
            elif r["op"] == "sync_warp":
                of_warp["warp"].append((r["index"], int(r["active"], 16)))
            elif r["op"] == "store" and r["array"] == load["array"]:
                for by, at in enumerate(r["at"]):
                    if at is not None and at <= element < at + r.get("elements", 1):
                        stores.append((r["warp"], by, r["index"], of_warp["block"]))
            if r is load:
                epoch = of_warp["block"]
        other = [s for s in stores if s[0] != load["warp"] and s[3] == epoch]
        own = [s for s in stores if s[0] == load["warp"] and s[2] < load["index"]]
        if other:
            return "no"
        _, by, index, block = max(own, key=lambda s: s[2])
        if by == lane:
            raise Different(f"lane {lane} stored to element {element} itself")
        if block != epoch:
            raise Different("a block barrier stands between them: nothing to ask")
        return "yes" if any(index < at < load["index"] and mask >> by & 1 and mask >> lane & 1
                            for at, mask in barriers[load["warp"]]["warp"]) else "no"


# Times as they were recorded, read from the lesson's file.
class Times:
    def __init__(self, lesson):
        files = sorted(ROOT.glob(f"assets/recorded/*/{lesson}/timings.json"))
        self.rows = json.loads(files[0].read_text())["rows"] if files else []
        costs = sorted(ROOT.glob("assets/recorded/*/costs.json"))
        self.costs = json.loads(costs[0].read_text())["rows"] if costs else []

    def latency(self, op):
        return next(r["latency_cycles"]["median"] for r in self.costs if r["id"] == op.replace("shfl_", "shuffle_"))

    def answer(self, q):
        def row(name):
            return next(r for r in self.rows if r["variant"] == name and r["n"] == q["n"] and r["size"] == q.get("size", "")
                        and not r["on_cpu"])
        own, other = row(q["variant"]), row(q["against"])
        slow, fast = max(own["median_us"], other["median_us"]), min(own["median_us"], other["median_us"])
        apart = own["high_us"] < other["low_us"] or other["high_us"] < own["low_us"]
        if q["kind"] == "faster":
            if not apart or slow <= 1.005 * fast:
                return "same"
            return "yes" if own["median_us"] < other["median_us"] else "no"
        return 100 * (slow - fast) / fast


def same(kind, mine, theirs):
    if kind == "percent_slower":   # to two digits, or to one percent
        return abs(float(theirs) - mine) <= max(0.06 * mine if mine < 100 else 0, 0.51)
    if kind == "latency":   # to one cycle
        return abs(float(theirs) - mine) <= 0.5
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


# A wrong answer leads to the question's own step, to times or costs, or to a place in a variant of the lesson.
def check_refutation(wrong, refuted_by, names):
    place = re.fullmatch(r"(?:variant:(\w+))?(?:,?step:\d+)?(?:,lane:\d+)?|view:(?:timings|costs)", refuted_by)
    if not refuted_by or not place or (place[1] and place[1] not in names):
        raise Different(f"{wrong} leads to '{refuted_by}', which refutes nothing")


def check(program, folder, most):
    listed = subprocess.run([program, "--list", "--color", "never"], capture_output=True, text=True, check=True).stdout
    asked, errors, kinds, of_text = 0, [], set(), []
    times = Times(program.name)
    text = (ROOT / "lessons" / program.name / "lesson.md").read_text()
    links = [(re.search(r"variant:(\w+)", link)[1], int(re.search(r"step:(\d+)", link)[1]))
             for link in re.findall(r"\]\(([^)]*ask:[^)]*)\)", text) if "set:" not in link]
    names = re.findall(r"^(\w+) ", listed, re.M)[1:]
    for variant in sorted({*spread(names, most), *(name for name, _ in links)}, key=names.index):
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
            if q.get("of_text"):
                of_text.append((variant, q["step"]))
            try:
                if q["kind"] == "written":   # its answer is the text's
                    for wrong, _, refuted_by in q["wrong"]:
                        check_refutation(wrong, refuted_by, names)
                        if wrong == q["answer"]:
                            raise Different(f"{wrong} is right, and called wrong")
                    continue
                mine = trace.answer(q, times)
                if not same(q["kind"], mine, q["answer"]):
                    raise Different(f"the answer is {mine}, not {q['answer']}")
                for wrong, _, refuted_by in q["wrong"]:
                    check_refutation(wrong, refuted_by, names)
                    if refuted_by.startswith("step:") and int(re.findall(r"\d+", refuted_by)[0]) != q["step"]:
                        raise Different(f"{wrong} leads to another step than the question's")
                    if same(q["kind"], mine, wrong):
                        raise Different(f"{wrong} is right, and called wrong")
            except Different as error:
                errors.append(f"{variant}, step {q['step']}, {q['question']} {error}")
    for link in links:
        if link not in of_text:
            errors.append(f"the text asks of {link[0]}, step {link[1]}; the program does not")
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
