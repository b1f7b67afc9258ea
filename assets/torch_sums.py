#!/usr/bin/env python3
"""Times torch.sum in the way that a lesson's --time times its kernels, for tables that can be compared.

    python3 assets/torch_sums.py                                     # the nine shapes of --sizes table, three types
    python3 assets/torch_sums.py --sizes 2^20:2^30:x4 --types f16
    python3 assets/torch_sums.py --json torch.json --csv torch.csv   # the formats of --json and --csv
    python3 assets/torch_sums.py --against ours.json                 # and how a lesson's table compares with it

Method: a CUDA graph of 5 to 500 sums over the same buffer, as many as last 600 us, device events around its replay,
up to 100 samples; median, of what can stay in L2 the mean of the medians in 5 places of memory; 5th and 95th
percentile. With --l2 flushed twice the L2 is written before each sum, which is then timed alone. Halves are summed with
a float as accumulator and as result (dtype=torch.float32). Each sum is compared with one in double before it is timed.
Exit status: 0 done, 1 a sum was wrong, 2 torch, a GPU or a flag was not what was needed, 3 interrupted or
asked to end.
"""

import argparse
import datetime
import json
import math
import signal
import sys
import time

SIDES = (1024, 2048, 4096)
LEAST_REPLAYS = 5
MOST_REPLAYS = 500
GRAPH_US = 600
SAMPLES = 100
MIN_SAMPLES = 5
PLACES = 5
MAX_SECONDS = 2.0
WARM_SECONDS = 0.05
OUTLIER = 0.1
TYPES = {"f32": ("float32", 4), "f16": ("float16", 2), "bf16": ("bfloat16", 2)}
CSV_HEADING = (
    "lesson,gpu,driver,date,l2,variant,element,size,n,columns,block,baseline,limit,on_cpu,value,error,within_bound,median_us,"
    "low_us,high_us,min_us,max_us,samples,outliers,bytes,gb_per_s,percent_of_limit,against,times_as_fast,partial"
)


class Refused(Exception):
    """A sentence for the person at the keyboard."""


def count(text):
    """A whole number, or a power such as 2^20."""
    base, _, power = text.partition("^")
    if not base.isdigit() or (power and (base != "2" or not power.isdigit())):
        raise Refused(f"--sizes: '{text}' is not a number of values; write 1048576 or 2^20.")
    return 2 ** int(power) if power else int(base)


def parse_sizes(text):
    """Pairs of a count and a name, as the lessons' --sizes takes them."""
    if text == "table":
        return [(s * k, f"{s}×{k}") for s in SIDES for k in SIDES]
    parts = text.split(":")
    neighbours = parts[2:] == ["+-1"]
    if len(parts) not in (2, 3) or (len(parts) == 3 and not neighbours and not parts[2].startswith("x")):
        raise Refused(f"--sizes {text} is no range of sizes; give table, or LOW:HIGH such as 1024:2^24, or "
                      "LOW:HIGH:xFACTOR, or LOW:HIGH:+-1.")
    low, high = count(parts[0]), count(parts[1])
    try:
        factor = float(parts[2][1:]) if len(parts) == 3 and not neighbours else 2.0
    except ValueError:
        factor = math.nan
    if not 1.01 <= factor <= 1024:
        raise Refused(f"--sizes {text} has no factor from 1.01 to 1024 at its end.")
    if low < 1 or high < low:
        raise Refused(f"--sizes {text} begins at 0 or ends before it begins.")
    sizes, size = [], float(low)
    while round(size) <= high:
        for n in (round(size) - 1, round(size), round(size) + 1) if neighbours else (round(size),):
            if 0 < n <= high and (not sizes or sizes[-1][0] < n):
                sizes.append((n, ""))
        size *= factor
    return sizes


def percentile(ordered, fraction):
    """Linear between the two samples around the place asked for."""
    place = fraction * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def spread(samples):
    """The times of a row, in the unit of the samples."""
    ordered = sorted(samples)
    median = percentile(ordered, 0.5)
    return {
        "median_us": median,
        "low_us": percentile(ordered, 0.05),
        "high_us": percentile(ordered, 0.95),
        "min_us": ordered[0],
        "max_us": ordered[-1],
        "samples": len(ordered),
        "outliers": sum(abs(sample - median) > OUTLIER * median for sample in ordered),
    }


def spread_over(places):
    """Of the samples of all places together, but for the median: the mean of the places' medians."""
    times = spread([sample for samples in places for sample in samples])
    times["median_us"] = sum(spread(samples)["median_us"] for samples in places) / len(places)
    return times


