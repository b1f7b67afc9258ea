"""What of torch_add_rms_norm.py and torch_nms.py needs neither torch nor a GPU. Run from anywhere."""

import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import torch_add_rms_norm  # noqa: E402
import torch_nms  # noqa: E402


def ours(what, types, rows, dim, median):
    return {"what": what, "types": types, "rows": str(rows), "dim": str(dim), "median_us": str(median)}


class AddRmsNorm(unittest.TestCase):
    def test_sizes_and_types(self):
        self.assertEqual(torch_add_rms_norm.sizes_of("4096x8192,1x7"), [(4096, 8192), (1, 7)])
        for wrong in ("4096", "0x5", "axb", "4x5x6", "4x"):
            with self.assertRaises(torch_add_rms_norm.Refused):
                torch_add_rms_norm.sizes_of(wrong)
        self.assertEqual(len(torch_add_rms_norm.pairs_of("")), 7)
        with self.assertRaises(torch_add_rms_norm.Refused):
            torch_add_rms_norm.pairs_of("f32/f16")

    def test_percentile_is_between_two_samples(self):
        self.assertEqual(torch_add_rms_norm.percentile([1, 2, 4], 0.5), 2)
        self.assertEqual(torch_add_rms_norm.percentile([1, 2, 4], 0.75), 3)

    def test_comparison_names_what_is_slower(self):
        table = [ours("operator", "f16/f16", 4, 8, 10), ours("copy", "f16/f16", 4, 8, 9), ours("operator", "f32/f32", 4, 8, 40)]
        torchs = [("gpu", "eager", "f16/f16", 4, 8, 20.0), ("gpu", "compile", "f16/f16", 4, 8, 9.0),
                  ("gpu", "eager", "f32/f32", 4, 8, 80.0), ("gpu", "eager", "f32/f32", 5, 8, 80.0)]
        lines = torch_add_rms_norm.compare(table, torchs)
        self.assertEqual(len(lines), 1 + 3 + 2)
        self.assertIn("90.0", lines[1])
        self.assertTrue(lines[2].endswith("slower"))
        self.assertTrue(lines[4].startswith("2.000 × torch eager in geometric mean over 2 cells, 2.000 ×"))
        self.assertTrue(lines[5].startswith("0.900 × torch compile"))


class Nms(unittest.TestCase):
    def test_beside(self):
        table = [{"what": "nms", "boxes": "same", "n": "1000", "median_us": "50"}]
        lines = torch_nms.beside(table, [("gpu", "torchvision", "same", 1000, 1, "400.00", "1", "2"), ("gpu", "torchvision", "apart", 1000, 1, "1", "1", "1")])
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[1].endswith("8.0"))


class Programs(unittest.TestCase):
    def test_refusals_are_sentences_and_status_2(self):
        for script, arguments, named in (("torch_add_rms_norm.py", ["--sizes", "5"], "--sizes 5"),
                                         ("torch_add_rms_norm.py", ["--types", "f8"], "--types f8"),
                                         ("torch_add_rms_norm.py", ["--against", "/nowhere"], "--against /nowhere"),
                                         ("torch_nms.py", ["--sizes", "x"], "--sizes x"),
                                         ("torch_nms.py", ["--against", str(HERE / "torch_nms.py")], "no table")):
            ended = subprocess.run([sys.executable, str(HERE / script), *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(ended.returncode, 2, script)
            self.assertIn(named, ended.stderr)
            self.assertNotIn("Traceback", ended.stderr)


if __name__ == "__main__":
    unittest.main()
