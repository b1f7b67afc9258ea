"""What of torch_sums.py needs neither torch nor a GPU. Run from anywhere."""

import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import torch_sums  # noqa: E402


def row(variant, element, n, median, **more):
    return {"variant": variant, "element": element, "size": "", "against": "", "baseline": False, "limit": False,
            "on_cpu": False, "n": n, "block": 0, "value": 1.5, "error": 0.0, "within_bound": True, "median_us": median,
            "low_us": median, "high_us": median, "min_us": median, "max_us": median, "samples": 5, "outliers": 0, "bytes": 4000,
            **more}


def table(*rows):
    return {"lesson": "torch", "gpu": "A, B", "driver": "13.0", "date": "2026-11-21", "l2": "warm", "partial": "", "rows": rows}


class TorchSums(unittest.TestCase):
    def test_sizes_are_the_lessons(self):
        self.assertEqual(len(torch_sums.parse_sizes("table")), 9)
        self.assertEqual(torch_sums.parse_sizes("table")[1], (1 << 21, "1024×2048"))
        self.assertEqual([n for n, _ in torch_sums.parse_sizes("1000:5000")], [1000, 2000, 4000])
        self.assertEqual([n for n, _ in torch_sums.parse_sizes("2^30:2^36:x8")], [1 << 30, 1 << 33, 1 << 36])
        self.assertEqual([n for n, _ in torch_sums.parse_sizes("1:3:x1.01")], [1, 2, 3])
        self.assertEqual([n for n, _ in torch_sums.parse_sizes("1024:2048:+-1")], [1023, 1024, 1025, 2047, 2048])
        for text in ("", "5", "a:b", "1:2:3", "1:2:x", "1:2:x1", "0:8", "9:8", "3^4:100", "1:2:xnan"):
            with self.assertRaises(torch_sums.Refused, msg=text):
                torch_sums.parse_sizes(text)

    def test_spread(self):
        result = torch_sums.spread([float(i) for i in range(100, -1, -1)])
        self.assertEqual((result["median_us"], result["low_us"], result["high_us"]), (50, 5, 95))
        self.assertEqual((result["min_us"], result["max_us"], result["samples"]), (0, 100, 101))
        self.assertEqual(torch_sums.spread([10, 10, 10, 10, 20])["outliers"], 1)
        places = torch_sums.spread_over([[7, 8, 9], [10, 11, 12], [14, 15, 16]])
        self.assertEqual((places["median_us"], places["min_us"], places["max_us"], places["samples"]), ((8 + 11 + 15) / 3, 7, 16, 9))

    def test_csv_has_the_lessons_columns(self):
        source = (HERE.parent / "common/timing/timing_csv.cpp").read_text(encoding="utf-8")
        heading = "".join(re.findall(r'"([a-z0-9_,]+)(?:\\n)?"', source[source.index("std::string text ="):source.index("for (const Timing")]))
        self.assertEqual(torch_sums.CSV_HEADING, heading)
        lines = torch_sums.csv_text(table(row("torch.sum", "f16", 1000, 2.0))).splitlines()
        self.assertEqual(lines[0], heading)
        self.assertIn('torch,"A, B",13.0,2026-11-21,warm,torch.sum,f16,,1000,', lines[1])
        self.assertEqual(lines[1].replace('"A, B"', "A").count(","), heading.count(","))

    def test_compares_the_fastest_of_each_size(self):
        ours = table(row("slow", "f32", 10, 4.0), row("fast", "f32", 10, 2.0), row("CUB", "f32", 10, 3.0, baseline=True),
                     row("plain read", "f32", 10, 1.0, baseline=True, limit=True), row("fast", "f32", 20, 8.0),
                     row("fast", "f16", 20, 1.0), row("CUB", "f32", 20, 6.0, baseline=True))
        text = "\n".join(torch_sums.compare(ours, table(row("torch.sum", "f32", 10, 8.0), row("torch.sum", "f32", 20, 8.0))))
        self.assertIn("f32: 2.000 × torch.sum in geometric mean over 2 sizes, 1.000 × at worst", text)
        self.assertIn("f32: 1.061 × CUB in geometric mean over 2 sizes, 0.750 × at worst", text)
        self.assertIn("4.000  fast", text)

    def test_without_torch_it_says_so(self):
        # -S: no installed packages, whatever this machine has.
        done = subprocess.run([sys.executable, "-S", "-I", str(HERE / "torch_sums.py")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("torch is not installed", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
