#!/usr/bin/env python3
"""Times torch's add and RMS norm beside lessons/16_add_rms_norm/operator, and uses the operator from torch.

    python3 assets/torch_add_rms_norm.py                                    # eager and compiled, over the lesson's shapes
    python3 assets/torch_add_rms_norm.py --csv torch.csv
    python3 assets/torch_add_rms_norm.py --library build/…/libadd_rms_norm_shared.so    # and the operator, as a custom op
    python3 assets/torch_add_rms_norm.py --against ours.csv                 # a table of add_rms_norm_bench --csv

torch's form is r = a + b; y = rms_norm(r, (dim,), weight, 1e-6); both are results. Compiled: torch.compile(dynamic=False,
mode="max-autotune-no-cudagraphs"). Method: CUDA graphs of launches that last about 600 us, replayed between events, 60
samples (30 of what takes longer); median, 5th and 95th percentile. Tensors that could stay in L2 are taken from several places of memory in turn.
Each result is compared with one in double before it is timed. torch wants a weight of the activations' type: it is
converted first, outside of the time, so that eager and compiled are timed once for each type of the activations and
stand in the table for each pair. Tensors of more than 16 GiB in all are left out.
Exit status: 0 done, 1 a result was wrong, 2 torch, a GPU, a file or a flag was not what was needed.
"""

import argparse
import csv
import ctypes
import math
import sys

EPSILON = 1e-6
SAMPLES = 60
GRAPH_US = 600
SPREAD_BYTES = 240 << 20
SIZES = [(rows, dim) for rows in (1024, 4096, 16384) for dim in (1024, 4096, 8192, 65536)] + [
    (131072, 128), (1, 4096), (32, 8192), (16384, 4097), (16384, 1023), (1024, 65535)]
MOST_BYTES = 16 << 30   # of four tensors: larger ones are left out
PAIRS = ("f16/f16", "f16/bf16", "f16/f32", "bf16/bf16", "bf16/f16", "bf16/f32", "f32/f32")
CODES = {"f16": 0, "bf16": 1, "f32": 2}
HEADING = ("gpu", "what", "types", "rows", "dim", "median_us", "low_us", "high_us", "gb_per_s")


class Refused(Exception):
    """A sentence for the person at the keyboard."""


def percentile(ordered, fraction):
    place = fraction * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def pairs_of(text):
    pairs = text.split(",") if text else list(PAIRS)
    for pair in pairs:
        if pair not in PAIRS:
            raise Refused(f"--types {pair}: give some of {', '.join(PAIRS)}.")
    return pairs


def sizes_of(text):
    if not text:
        return SIZES
    sizes = []
    for part in text.split(","):
        numbers = part.split("x")
        if len(numbers) != 2 or not all(number.isdigit() and int(number) > 0 for number in numbers):
            raise Refused(f"--sizes {part}: give rows and values a row, such as 4096x8192.")
        sizes.append((int(numbers[0]), int(numbers[1])))
    return sizes


def replayed(torch, launch, places, count, samples):
    """Sorted times in us of one launch, of `samples` replays of a graph of `count`. Results rotate over as many places as
    the inputs do."""
    graph = torch.cuda.CUDAGraph()
    kept = [None] * places
    with torch.cuda.graph(graph):
        for i in range(count):
            kept[i % places] = launch(i)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for _ in range(3):
        graph.replay()
    times = []
    for _ in range(samples):
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / count)
    del kept
    graph.reset()
    return sorted(times)


