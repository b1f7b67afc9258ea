#!/usr/bin/env python3
"""Times torch's row operators, eager and compiled, in the way that a lesson's --time times its kernels.

    python3 assets/torch_rows.py --operator softmax                    # the twelve shapes of --sizes table, three types
    python3 assets/torch_rows.py --operator rms_norm --types f16 --shapes 4096x8192,1024x65536
    python3 assets/torch_rows.py --operator dot --shapes 1x2^16,1x2^24  # one vector; --shapes may be left out
    python3 assets/torch_rows.py --operator softmax --json torch.json   # what --time shows beside a lesson's own rows

Operators: softmax, layer_norm (weight and bias), rms_norm (weight), dot. "torch" is the eager call; "torch.compile" is
torch.compile(dynamic=False, mode="max-autotune-no-cudagraphs") of it; "torch copy" is copy_ of the same bytes. Put
torch.json beside a lesson's recordings, as assets/recorded/GPU/LESSON/torch.json: --time then shows its rows beside the
lesson's at the same shapes and types.

Method: a CUDA graph of 5 to 500 calls over the same buffers, as many as last 600 us, device events around its replay, up
to 100 samples; median, of what can stay in L2 the mean of the medians in 5 places of memory; 5th and 95th percentile.
Each result is compared with one in double (of a part of the rows) before it is timed. What needs more than --most GiB of
the GPU, 16, is left out and said so.
Exit status: 0 done, 1 a result was wrong, 2 torch, a GPU or a flag was not what was needed, 3 interrupted or asked to end.
"""

import argparse
import datetime
import json
import sys

import torch_sums as sums
from torch_sums import Refused

ROWS = (1024, 4096, 16384)
COLUMNS = (1024, 4096, 8192, 65536)
OPERATORS = ("softmax", "layer_norm", "rms_norm", "dot")
EPSILON = 1e-5
CHECKED_ROWS = 64
# How far a result may be from the reference in double, relative to the largest of its row: what half a step of the type
# and the additions of a row in float come to, with room.
BOUNDS = {"f32": 2.0**-16, "f16": 2.0**-9, "bf16": 2.0**-6}


def parse_shapes(text, operator):
    """Pairs of rows and columns. The dot product is of one vector of 2^16 to 2^28 values."""
    if not text:
        if operator == "dot":
            return [(1, 2**power) for power in range(16, 29, 2)]
        return [(rows, columns) for rows in ROWS for columns in COLUMNS]
    shapes = []
    for part in text.split(","):
        rows, cross, columns = part.partition("x")
        if not cross:
            raise Refused(f"--shapes: '{part}' is no shape; write ROWSxCOLUMNS, such as 4096x8192 or 1x2^24.")
        try:
            shapes.append((sums.count(rows), sums.count(columns)))
        except Refused:
            raise Refused(f"--shapes: '{part}' is no shape; write ROWSxCOLUMNS, such as 4096x8192 or 1x2^24.") from None
        if 0 in shapes[-1]:
            raise Refused(f"--shapes: '{part}' has no values; give 1 row and 1 column or more.")
    return shapes


def size_of(operator, rows, columns):
    """A row's name, as the lessons' tables have it; empty in a sweep."""
    return "" if operator == "dot" else f"{rows}×{columns}"


def bytes_of(operator, rows, columns, width):
    """What one call must read and write."""
    if operator == "dot":
        return 2 * rows * columns * width + width
    vectors = {"softmax": 0, "layer_norm": 2, "rms_norm": 1}[operator]
    return 2 * rows * columns * width + vectors * columns * width


def call_of(torch, operator, columns, weights):
    """The operator as a function of its buffers."""
    functional = torch.nn.functional
    if operator == "softmax":
        return lambda x: functional.softmax(x, dim=-1)
    if operator == "layer_norm":
        return lambda x: functional.layer_norm(x, (columns,), weights[0], weights[1], EPSILON)
    if operator == "rms_norm":
        return lambda x: functional.rms_norm(x, (columns,), weights[0], EPSILON)
    return lambda x: torch.dot(x[0], x[1])


def compiled(torch, call):
    torch._dynamo.reset()
    return torch.compile(call, dynamic=False, mode="max-autotune-no-cudagraphs")


def buffers_of(torch, operator, rows, columns, dtype):
    """One set of inputs, random in [-1, 1)."""
    generator = torch.Generator(device="cuda").manual_seed(1)
    shape = (2, rows * columns) if operator == "dot" else (rows, columns)
    return torch.empty(shape, dtype=dtype, device="cuda").uniform_(-1, 1, generator=generator)


def error_of(torch, operator, columns, weights, values, result):
    """The largest error over CHECKED_ROWS rows, relative to the largest reference of each."""
    if operator == "dot":
        products = 0.0
        magnitude = 0.0
        for a, b in zip(values[0].split(1 << 26), values[1].split(1 << 26)):
            product = a.double() * b.double()
            products += product.sum().item()
            magnitude += product.abs().sum().item()
        return abs(result.double().item() - products) / max(magnitude, 1e-300)
    wide = [weight.double() for weight in weights]
    checked = values[:CHECKED_ROWS].double()
    reference = call_of(torch, operator, columns, wide)(checked)
    scale = reference.abs().amax(dim=-1, keepdim=True)
    return ((result[:CHECKED_ROWS].double() - reference).abs() / scale).max().item()


def row_of(name, operator, element, rows, columns, error, size_bytes):
    return {"variant": name, "element": element, "size": size_of(operator, rows, columns), "against": "", "baseline": True,
            "limit": False, "on_cpu": False, "n": rows * columns, "block": 0, "value": 0.0, "error": error,
            "within_bound": error <= BOUNDS[element], "bytes": size_bytes}


