#!/usr/bin/env python3
"""Holds every figure of the lessons' texts to where it comes from.

    figures.py [--programs DIR] [--update] [LESSON...]

Beside a lesson.md lies figures.csv: quoted pieces of the text with each figure in braces, and for each figure an
expression that gives it: a time of the recording, a cost, a count of a trace, what a compiler reported, arithmetic.
The figure quoted must be that value at the digits quoted; a figure with a unit that no line covers is an error.
--update writes the figures that the sources now give into the text and into figures.csv, and prints each change.
Traces are taken by the lessons' programs on the emulator, in --programs (default: build/lessons).
"""
import argparse
import csv
import json
import re
import struct
import subprocess
import sys
import tempfile
from decimal import Decimal, ROUND_HALF_EVEN
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "assets" / "recorded"
NUMBER = r"(?<![\w.^])[−-]?\d+(?:\.\d+)?"
UNIT = (r"(?:µs|ns|ms|GB/s|TB/s|%|×(?!\s*\d)|(?:cycles?|MHz|registers?|instructions?|requests?|sectors?|wavefronts?|atomics?|"
        r"accesses|barriers?|shuffles?|rounds?|ulp|[KM]B|bytes|times)\b)")
FIGURE = re.compile(NUMBER + r"[  ]?" + UNIT)
# The size of a word, a load, a sector, a warp's request: of CUDA, not measured.
GIVEN = re.compile(r"\d{1,3}[  ]bytes")


class Wrong(Exception):
    """A sentence on a figure or a source."""


# ---- Sources ------------------------------------------------------------------------------------------------------

def recording(path):
    """The file LESSON/NAME, of the first GPU's folder that has it, as the programs look for it."""
    found = sorted(RECORDED.glob(f"*/{path}"))
    if not found:
        raise Wrong(f"{path} is in no folder of {RECORDED}: record it")
    return found[0]


@lru_cache(None)
def recorded(path):
    return json.loads(recording(path).read_text())


def lines_of(text):
    return [json.loads(line) for line in text.split("\n") if line]


def element(bits, kind="f32"):
    return struct.unpack("<f", struct.pack("<I", int(bits, 16)))[0] if kind == "f32" else int(bits, 16)


