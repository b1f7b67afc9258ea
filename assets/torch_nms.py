#!/usr/bin/env python3
"""Times torchvision.ops.nms over the boxes of nms_bench, and compares lessons/17_nms/nms with it.

    python3 assets/torch_nms.py                                          # times, as nms_bench measures them
    python3 assets/torch_nms.py --csv torch.csv --against ours.csv       # beside a table of nms_bench --csv
    python3 assets/torch_nms.py --library build/…/libnms_shared.so       # the same boxes kept? random and adversarial ones

torchvision's nms copies its mask to the host and synchronizes, so it cannot be captured in a graph: its time is that of a
call that has ended, by the host's clock; a line says what an empty synchronization costs. The comparison: on whole
coordinates every kept box must be the same; else but for boxes with a pair within 2 units in the last place of the threshold.
Exit status: 0 done, 1 a box differs, 2 torch, torchvision, a GPU, a file or a flag was not what was needed.
"""

import argparse
import csv
import ctypes
import sys
import time

SAMPLES = 30
SIZES = (1000, 10000, 100000)
KINDS = ("uniform", "apart", "same")
HEADING = ("gpu", "what", "boxes", "n", "kept", "median_us", "low_us", "high_us")


class Refused(Exception):
    """A sentence for the person at the keyboard."""