def measure(torch, operator, rows, columns, element, l2):
    """The rows of one shape and type: eager, compiled, a copy."""
    name, width = sums.TYPES[element]
    dtype = getattr(torch, name)
    first = buffers_of(torch, operator, rows, columns, dtype)
    weights = [torch.rand(columns, device="cuda").to(dtype) for _ in range(2)] if operator.endswith("norm") else []
    call = call_of(torch, operator, columns, weights)
    size_bytes = bytes_of(operator, rows, columns, width)
    l2_bytes = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 64 << 20)
    share = sums.PLACES if first.numel() * width <= 2 * l2_bytes else 1
    places = [first] + [first.clone() for _ in range(share - 1)]
    made = []
    for title, function in ((f"torch {operator}", call), (f"torch.compile {operator}", compiled(torch, call))):
        row = row_of(title, operator, element, rows, columns,
                     error_of(torch, operator, columns, weights, first, function(first)), size_bytes)
        if row["within_bound"]:
            samples = [sums.sampled(torch, lambda place=place: function(place), l2, l2_bytes, share) for place in places]
            row.update(sums.spread_over(samples))
        else:
            row.update(median_us=0.0, low_us=0.0, high_us=0.0, min_us=0.0, max_us=0.0, samples=0, outliers=0)
        made.append(row)
    if operator != "dot":
        target = torch.empty_like(first)
        row = row_of("torch copy", operator, element, rows, columns, 0.0, 2 * first.numel() * width)
        row["limit"] = True
        row.update(sums.spread_over([sums.sampled(torch, lambda place=place: target.copy_(place), l2, l2_bytes, share)
                                     for place in places]))
        made.append(row)
    return made


def line_of(row, columns):
    wrong = "" if row["within_bound"] else "  ! wrong, not timed"
    rate = row["bytes"] / row["median_us"] * 1e-3 if row["median_us"] > 0 else 0
    shape = row["size"] or f"1×{columns}"
    return (f"{row['element']:<5} {shape:>12} {row['variant']:<26} {row['median_us']:>10.2f} {row['low_us']:>9.2f}…"
            f"{row['high_us']:<8.2f}{rate:>8.1f}{wrong}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operator", choices=OPERATORS, required=True)
    parser.add_argument("--shapes", default="", help="ROWSxCOLUMNS, separated by commas (default: the lessons' table)")
    parser.add_argument("--types", default="f32,f16,bf16", help="of f32, f16, bf16 (default: all)")
    parser.add_argument("--l2", choices=("warm", "flushed"), default="warm")
    parser.add_argument("--most", type=float, default=16, metavar="GIB", help="leave out what needs more (default: 16)")
    parser.add_argument("--csv", metavar="FILE")
    parser.add_argument("--json", metavar="FILE")
    return parser.parse_args()


def table_of(torch, operator, l2):
    method = (f"CUDA graph of {sums.LEAST_REPLAYS} to {sums.MOST_REPLAYS} calls, until it lasts {sums.GRAPH_US} us"
              if l2 == "warm" else "twice the L2 written before each call, then the call alone between two events")
    return {"format": "lanewise timings", "version": 1, "lesson": f"torch {operator}",
            "gpu": torch.cuda.get_device_name(0), "driver": torch.version.cuda or "", "cpu": "",
            "date": datetime.date.today().isoformat(), "l2": l2,
            "method": f"torch {torch.__version__}; {method}; device events; up to {sums.SAMPLES} samples; median, of what "
                      f"can stay in L2 the mean of the medians in {sums.PLACES} places of memory",
            "partial": "", "notes": [], "before": None, "after": None, "rows": []}


def main():
    options = arguments()
    shapes = parse_shapes(options.shapes, options.operator)
    types = options.types.split(",")
    for element in types:
        if element not in sums.TYPES:
            raise Refused(f"--types {element} is not one of {', '.join(sums.TYPES)}.")
    try:
        import torch
    except ImportError as error:
        raise Refused("torch is not installed for this Python, so it cannot be timed. Install it (pip install torch), or do "
                      "without: the lessons compare with a plain copy by themselves.") from error
    if not torch.cuda.is_available():
        raise Refused("torch is here, but it finds no GPU that it can use.")
    table = table_of(torch, options.operator, options.l2)
    print(f"{table['gpu']} · L2 {options.l2} · {table['method']}")
    print("type         shape variant                     median µs        5%…95%     GB/s")
    sums.end_as_if_interrupted()
    try:
        for rows, columns in shapes:
            for element in types:
                needed = bytes_of(options.operator, rows, columns, sums.TYPES[element][1])
                if needed > options.most * 2**30:
                    table["notes"].append(f"{rows}×{columns} of {element} moves {needed / 2**30:.1f} GiB, more than --most "
                                          f"{options.most:g}: not measured.")
                    print(table["notes"][-1])
                    continue
                try:
                    made = measure(torch, options.operator, rows, columns, element, options.l2)
                except torch.cuda.OutOfMemoryError:
                    table["notes"].append(f"{rows}×{columns} of {element} has no room on the GPU: not measured.")
                    print(table["notes"][-1])
                    continue
                finally:
                    torch.cuda.empty_cache()
                table["rows"].extend(made)
                for row in made:
                    print(line_of(row, columns), flush=True)
    except KeyboardInterrupt:
        table["partial"] = "interrupted"
        print("partial: interrupted; what was measured is kept", file=sys.stderr)
    if options.csv:
        sums.write(options.csv, sums.csv_text(table))
    if options.json:
        sums.write(options.json, json.dumps(table, indent=2, ensure_ascii=False) + "\n")
    if table["partial"]:
        return 3
    return 0 if all(row["within_bound"] for row in table["rows"]) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refused as refused:
        print(refused, file=sys.stderr)
        sys.exit(2)