def csv_text(table):
    """The lessons' CSV of a table."""

    def field(text):
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\r\n') else text

    lines = [CSV_HEADING]
    for row in table["rows"]:
        rate = row["bytes"] / row["median_us"] * 1e-3 if row["median_us"] > 0 else 0
        cells = [table["lesson"], table["gpu"], table["driver"], table["date"], table["l2"], row["variant"], row["element"],
                 row["size"], row["n"], row.get("columns", 0), row["block"], int(row["baseline"]), int(row["limit"]), int(row["on_cpu"]),
                 f"{row['value']:.9g}", f"{row['error']:.9g}", int(row["within_bound"]), f"{row['median_us']:.6g}",
                 f"{row['low_us']:.6g}", f"{row['high_us']:.6g}", f"{row['min_us']:.6g}", f"{row['max_us']:.6g}", row["samples"],
                 row["outliers"], row["bytes"], f"{rate:.6g}", "", row["against"], "", 1 if table["partial"] else 0]
        lines.append(",".join(field(str(cell)) for cell in cells))
    return "\n".join(lines) + "\n"


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def compare(ours, torchs):
    """Lines that say how many times as fast as torch.sum the other table's variants are: the fastest variant of each
    size and type, CUB there, and their geometric means."""
    lines = ["type   size            n   torch µs    CUB µs   fastest µs  × torch  fastest variant"]
    ratios, cub_ratios = {}, {}
    for row in torchs["rows"]:
        same = [r for r in ours["rows"]
                if r["n"] == row["n"] and r.get("size", "") == row["size"] and r.get("element", "") == row["element"]
                and r["median_us"] > 0 and not r.get("limit", False) and not r.get("on_cpu", False)]
        cub = min((r["median_us"] for r in same if r["baseline"]), default=None)
        best = min((r for r in same if not r["baseline"]), key=lambda r: r["median_us"], default=None)
        if best is None or row["median_us"] <= 0:
            continue
        ratio = row["median_us"] / best["median_us"]
        ratios.setdefault(row["element"], []).append(ratio)
        if cub is not None:
            cub_ratios.setdefault(row["element"], []).append(cub / best["median_us"])
        lines.append(f"{row['element']:<5} {row['size']:>9} {row['n']:>10} {row['median_us']:>10.2f} "
                     f"{'' if cub is None else format(cub, '.2f'):>9} {best['median_us']:>12.2f} {ratio:>8.3f}  {best['variant']}")
    for name, groups in (("torch.sum", ratios), ("CUB", cub_ratios)):
        for element, values in groups.items():
            lines.append(f"{element}: {geometric_mean(values):.3f} × {name} in geometric mean over {len(values)} sizes, "
                         f"{min(values):.3f} × at worst")
        if groups:
            every = [value for values in groups.values() for value in values]
            lines.append(f"all: {geometric_mean(every):.3f} × {name} in geometric mean over {len(every)} cells")
    return lines if ratios else ["Nothing in the two tables has the same size and type."]


def collect(once, share):
    """Samples of `once`, which gives microseconds, after a while that is not counted: one part of `share`."""
    start = time.perf_counter()
    once()
    while time.perf_counter() - start < WARM_SECONDS / share:
        once()
    samples, start = [], time.perf_counter()
    while len(samples) * share < SAMPLES and (len(samples) * share < MIN_SAMPLES
                                              or time.perf_counter() - start < MAX_SECONDS / share):
        samples.append(once())
    return samples


def runs_of_a_graph(replayed):
    """How many runs last GRAPH_US; `replayed(runs)` gives a function that measures the microseconds of one."""
    runs = 1
    while True:
        once = replayed(runs)
        once()
        wanted = min(math.ceil(GRAPH_US / once()), MOST_REPLAYS)
        if wanted <= 2 * runs:
            return max(wanted, runs, LEAST_REPLAYS)
        runs = min(wanted, 16 * runs)


def sampled(torch, work, l2, l2_bytes, share):
    """Microseconds of `work`: one part of `share` of the samples."""
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):  # what torch allocates on the first call is not part of a graph
            work()
        stream.synchronize()

        def replayed(runs):
            """A function that runs a graph of so many sums and gives the microseconds of one."""
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                for _ in range(runs):
                    work()

            def sample():
                start.record(stream)
                graph.replay()
                stop.record(stream)
                stop.synchronize()
                return start.elapsed_time(stop) * 1e3 / runs
            return sample

        if l2 == "warm":
            return collect(replayed(runs_of_a_graph(replayed)), share)
        other = torch.empty(2 * l2_bytes, dtype=torch.uint8, device="cuda")

        def once():
            other.fill_(7)
            start.record(stream)
            work()
            stop.record(stream)
            stop.synchronize()
            return start.elapsed_time(stop) * 1e3

        return collect(once, share)