def percentile(ordered, fraction):
    place = fraction * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def boxes_of(torch, kind, n):
    """As nms_bench's, but for the random numbers themselves."""
    generator = torch.Generator().manual_seed(1)
    if kind == "uniform":
        corner = torch.rand(n, 2, generator=generator) * 1000
        return torch.cat([corner, corner + torch.rand(n, 2, generator=generator) * 100], 1)
    index = torch.arange(n)
    corner = torch.stack([index % 1000 * 10, index // 1000 * 10], 1).float() if kind == "apart" else torch.full((n, 2), 5.0)
    return torch.cat([corner, corner + 8], 1)


def timed(torch, call):
    """Sorted times in us of a call that has ended."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(SAMPLES):
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e6)
    return sorted(times)


def measure(torch, nms, sizes):
    gpu, rows = torch.cuda.get_device_name(), []
    empty = percentile(timed(torch, lambda: None), 0.5)
    print(f"{gpu}; an empty synchronization takes {empty:.1f} us")
    print(f"{'boxes':<8} {'n':>7} {'kept':>7} {'us':>10} {'p5':>10} {'p95':>10}")
    for n in sizes:
        scores = torch.rand(n, generator=torch.Generator().manual_seed(2)).cuda()
        for kind in KINDS:
            boxes = boxes_of(torch, kind, n).cuda()
            kept = len(nms(boxes, scores, 0.5))
            ordered = timed(torch, lambda boxes=boxes: nms(boxes, scores, 0.5))
            median, low, high = (percentile(ordered, fraction) for fraction in (0.5, 0.05, 0.95))
            rows.append((gpu, "torchvision", kind, n, kept, f"{median:.2f}", f"{low:.2f}", f"{high:.2f}"))
            print(f"{kind:<8} {n:>7} {kept:>7} {median:>10.1f} {low:>10.1f} {high:>10.1f}", flush=True)
    return rows


def beside(ours, torchs):
    times = {(row["boxes"], int(row["n"])): float(row["median_us"]) for row in ours if row["what"] == "nms"}
    lines = [f"{'boxes':<8} {'n':>7} {'ours us':>10} {'torchvision us':>15} {'times as fast':>14}"]
    for _, _, kind, n, _, median, *_ in torchs:
        if (kind, n) in times:
            lines.append(f"{kind:<8} {n:>7} {times[kind, n]:>10.1f} {float(median):>15.1f} {float(median) / times[kind, n]:>14.1f}")
    return lines


class Library:
    """The C interface of lessons/17_nms/nms."""

    def __init__(self, torch, path):
        self.torch = torch
        try:
            self.calls = ctypes.CDLL(path)
        except OSError as error:
            raise Refused(f"--library {path}: {error}; build the target nms_shared and give its file.") from error
        pointer = ctypes.c_void_p
        self.calls.nms_workspace_size.argtypes = [ctypes.POINTER(ctypes.c_size_t), ctypes.c_int]
        self.calls.nms_run.argtypes = ([pointer, ctypes.c_size_t] + [pointer] * 6 + [ctypes.c_int, ctypes.c_float, pointer,
                                                                                ctypes.c_char_p, ctypes.c_int])

    def __call__(self, boxes, scores, threshold):
        torch, n = self.torch, len(boxes)
        size, sentence = ctypes.c_size_t(), ctypes.create_string_buffer(256)
        if self.calls.nms_workspace_size(ctypes.byref(size), n) != 0:
            raise ValueError(f"no workspace for {n} boxes")
        workspace = torch.empty(size.value + 256, dtype=torch.uint8, device="cuda")
        kept = torch.empty(n, dtype=torch.int32, device="cuda")
        count, flags = (torch.empty(1, dtype=torch.int32, device="cuda") for _ in range(2))
        at = (workspace.data_ptr() + 255) // 256 * 256
        if self.calls.nms_run(at, size.value, kept.data_ptr(), count.data_ptr(), flags.data_ptr(), boxes.data_ptr(),
                              scores.data_ptr(), None, n, threshold, torch.cuda.current_stream().cuda_stream, sentence, 256) != 0:
            raise ValueError(sentence.value.decode())
        return kept[:count.item()].long()


def near(torch, boxes, threshold):
    """Is there a pair within 2 units in the last place of the threshold? In double, in pieces."""
    wide = boxes.double()
    areas = (wide[:, 2] - wide[:, 0]) * (wide[:, 3] - wide[:, 1])
    margin = 2 * 2.0**-23 * max(threshold, 2.0**-23)
    for first in range(0, len(wide), 1024):
        some = wide[first:first + 1024]
        low, high = torch.maximum(some[:, None, :2], wide[None, :, :2]), torch.minimum(some[:, None, 2:], wide[None, :, 2:])
        both = (high - low).clamp(min=0).prod(-1)
        share = both / (areas[first:first + 1024, None] + areas[None] - both)
        if ((share - threshold).abs() <= margin).any():
            return True
    return False


def cases(torch):
    """Name, boxes, scores, threshold, whole coordinates?"""
    generator = torch.Generator().manual_seed(3)
    for n in (1, 2, 3, 63, 64, 65, 127, 128, 129, 1000, 4097, 20000):
        for threshold in (0.0, 0.3, 0.5, 0.7):
            few = torch.randint(0, 32, (n,), generator=generator).float() / 8 - 2   # many equal, -0 and 0 among them
            whole = torch.randint(0, 500, (n, 2), generator=generator).float()
            sides = torch.randint(0, 60, (n, 2), generator=generator).float()
            yield "whole", torch.cat([whole, whole + sides], 1), few, threshold, True
            tiles = 8 * torch.randint(0, 40, (n, 2), generator=generator).float()
            yield "touching", torch.cat([tiles, tiles + 8], 1), few, threshold, True
            chain = torch.stack([torch.arange(n) * 10.0, torch.zeros(n)], 1)
            yield "chain", torch.cat([chain, chain + 40], 1), -torch.arange(n).float(), threshold, True
            yield "same", boxes_of(torch, "same", n), few, threshold, True
            yield "uniform", boxes_of(torch, "uniform", n), torch.rand(n, generator=generator), threshold, False


def same_boxes(torch, nms, library):
    right, compared, excused = True, 0, 0
    for name, boxes, scores, threshold, whole in cases(torch):
        boxes, scores = boxes.cuda().contiguous(), scores.cuda()
        # torchvision's sort is stable for its own order; equal scores: compare with the order fixed by number.
        order = torch.sort(scores, descending=True, stable=True).indices
        ranks = torch.empty(len(scores), device="cuda")
        ranks[order] = torch.arange(len(scores), 0, -1, device="cuda", dtype=torch.float32)
        want, got = nms(boxes, ranks, threshold), library(boxes, scores, threshold)
        compared += 1
        if torch.equal(want, got):
            continue
        if not whole and near(torch, boxes, threshold):
            excused += 1
            continue
        right = False
        print(f"{name}, {len(boxes)} boxes, threshold {threshold}: {len(got)} kept, torchvision keeps {len(want)}", file=sys.stderr)
    print(f"{compared} sets of boxes compared with torchvision: {'all the same' if right else 'SOME DIFFER'}"
          f" ({excused} differ where a pair is within 2 ulp of the threshold)")
    return right


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", help="write the times to this file")
    parser.add_argument("--against", help="a table that nms_bench --csv wrote")
    parser.add_argument("--library", help="libnms_shared.so: compares what is kept instead of timing")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of boxes; default: %(default)s")
    options = parser.parse_args(arguments)
    try:
        if not all(part.isdigit() and int(part) > 0 for part in options.sizes.split(",")):
            raise Refused(f"--sizes {options.sizes}: give numbers of boxes, such as 1000,10000.")
        ours = None
        if options.against:
            try:
                with open(options.against, newline="", encoding="utf-8") as file:
                    ours = list(csv.DictReader(file))
            except OSError as error:
                raise Refused(f"--against {options.against}: {error.strerror}; give a file of nms_bench --csv.") from error
            if not ours or not {"what", "boxes", "n", "median_us"} <= set(ours[0]):
                raise Refused(f"--against {options.against}: it is no table of nms_bench --csv.")
        try:
            import torch
            from torchvision.ops import nms
        except ImportError as error:
            raise Refused(f"{error}: install torch and torchvision, or run this on a machine that has them.") from error
        if not torch.cuda.is_available():
            raise Refused("torch finds no GPU here; run this on a machine with one.")
        if options.library:
            return 0 if same_boxes(torch, nms, Library(torch, options.library)) else 1
        rows = measure(torch, nms, [int(part) for part in options.sizes.split(",")])
        if options.csv:
            with open(options.csv, "w", newline="", encoding="utf-8") as out:
                writer = csv.writer(out)
                writer.writerow(HEADING)
                writer.writerows(rows)
        if ours is not None:
            print("\n".join(beside(ours, rows)))
        return 0
    except Refused as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
