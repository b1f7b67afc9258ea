"""What of torch_rows.py needs neither torch nor a GPU. Run from anywhere."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import torch_rows  # noqa: E402


class TorchRows(unittest.TestCase):
    def test_shapes_are_the_lessons(self):
        shapes = torch_rows.parse_shapes("", "softmax")
        self.assertEqual(len(shapes), 12)
        self.assertEqual(torch_rows.size_of("softmax", *shapes[1]), "1024×4096")
        source = (HERE.parent / "common/timing/sizes.cpp").read_text(encoding="utf-8")
        self.assertIn("rows : {%s}" % ", ".join(map(str, torch_rows.ROWS)), source)
        self.assertIn("columns : {%s}" % ", ".join(map(str, torch_rows.COLUMNS)), source)
        self.assertEqual(torch_rows.parse_shapes("", "dot")[0], (1, 1 << 16))
        self.assertEqual(torch_rows.parse_shapes("3x2^10,1x7", "rms_norm"), [(3, 1024), (1, 7)])
        for text in ("5", "ax3", "3x", "0x4", "4x0", "3*4"):
            with self.assertRaises(torch_rows.Refused, msg=text):
                torch_rows.parse_shapes(text, "softmax")

    def test_bytes_are_what_a_call_must_move(self):
        self.assertEqual(torch_rows.bytes_of("softmax", 4, 8, 2), 2 * 4 * 8 * 2)
        self.assertEqual(torch_rows.bytes_of("layer_norm", 4, 8, 4), 2 * 4 * 8 * 4 + 2 * 8 * 4)
        self.assertEqual(torch_rows.bytes_of("dot", 1, 100, 4), 2 * 100 * 4 + 4)

    def test_refusals_are_sentences(self):
        for arguments, part in ((["--operator", "softmax", "--types", "f8"], "--types f8 is not one of f32, f16, bf16."),
                                (["--operator", "softmax", "--shapes", "5"], "'5' is no shape")):
            answer = subprocess.run([sys.executable, HERE / "torch_rows.py", *arguments], capture_output=True, text=True)
            self.assertEqual(answer.returncode, 2, answer.stderr)
            self.assertIn(part, answer.stderr)

    def test_what_was_measured_is_kept_where_the_run_is_ended(self):
        a_row = {"variant": "torch softmax", "element": "f16", "size": "4×8", "median_us": 5.0, "low_us": 4.0, "high_us": 6.0,
                 "bytes": 128, "within_bound": True}
        before = signal.getsignal(signal.SIGTERM)
        self.addCleanup(signal.signal, signal.SIGTERM, before)

        def measured(*_):
            if measured.calls:
                os.kill(os.getpid(), signal.SIGTERM)
            measured.calls += 1
            return [a_row]
        measured.calls = 0
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(
            is_available=lambda: True, empty_cache=lambda: None, OutOfMemoryError=MemoryError))
        table = {"gpu": "a GPU", "method": "a method", "partial": "", "notes": [], "rows": []}
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.dict(sys.modules, torch=torch), mock.patch.object(torch_rows, "measure", measured), \
                mock.patch.object(torch_rows, "table_of", lambda *_: table), mock.patch("builtins.print"), \
                mock.patch.object(sys, "argv", ["torch_rows.py", "--operator", "softmax", "--types", "f16", "--shapes",
                                                "4x8,8x8", "--json", folder + "/torch.json"]):
            self.assertEqual(torch_rows.main(), 3)
            kept = json.loads(pathlib.Path(folder, "torch.json").read_text(encoding="utf-8"))
        self.assertEqual((kept["rows"], kept["partial"]), ([a_row], "interrupted"))


if __name__ == "__main__":
    unittest.main()