def timed(torch, launch, places):
    once = percentile(replayed(torch, launch, places, 5, 3), 0.5)
    count = max(5, min(500, int(GRAPH_US / max(once, 0.1))))
    return replayed(torch, launch, places, count, SAMPLES if once <= GRAPH_US else SAMPLES // 2)


class Library:
    """The operator's C interface."""

    def __init__(self, path):
        try:
            self.calls = ctypes.CDLL(path)
        except OSError as error:
            raise Refused(f"--library {path}: {error}; build the target add_rms_norm_shared and give its file.") from error
        i64, pointer = ctypes.c_int64, ctypes.c_void_p
        self.calls.add_rms_norm_create.argtypes = [ctypes.POINTER(pointer), ctypes.c_int, ctypes.c_int, i64, i64, i64, i64, i64,
                                                   i64, ctypes.c_float, ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_int]
        self.calls.add_rms_norm_workspace_size.argtypes = [pointer]
        self.calls.add_rms_norm_workspace_size.restype = ctypes.c_size_t
        self.calls.add_rms_norm_run.argtypes = [pointer, pointer, ctypes.c_size_t] + [pointer] * 6 + [ctypes.c_char_p, ctypes.c_int]
        self.made = {}

    def operator(self, device, *description):
        """Made once for each description and device, as the operator wants it. `device`, a number, is the current one."""
        key = (device, *description)
        if key not in self.made:
            made, sentence = ctypes.c_void_p(), ctypes.create_string_buffer(256)
            if self.calls.add_rms_norm_create(ctypes.byref(made), *description, sentence, 256) != 0:
                raise ValueError(sentence.value.decode())
            self.made[key] = made
        return self.made[key]

    def run(self, made, workspace, size, pointers, stream):
        sentence = ctypes.create_string_buffer(256)
        if self.calls.add_rms_norm_run(made, workspace, size, *pointers, stream, sentence, 256) != 0:
            raise ValueError(sentence.value.decode())


def check_tensors(a, b, weight, codes):
    """Raises ValueError, with the value and the way out, for tensors that the operator does not take. `codes`: its types."""
    for name, tensor in (("a", a), ("b", b), ("weight", weight)):
        if tensor.device.type != "cuda":
            raise ValueError(f"{name} is on {tensor.device}; add_rms_norm takes tensors on a CUDA device: call cuda() first.")
        if tensor.device != a.device:
            raise ValueError(f"{name} is on {tensor.device} and a is on {a.device}; give all three on one device.")
        if tensor.dtype not in codes:
            raise ValueError(f"{name} is of {tensor.dtype}; give one of {', '.join(map(str, codes))}.")
    if a.dim() != 2 or a.shape != b.shape or weight.shape != a.shape[1:]:
        raise ValueError(f"add_rms_norm takes two tensors of (rows, dim) and a weight of (dim), not {tuple(a.shape)}, "
                         f"{tuple(b.shape)} and {tuple(weight.shape)}.")
    if a.dtype != b.dtype:
        raise ValueError(f"a is of {a.dtype} and b of {b.dtype}; give both in one type.")
    if a.stride(1) != 1 or b.stride(1) != 1 or not weight.is_contiguous():
        raise ValueError("add_rms_norm takes rows without gaps; call contiguous() first.")


def custom_op(torch, library):
    """lanewise::add_rms_norm, which torch.compile takes as it is and autograd does not know."""
    codes = {torch.float16: 0, torch.bfloat16: 1, torch.float32: 2}

    @torch.library.custom_op("lanewise::add_rms_norm", mutates_args=())
    def add_rms_norm(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor, epsilon: float) -> tuple[torch.Tensor, torch.Tensor]:
        check_tensors(a, b, weight, codes)
        y = torch.empty_like(a, memory_format=torch.contiguous_format)
        residual = torch.empty_like(y)
        rows, dim = a.shape
        with torch.cuda.device(a.device):   # the operator is made on the current device, and runs there
            made = library.operator(a.device.index, codes[a.dtype], codes[weight.dtype], rows, dim, dim, dim, a.stride(0), b.stride(0), epsilon, 0, 0)
            size = library.calls.add_rms_norm_workspace_size(made)
            workspace = torch.empty(size, dtype=torch.uint8, device=a.device) if size else None
            pointers = [tensor.data_ptr() for tensor in (y, residual, a, b, weight)]
            library.run(made, workspace.data_ptr() if size else None, size, pointers, torch.cuda.current_stream().cuda_stream)
        return y, residual

    @add_rms_norm.register_fake
    def _(a, b, weight, epsilon):
        y = torch.empty_like(a, memory_format=torch.contiguous_format)
        return y, torch.empty_like(y)

    return add_rms_norm


def check(torch, results, a, b, weight, what):
    """y and the sum of the first rows against double."""
    rows = min(64, a.shape[0])
    y, residual = (result[:rows].double() for result in results)
    want_residual = a[:rows] + b[:rows]
    exact = want_residual.double()
    want = exact * torch.rsqrt(exact.pow(2).mean(-1, keepdim=True) + EPSILON) * weight.double()
    # A unit roundoff for each cast there may be on the way: before the weight, of the weight, and after.
    u = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, torch.float32: 2.0**-20}[a.dtype]
    off = ((y - want).abs() - 4 * u * want.abs() - 1e-6).max().item()
    if off > 0 or not torch.equal(residual, want_residual.double()):
        print(f"{what}: y is {off:.3g} beyond its bound, or the sum is not a + b", file=sys.stderr)
        return False
    return True


def eager_form(torch, dim):
    """residual and y, as a model says it."""
    def eager(x, z, w):
        r = x + z
        return torch.nn.functional.rms_norm(r, (dim,), w, EPSILON), r
    return eager


def compiled_form(torch, dim):
    torch._dynamo.reset()
    return torch.compile(eager_form(torch, dim), dynamic=False, mode="max-autotune-no-cudagraphs")