class Sources:
    """What an expression of figures.csv can name. One for each lesson."""

    def __init__(self, lesson, programs):
        self.lesson, self.programs = lesson, programs
        self.traces = {}

    # Times: the median of a row of timings.json, else of sweep.json, else of torch.json (torch's own kernels).
    def row(self, variant, n=None, size="", lesson=None, element=None):
        lesson = lesson or self.lesson
        for table in ("timings", "sweep", "torch"):
            if not any(RECORDED.glob(f"*/{lesson}/{table}.json")):
                continue
            rows = [r for r in recorded(f"{lesson}/{table}.json")["rows"]
                    if r["variant"] == variant and (n is None or r["n"] == n) and r["samples"]
                    and (element is None or r["element"] == element)]
            best = [r for r in rows if r["size"] == size] or (rows if n is not None else [])
            if best:
                return best[0]
        raise Wrong(f"no time of {variant}{f' at n = {n}' if n else ''}{f', {size}' if size else ''} in {lesson}'s "
                    "recording")

    def us(self, variant, n=None, size="", lesson=None, element=None):
        return self.row(variant, n, size, lesson, element)["median_us"]

    def spread(self, variant, n=None, size=""):
        row = self.row(variant, n, size)
        return row["high_us"] - row["low_us"]

    def gbs(self, variant, n=None, size="", lesson=None, element=None):
        row = self.row(variant, n, size, lesson, element)
        return row["bytes"] / row["median_us"] / 1e3

    # Times of lesson 16's operator, or of the copy beside it, as add_rms_norm_bench --csv wrote them. types: of the
    # activations and of the weight, as in "f16/f16".
    def operator_us(self, what, types, rows, dim):
        if not any(RECORDED.glob(f"*/{self.lesson}/operator.csv")):
            raise Wrong(f"operator.csv is not among {self.lesson}'s recordings: add_rms_norm_bench --csv writes it")
        file = recording(f"{self.lesson}/operator.csv")
        with file.open(newline="") as lines:
            for row in csv.DictReader(lines):
                if (row["what"], row["types"], row["rows"], row["dim"]) == (what, types, str(rows), str(dim)):
                    return float(row["median_us"])
        raise Wrong(f"no time of {what} {types}, {rows} rows of {dim}, in {file.name}")

    # Costs of single operations.
    def cost(self, id):
        for row in recorded("costs.json")["rows"]:
            if row["id"] == id:
                return row
        raise Wrong(f"no cost {id} in costs.json")

    def cycles(self, id):
        return self.cost(id)["latency_cycles"]["median"]

    def rate(self, id):
        return self.cost(id)["per_cycle_per_sm"]["median"]

    def atomic_ns(self, id):
        return self.cost(id)["gpu_ns_per_lane"]

    # ns for each of a warp's 32 lanes, on one SM.
    def lane_ns(self, id):
        return 1e3 / recorded("costs.json")["sm_mhz"] / self.rate(id) / 32

    # What nvcc made of a kernel (compiled.py).
    def compiled(self, kernel):
        table = json.loads((ROOT / "assets" / "compiled.json").read_text())
        text = (ROOT / "lessons" / self.lesson / "kernels.cuh").read_bytes()
        entry = table["kernels"].get(f"{self.lesson}/{kernel}")
        if not entry or entry["kernels_fnv1a"] != fnv1a(text):
            raise Wrong(f"compiled.json does not have {kernel} of this kernels.cuh: run assets/compiled.py")
        return entry

    def registers(self, kernel):
        return self.compiled(kernel)["registers"]

    def ptx(self, kernel, instruction):
        return self.compiled(kernel)["ptx"].get(instruction, 0)

    # sizeof of a type of CUB's.
    def size_of(self, name):
        table = json.loads((ROOT / "assets" / "compiled.json").read_text())["sizes"]
        if name not in table:
            raise Wrong(f"compiled.json does not have the size of {name}: name it in assets/compiled.py, and run that")
        return table[name]

    # Programs on the emulator.
    def run(self, arguments):
        program = self.programs / self.lesson
        if not program.exists():
            raise Wrong(f"{program} is not built: build it, or give --programs")
        done = subprocess.run([program, *arguments.split(), "--backend", "cpu"], capture_output=True, text=True,
                              timeout=300)
        return done.stdout + done.stderr

    # The number that `pattern` catches in what the program prints.
    def said(self, arguments, pattern):
        text = self.run(arguments)
        found = re.search(pattern, text, re.S)
        if not found:
            raise Wrong(f"'{self.lesson} {arguments}' prints nothing like {pattern}")
        return float(found[1].replace(",", ""))

    # A cell of what --check prints.
    def checked(self, variant, column, arguments=""):
        lines = self.run(f"--check --variant {variant} {arguments}").split("\n")
        for at, line in enumerate(lines):
            heads = line.split()
            if heads[:1] == ["variant"]:
                return float(lines[at + 1].split()[heads.index(column)])
        raise Wrong(f"--check of {variant} printed no table")

    # A trace: GPU recordings hold no loads and stores, so counts are the emulator's; a test of each lesson holds it to
    # the recording.
    def trace(self, variant, arguments=""):
        key = (variant, arguments)
        if key not in self.traces:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "t.ndjson"
                said = self.run(f"--save-trace {path} --variant {variant} {arguments}")
                if not path.exists():
                    raise Wrong(f"no trace of {variant} {arguments}: {said.strip()}")
                lines = lines_of(path.read_text())
            self.traces[key] = ([l for l in lines[1:] if "op" in l], [l for l in lines if "space" in l])
        return self.traces[key]

    def records(self, variant, ops, space=None, array=None, block=None, warp=None, arguments="", nth=None):
        records, arrays = self.trace(variant, arguments)
        found = [r for r in records
                 if r["op"] in ops.split() and (block is None or r["block"] == block)
                 and (warp is None or r["warp"] == warp)
                 and (space is None or arrays[r["array"]]["space"] == space)
                 and (array is None or arrays[r["array"]]["array"] == array)]
        return found if nth is None else [found[nth]]

    @staticmethod
    def active(record):
        return bin(int(record["active"], 16)).count("1")

    # A warp's loads and stores.
    def requests(self, variant, space="global", ops="load store", **which):
        return len(self.records(variant, ops, space=space, **which))

    # One for each lane.
    def accesses(self, variant, space="global", ops="load store", **which):
        return sum(self.active(r) for r in self.records(variant, ops, space=space, **which))

    def spans(self, variant, ops="load store", **which):
        sizes = {"f32": 4, "f16": 2, "bf16": 2, "i32": 4, "e4m3": 1, "e5m2": 1, "i8": 1, "u8": 1}
        arrays = self.trace(variant, which.get("arguments", ""))[1]
        for r in self.records(variant, ops, space="global", **which):
            size = sizes[arrays[r["array"]]["element"]]
            lanes = [lane for lane in range(32) if int(r["active"], 16) >> lane & 1]
            at = r["at"]
            yield r["array"], [(at[lane] * size, r.get("elements", 1) * size)
                               for lane in lanes if at[lane] is not None]

    # 32-byte sectors that the requests touch, each request by itself.
    def sectors(self, variant, **which):
        return sum(len({(start + byte) // 32 for start, length in lanes for byte in range(0, length, 1)})
                   for _, lanes in self.spans(variant, **which))

    def used_bytes(self, variant, **which):
        return sum(len({start + byte for start, length in lanes for byte in range(length)})
                   for _, lanes in self.spans(variant, **which))

    # Wavefronts of shared memory: for each request the most different words of one bank.
    def wavefronts(self, variant, **which):
        total = 0
        for r in self.records(variant, "load store", space="shared", **which):
            banks = {}
            for lane in range(32):
                if int(r["active"], 16) >> lane & 1:
                    banks.setdefault(r["at"][lane] % 32, set()).add(r["at"][lane])
            total += max(len(words) for words in banks.values())
        return total

    def barriers(self, variant, op="sync_block", block=0, warp=0, arguments=""):
        return len(self.records(variant, op, block=block, warp=warp, arguments=arguments))

    # The first output of the plain kernel on the GPU, as the recording has it.
    def output(self, variant):
        for line in lines_of(recording(f"{self.lesson}/{variant}.ndjson").read_text()):
            if "plain" in line:
                return element(line["plain"]["values"][0], line["plain"]["element"])
        raise Wrong(f"the recording of {variant} has no output")

    # A figure that no recording here holds, as one that others published: the value, and where it is from.
    @staticmethod
    def cited(value, where):
        if len(where) < 10:
            raise Wrong("a citation needs its source as text")
        return value

    def names(self):
        own = {name: getattr(self, name) for name in dir(self) if not name.startswith("_")}
        return {**own, "pct": lambda part, whole: 100 * part / whole, "log2": lambda n: n.bit_length() - 1,
                "same": same, "min": min, "max": max, "len": len, "abs": abs, "sum": sum, "product": product,
                "round": round, "__builtins__": {}}


def product(values):
    result = 1.0
    for value in values:
        result *= value
    return result


def same(*values):
    if len(set(values)) != 1:
        raise Wrong(f"these are not the same: {', '.join(map(str, values))}")
    return values[0]


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


# ---- Figures ------------------------------------------------------------------------------------------------------

def digits_of(quoted):
    """Significant digits; of a placeholder made of zeros, as many as it has."""
    digits = re.sub(r"\D", "", quoted)
    return len(digits.lstrip("0")) or len(digits)


def shown(value, quoted):
    """The value as the text shows it: whole counts whole, others at the digits quoted."""
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and "." not in quoted):
        text = str(int(value))
    else:
        exact = Decimal(value)
        places = max(0, digits_of(quoted) - 1 - exact.adjusted())   # no digit before the point is rounded away
        rounded = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
        if rounded.adjusted() > exact.adjusted() and places:   # 9.996 at three digits is 10.0
            rounded = exact.quantize(Decimal(1).scaleb(-places + 1), rounding=ROUND_HALF_EVEN)
        text = f"{rounded:f}"
    return text.replace("-", "−") if "−" in quoted else text


def plain(text):
    """The text with code blocks and inline code blanked and white space made one space."""
    text = re.sub(r"```.*?```", lambda m: " " * len(m[0]), text, flags=re.S)
    return text


class Lesson:
    def __init__(self, folder, programs):
        self.folder, self.path, self.csv = folder, folder / "lesson.md", folder / "figures.csv"
        self.text = self.path.read_text()
        self.sources = Sources(folder.name, programs)
        self.rows = []
        if self.csv.exists():
            with self.csv.open(newline="") as file:
                self.rows = list(csv.DictReader(file))
        self.wrong, self.changes, self.covered = [], [], []

    # Where a fragment stands; white space in it matches any.
    def place(self, fragment):
        parts = [re.escape(part) for part in fragment.split()]
        found = list(re.finditer(r"\s+".join(parts), self.text))
        if len(found) != 1:
            raise Wrong(f"'{fragment}' stands {len(found)} times in lesson.md; quote a piece that stands once")
        return found[0]

    def check_row(self, row):
        pieces = re.split(r"\{([^{}]*)\}", row["text"])
        sources = [source.strip() for source in row["source"].split(";")]
        figures = pieces[1::2]
        if len(figures) != len(sources) or not figures:
            raise Wrong(f"'{row['text']}' has {len(figures)} figures in braces and {len(sources)} sources")
        spot = self.place("".join(pieces))
        at, new = spot.start(), list(pieces)
        for k, (figure, source) in enumerate(zip(figures, sources)):
            number = re.search(r"[−-]?\d+(?:\.\d+)?", figure)
            if not number:
                raise Wrong(f"'{{{figure}}}' holds no number")
            found = re.search(r"\s+".join(re.escape(part) for part in figure.split()), self.text[at:spot.end()])
            before = " ".join(pieces[2 * k].split())
            if before:
                head = re.search(r"\s+".join(re.escape(part) for part in before.split()), self.text[at:spot.end()])
                at += head.end()
                found = re.search(r"\s+".join(re.escape(part) for part in figure.split()), self.text[at:spot.end()])
            self.covered.append((at + found.start(), at + found.end()))
            at += found.end()
            try:
                value = eval(source, self.sources.names())   # of this repository's own files
            except Wrong as why:
                self.wrong.append(f"{{{figure}}} in '{row['text']}': {why}")
                continue
            now = shown(value, number[0])
            if now != number[0]:
                new[2 * k + 1] = figure[:number.start()] + now + figure[number.end():]
                self.changes.append((self.covered[-1], figure, new[2 * k + 1], source, value))
        row["text"] = "".join(piece if i % 2 == 0 else f"{{{piece}}}" for i, piece in enumerate(new))

    def check(self):
        for row in self.rows:
            try:
                self.check_row(row)
            except Wrong as why:
                self.wrong.append(str(why))
            except Exception as why:   # an expression that is none
                self.wrong.append(f"'{row['text']}': {row['source']}: {type(why).__name__}: {why}")
        self.check_covered()

    # Every figure with a unit, and every number in a table's column with one, has a source.
    def check_covered(self):
        text = plain(self.text)
        question = re.search(r"^## Predict\n.*?(?=^## |\Z)", text, re.M | re.S)
        asked = question.span() if question else (0, 0)   # sizes in a question are given with it
        spans = [m.span() for m in FIGURE.finditer(re.sub(r"`[^`\n]*`", lambda m: " " * len(m[0]), text))
                 if not GIVEN.fullmatch(m[0]) and not (m[0].endswith("bytes") and asked[0] <= m.start() < asked[1])]
        start = 0
        columns = []
        for line in text.split("\n"):
            cells = line.split("|")
            if len(cells) > 2:
                if not columns:
                    columns = [bool(re.search(UNIT, cell)) for cell in cells]
                elif not re.fullmatch(r"[\s|:-]+", line):
                    at = start
                    for cell, figures in zip(cells, columns):
                        if figures:
                            spans += [(at + m.start(), at + m.end()) for m in re.finditer(NUMBER, cell)]
                        at += len(cell) + 1
            else:
                columns = []
            start += len(line) + 1
        for begin, end in spans:
            if not any(a < end and begin < b for a, b in self.covered):
                number = self.text[:begin].count("\n") + 1
                self.wrong.append(f"line {number}: '{self.text[begin:end]}' has no source in figures.csv")

    def update(self):
        for (begin, end), _, new, _, _ in sorted(self.changes, reverse=True):
            self.text = self.text[:begin] + new + self.text[end:]
        self.path.write_text(self.text)
        with self.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, ["text", "source"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, default=ROOT / "build" / "lessons")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("lessons", nargs="*")
    options = parser.parse_args()
    folders = [f for f in sorted((ROOT / "lessons").glob("[0-9]*_*")) if (f / "lesson.md").exists()]
    if options.lessons:
        folders = [f for f in folders if any(name in f.name for name in options.lessons)]
    failed = 0
    for folder in folders:
        lesson = Lesson(folder, options.programs)
        lesson.check()
        for _, old, new, source, value in lesson.changes:
            print(f"{folder.name}: {old} -> {new}   ({source} = {value:.6g})")
        if options.update and lesson.changes:
            lesson.update()
        for sentence in lesson.wrong:
            print(f"{folder.name}: {sentence}")
        failed += len(lesson.wrong) + (0 if options.update else len(lesson.changes))
    if failed:
        print(f"{failed} figures are not what their sources say, or have none.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
