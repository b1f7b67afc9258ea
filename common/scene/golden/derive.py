#!/usr/bin/env python3
"""Holds the golden scenes to what follows from the traces alone, by CUDA's rules: source lanes from arguments, received
values from what source lanes offered, sectors and bank conflicts from addresses, answers of votes from predicates.
Usage: derive.py FOLDER_OF_RECORDINGS"""
import json
import re
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
RECORDED = Path(sys.argv[1])
CASES = {
    "recorded_xor": (RECORDED / "05_warp_shuffle/warp_sum_xor.ndjson", (0, 0)),
    "recorded_up": (RECORDED / "05_warp_shuffle/warp_sum_up.ndjson", (0, 0)),
    "recorded_two_level": (RECORDED / "05_warp_shuffle/block_sum_two_level.ndjson", (1, 0)),
    "recorded_shared_interleaved": (RECORDED / "02_shared_memory/shared_tree_interleaved.ndjson", (0, 0)),
    "recorded_atomic": (RECORDED / "03_atomic/atomic_each.ndjson", (0, 0)),
    "collectives": (HERE / "collectives.ndjson", (0, 0)),
    "half_mask": (HERE / "half_mask.ndjson", (0, 0)),
    "vectors": (HERE / "vectors.ndjson", (0, 0)),
    "wrong_sum": (HERE / "wrong_sum.ndjson", (0, 0)),
}
BYTES = {"u8": 1, "i8": 1, "e4m3": 1, "e5m2": 1, "f16": 2, "bf16": 2, "u16": 2, "i16": 2,
         "u32": 4, "i32": 4, "f32": 4, "u64": 8, "i64": 8, "f64": 8}
checked = Counter()


def lanes_of(record):
    mask = int(record["active"], 16)
    return [lane for lane in range(32) if mask >> lane & 1]


def per_lane(record, key):
    """A field by lane: one value for all, or one for each active lane."""
    value = record.get(key)
    lanes = lanes_of(record)
    return dict(zip(lanes, value)) if isinstance(value, list) else {lane: value for lane in lanes}


def ranges(lanes):
    parts, lanes = [], sorted(lanes)
    while lanes:
        end = 0
        while end + 1 < len(lanes) and lanes[end + 1] == lanes[end] + 1:
            end += 1
        parts.append(str(lanes[0]) if end == 0 else f"{lanes[0]}-{lanes[end]}")
        lanes = lanes[end + 1:]
    return ", ".join(parts) or "none"


def source_lane(op, lane, arg, width):
    """CUDA C++ Programming Guide, warp shuffle functions."""
    first, last = lane & ~(width - 1), lane | (width - 1)
    if op == "shfl_idx":
        return first + arg % width
    wanted = {"shfl_xor": lane ^ arg, "shfl_up": lane - arg, "shfl_down": lane + arg}[op]
    inside = wanted >= first if op == "shfl_up" else wanted <= last
    return wanted if inside else lane


def expect(case, step, what, seen, derived):
    checked[what] += 1
    if seen != derived:
        sys.exit(f"{case}, step {step}: {what}: the golden file has\n  {seen}\nand the trace gives\n  {derived}")


def rows_of(lines, label):
    """Rows "row  LABEL  …" as lists of entries by lane."""
    rows = []
    for line in lines:
        if line.startswith(f"row  {label}  "):
            rows.append(re.findall(r'"[^"]*"|\S*"[^"]*"|\S+', line[len(f"row  {label}  "):]))
    return rows


def check_shuffle(case, step, lines, record, offered):
    lanes, op, width = lanes_of(record), record["op"], record.get("width", 32)
    args, effects = per_lane(record, "arg"), per_lane(record, "effect")
    undefined = int(record.get("undefined", "0"), 16)
    before, received, after = per_lane(record, "before"), per_lane(record, "received"), per_lane(record, "after")
    arcs = []
    for lane in lanes:
        source = source_lane(op, lane, args[lane], width)
        arcs.append(f"{source}>{lane}" + ("-" if effects[lane] == "keep" else "") +
                    ("?" if undefined >> lane & 1 else ""))
        if not undefined >> lane & 1:
            expect(case, step, "value received", received[lane], before[source])
    expect(case, step, "arcs", next(line for line in lines if line.startswith("arcs")).split()[1:], arcs)
    for label, field in (("before", before), ("received", received), ("after", after)):
        entries = rows_of(lines, label)[0]
        for lane in lanes:
            if field[lane] is None or (label == "received" and undefined >> lane & 1):
                continue
            if label == "after" and not record.get("after"):
                continue
            expect(case, step, f"lane's {label}", entries[lane].split("/")[-1], field[lane])