def measure(torch, n, size, element, l2):
    """One row: torch.sum of n random values in [-1, 1)."""
    name, width = TYPES[element]
    generator = torch.Generator(device="cuda").manual_seed(1)
    values = torch.empty(n, dtype=getattr(torch, name), device="cuda").uniform_(-1, 1, generator=generator)
    parts = values.split(1 << 26)
    reference = sum(part.double().sum().item() for part in parts)
    magnitude = sum(part.double().abs().sum().item() for part in parts)

    result = torch.sum(values, dtype=torch.float32).item()
    row = {"variant": "torch.sum", "element": element, "size": size, "against": "", "baseline": True, "limit": False,
           "on_cpu": False, "n": n, "block": 0, "value": result, "error": abs(result - reference)}
    row["within_bound"] = row["error"] <= n * 2.0**-23 * magnitude
    l2_bytes = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 64 << 20)
    share = PLACES if n * width <= 2 * l2_bytes else 1
    places = [values] + [values.clone() for _ in range(share - 1)]
    samples = []
    for place in places:
        samples.append(sampled(torch, lambda place=place: torch.sum(place, dtype=torch.float32), l2, l2_bytes, share))
    row.update(spread_over(samples))
    row["bytes"] = n * width + 4
    return row


def write(path, text):
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Refused(f"'{path}' cannot be written: {error.strerror}; choose another path.") from error


def end_as_if_interrupted():
    """Has a request to end, as `timeout` makes one, raise KeyboardInterrupt: what was measured is kept."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
    except (OSError, ValueError) as error:
        raise Refused(f"--against {path}: {error}") from error
    if not isinstance(table, dict) or table.get("format") != "lanewise timings":
        raise Refused(f"--against {path}: this is not a table that a lesson's --time --json wrote.")
    return table


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="table", help="table, LOW:HIGH or LOW:HIGH:xFACTOR (default: table)")
    parser.add_argument("--types", default="f32,f16,bf16", help="of f32, f16, bf16 (default: all)")
    parser.add_argument("--l2", choices=("warm", "flushed"), default="warm")
    parser.add_argument("--csv", metavar="FILE")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--against", metavar="FILE", help="a table that --time --json wrote on the same GPU")
    return parser.parse_args()


def main():
    options = arguments()
    sizes = parse_sizes(options.sizes)
    types = options.types.split(",")
    for element in types:
        if element not in TYPES:
            raise Refused(f"--types {element} is not one of {', '.join(TYPES)}.")
    ours = load(options.against) if options.against else None
    try:
        import torch
    except ImportError as error:
        raise Refused("torch is not installed for this Python, so torch.sum cannot be timed. Install it (pip install torch), "
                      "or do without: the lessons compare with CUB by themselves.") from error
    if not torch.cuda.is_available():
        raise Refused("torch is here, but it finds no GPU that it can use.")

    method = (f"CUDA graph of {LEAST_REPLAYS} to {MOST_REPLAYS} sums, until it lasts {GRAPH_US} us" if options.l2 == "warm"
              else "twice the L2 written before each sum, then the sum alone between two events")
    table = {"format": "lanewise timings", "version": 1, "lesson": "torch", "gpu": torch.cuda.get_device_name(0),
             "driver": torch.version.cuda or "", "cpu": "", "date": datetime.date.today().isoformat(), "l2": options.l2,
             "method": f"torch {torch.__version__}; {method}; device events; up to {SAMPLES} samples; median, of "
                       f"what can stay in L2 the mean of the medians in {PLACES} places of memory", "partial": "",
             "notes": [], "before": None, "after": None, "rows": []}
    print(f"{table['gpu']} · L2 {options.l2} · {table['method']}")
    print("type       size           n  median µs        5%…95%     GB/s")
    end_as_if_interrupted()
    try:
        for n, size in sizes:
            for element in types:
                try:
                    row = measure(torch, n, size, element, options.l2)
                except torch.cuda.OutOfMemoryError:
                    free, _ = torch.cuda.mem_get_info()
                    table["notes"].append(f"{n} values of {element} need {n * TYPES[element][1] / 2**30:.1f} GiB on the GPU, and "
                                          f"{free / 2**30:.1f} GiB are free: not measured.")
                    print(table["notes"][-1])
                    continue
                table["rows"].append(row)
                print(f"{element:<5} {size:>9} {n:>11} {row['median_us']:>10.2f} {row['low_us']:>9.2f}…{row['high_us']:<8.2f}"
                      f"{row['bytes'] / row['median_us'] * 1e-3:>8.1f}{'' if row['within_bound'] else '  ! wrong'}", flush=True)
    except KeyboardInterrupt:
        table["partial"] = "interrupted"
        print("partial: interrupted; what was measured is kept", file=sys.stderr)
    if options.csv:
        write(options.csv, csv_text(table))
    if options.json:
        write(options.json, json.dumps(table, indent=2, ensure_ascii=False) + "\n")
    if ours:
        print("\n".join(compare(ours, table)))
    if table["partial"]:
        return 3
    return 0 if all(row["within_bound"] for row in table["rows"]) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(2)