def inputs_of(torch, rows, dim, dtype):
    """a and b in as many places as it takes for none to be in L2, and a weight in float."""
    size = dtype.itemsize * rows * dim
    places = max(1, min(64, (SPREAD_BYTES + 4 * size - 1) // (4 * size)))
    a, b = ([torch.empty(rows, dim, device="cuda", dtype=dtype).normal_() for _ in range(places)] for _ in range(2))
    return a, b, torch.rand(dim, device="cuda", dtype=torch.float32) + 0.5


def measure(torch, arguments):
    types = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
    gpu = torch.cuda.get_device_name()
    library = Library(arguments.library) if arguments.library else None
    operator = custom_op(torch, library) if library else None
    pairs = pairs_of(arguments.types)
    rows_out, right = [], True
    print(f"{gpu}, torch {torch.__version__}")
    print(f"{'types':<10} {'rows':>7} {'dim':>6} {'what':<12} {'us':>9} {'p5':>9} {'p95':>9} {'GB/s':>7}")
    for rows, dim in sizes_of(arguments.sizes):
        for activations in dict.fromkeys(pair.split("/")[0] for pair in pairs):
            dtype = types[activations]
            size = dtype.itemsize * rows * dim
            if 4 * size > MOST_BYTES:
                print(f"{activations:<10} {rows:>7} {dim:>6} takes {4 * size / 2**30:.1f} GiB: left out")
                continue
            a, b, weight = inputs_of(torch, rows, dim, dtype)
            places = len(a)
            matching = [pair for pair in pairs if pair.split("/")[0] == activations]
            forms = [("eager", matching, eager_form(torch, dim), weight.to(dtype)),
                     ("compile", matching, compiled_form(torch, dim), weight.to(dtype))]
            if operator is not None:
                call = lambda x, z, w: operator(x, z, w, EPSILON)  # noqa: E731
                forms += [("operator", [pair], call, weight.to(types[pair.split("/")[1]])) for pair in matching]
            for what, of_pairs, form, w in forms:
                for i in range(3):
                    results = form(a[i % places], b[i % places], w)
                right = check(torch, form(a[0], b[0], w), a[0], b[0], w, f"{what} {of_pairs[0]} {rows}x{dim}") and right
                del results
                ordered = timed(torch, lambda i, form=form, w=w: form(a[i % places], b[i % places], w), places)
                median, low, high = (percentile(ordered, fraction) for fraction in (0.5, 0.05, 0.95))
                rate = 4 * size / median * 1e-3
                for pair in of_pairs:
                    rows_out.append((gpu, what, pair, rows, dim, median, low, high, rate))
                print(f"{', '.join(of_pairs):<10} {rows:>7} {dim:>6} {what:<12} {median:>9.2f} {low:>9.2f} {high:>9.2f} {rate:>7.0f}", flush=True)
            del a, b
            torch.cuda.empty_cache()
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(HEADING)
            writer.writerows([*row[:5], *(f"{value:.3f}" for value in row[5:8]), f"{row[8]:.1f}"] for row in rows_out)
    return rows_out, right


def compare(ours, torchs):
    """Lines that set a bench's table beside torch's: how many times as fast, and where not."""
    times = {(row["types"], int(row["rows"]), int(row["dim"])): float(row["median_us"]) for row in ours if row["what"] == "operator"}
    copies = {(row["types"], int(row["rows"]), int(row["dim"])): float(row["median_us"]) for row in ours if row["what"] == "copy"}
    lines, ratios = [f"{'types':<10} {'rows':>7} {'dim':>6} {'what':<9} {'torch us':>9} {'ours us':>9} {'× torch':>8} {'% of copy':>10}"], {}
    for _, what, pair, rows, dim, median, *_ in torchs:
        key = (pair, int(rows), int(dim))
        if what == "operator" or key not in times:
            continue
        ratio = float(median) / times[key]
        ratios.setdefault(what, []).append(ratio)
        share = 100 * copies[key] / times[key] if key in copies else math.nan
        lines.append(f"{pair:<10} {rows:>7} {dim:>6} {what:<9} {float(median):>9.2f} {times[key]:>9.2f} {ratio:>8.3f} {share:>10.1f}"
                     + ("   slower" if ratio < 0.97 else ""))
    for what, values in ratios.items():
        lines.append(f"{geometric_mean(values):.3f} × torch {what} in geometric mean over {len(values)} cells, {min(values):.3f} × at worst")
    return lines


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", help="such as 4096x4096,16384x8192; default: the lesson's")
    parser.add_argument("--types", help="such as f16/f16,f32/f32; default: all seven")
    parser.add_argument("--csv", help="write the table to this file")
    parser.add_argument("--library", help="libadd_rms_norm_shared.so: times the operator as a custom op as well")
    parser.add_argument("--against", help="a table that add_rms_norm_bench --csv wrote")
    options = parser.parse_args(arguments)
    try:
        sizes_of(options.sizes)
        pairs_of(options.types)
        ours = None
        if options.against:
            try:
                with open(options.against, newline="", encoding="utf-8") as file:
                    ours = list(csv.DictReader(file))
            except OSError as error:
                raise Refused(f"--against {options.against}: {error.strerror}; give a file of add_rms_norm_bench --csv.") from error
            if not ours or not {"what", "types", "rows", "dim", "median_us"} <= set(ours[0]):
                raise Refused(f"--against {options.against}: it is no table of add_rms_norm_bench --csv.")
        try:
            import torch
        except ImportError as error:
            raise Refused("There is no torch here; install it, or run this on a machine that has it.") from error
        if not torch.cuda.is_available():
            raise Refused("torch finds no GPU here; run this on a machine with one.")
        table, right = measure(torch, options)
        if ours is not None:
            print("\n".join(compare(ours, table)))
        return 0 if right else 1
    except Refused as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