def check_memory(case, step, lines, records, arrays):
    seen, derived, sectors, banks = Counter(), Counter(), [], Counter()
    for line in lines:
        match = re.match(r"row  (read|wrote|gave)  ", line)
        if not match:
            continue
        for lane, entry in enumerate(line[match.end():].split()):
            if entry != "·":
                place, value = entry.rsplit("=", 1)
                seen[match[1], lane, place, value.split("/")[-1]] += 1
    for record in records:
        array = arrays[record["array"]]
        size = BYTES[array["element"]]
        verb = {"load": "read", "store": "wrote"}.get(record["op"], "gave")
        at, values = per_lane(record, "at"), per_lane(record, "value")
        elements = record.get("elements", 1)
        touched = set()
        for lane in lanes_of(record):
            for k, bits in enumerate(values[lane].split()):
                derived[verb, lane, f"{array['array']}[{at[lane] + k}]", bits] += 1
            touched.update(range(at[lane] * size, (at[lane] + elements) * size))
        if array["space"] == "global":
            sectors.append(sorted({address // 32 for address in touched}))
        elif size * elements == 4:
            wanted = {}
            for lane in lanes_of(record):
                wanted.setdefault(at[lane] % 32, set()).add(at[lane])
            for bank, words in wanted.items():
                banks[bank] = max(banks[bank], len(words))
    expect(case, step, "accesses", seen, derived)
    if len({record["array"] for record in records}) == 1 and sectors:
        line = next(line for line in lines if line.startswith("sectors"))
        expect(case, step, "sectors", [int(n) for n in line.split()[1:]], sorted(sum(sectors, [])))
    if banks:
        shown = {int(line.split()[1]): int(line.split()[2]) for line in lines if re.match(r"bank \d", line)}
        expect(case, step, "bank conflicts", shown, {bank: n for bank, n in banks.items() if n > 1})


def check_vote(case, step, lines, record):
    lanes, op = lanes_of(record), record["op"]
    caption = next(line for line in lines if line.startswith("caption"))
    if op in ("vote_any", "vote_all", "vote_ballot"):
        yes = sum(1 << lane for lane, says in per_lane(record, "arg").items() if says)
        answer = {"vote_any": int(yes != 0), "vote_all": int(yes == sum(1 << lane for lane in lanes)),
                  "vote_ballot": yes}[op]
        expect(case, step, "answer", f"receives {answer} (" in caption, True)
        expect(case, step, "says", [e for e in rows_of(lines, "says")[0] if e != "·"],
               ['"yes"' if yes >> lane & 1 else '"no"' for lane in lanes])
        return
    before, letters, row = per_lane(record, "before"), {}, ""
    for lane in range(32):
        row += letters.setdefault(before[lane], chr(ord("A") + len(letters))) if lane in before else "."
    line = next(line for line in lines if line.startswith("groups"))
    expect(case, step, "groups of a match", line.split()[1], row)


def check_reduce(case, step, lines, record):
    before = [int(bits, 16) for bits in per_lane(record, "before").values()]
    if record["op"] != "reduce_add" or record["type"] not in ("u32", "i32"):
        return
    total = sum(before) & 0xffffffff
    caption = next(line for line in lines if line.startswith("caption"))
    expect(case, step, "sum of a reduction", f"= {total}, and every lane receives it" in caption, True)


def steps_of(golden):
    """(label line, lines) of each step."""
    steps = []
    for line in golden.splitlines():
        if re.match(r"step \d+  ", line):
            steps.append((line, []))
        elif re.match(r"(tree|sums|lens)\b", line):
            break
        elif steps:
            steps[-1][1].append(line.strip())
    return steps


def main():
    for case, (trace, warp) in CASES.items():
        rows = [json.loads(line) for line in trace.read_text().splitlines()]
        arrays = [row for row in rows if "array" in row and "op" not in row]
        mine = [row for row in rows if "op" in row and (row["block"], row["warp"]) == warp]
        golden = (HERE / f"{case}.scene").read_text()
        for head, lines in steps_of(golden):
            step = int(head.split()[1])
            part = next((line for line in lines if line.startswith("part")), None)
            if part is None or part.split()[1] == "none":
                continue
            entries = sum(len([e for e in row if e != "·"]) for label in ("read", "wrote", "gave")
                          for row in rows_of(lines, label))
            records, found = [mine.pop(0)], 0
            is_memory = "at" in records[0]

            def elements(record):
                return sum(len(value.split()) for value in per_lane(record, "value").values())
            while is_memory and sum(map(elements, records)) < entries:
                records.append(mine.pop(0))
            while not is_memory and mine and records[0]["op"] == "active_mask" and mine[0]["op"] == "active_mask" \
                    and mine[0]["line"] == records[0]["line"]:
                records.append(mine.pop(0))
            expect(case, step, "operation", part.split()[1], records[0]["op"])
            active = set().union(*(lanes_of(record) for record in records))
            expect(case, step, "active lanes", part.split("lanes ")[1], ranges(active))
            expect(case, step, "line", int(re.search(r"line (\d+)", head)[1]) in {r["line"] for r in records}, True)
            op = records[0]["op"]
            if op.startswith("shfl"):
                check_shuffle(case, step, lines, records[0], None)
            elif is_memory:
                check_memory(case, step, lines, records, arrays)
            elif op.startswith("vote"):
                check_vote(case, step, lines, records[0])
            elif op.startswith("reduce"):
                check_reduce(case, step, lines, records[0])
        if mine:
            sys.exit(f"{case}: no step of the golden file shows {len(mine)} of the warp's records")
    print("derived and found equal: " + ", ".join(f"{n} × {what}" for what, n in sorted(checked.items())))


main()
