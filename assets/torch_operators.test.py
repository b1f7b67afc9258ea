"""What of torch_add_rms_norm.py and torch_nms.py needs neither torch nor a GPU. Run from anywhere."""

import contextlib
import pathlib
import subprocess
import sys
import types
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


class FakeDevice:
    def __init__(self, type, index):
        self.type, self.index = type, index

    def __eq__(self, other):
        return (self.type, self.index) == (other.type, other.index)

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"


class FakeTensor:
    """As much of a torch tensor as the checks look at."""

    def __init__(self, shape, dtype="torch.float16", device=FakeDevice("cuda", 0), strides=None, memory=1024):
        self.shape, self.dtype, self.device, self.memory = shape, dtype, device, memory
        self.strides = strides or (shape[-1], 1)[-len(shape):]

    def dim(self):
        return len(self.shape)

    def stride(self, k):
        return self.strides[k]

    def is_contiguous(self):
        return self.strides[-1] == 1

    def data_ptr(self):
        return self.memory


class FakeCalls:
    """Stands in for the shared library: counts operators."""

    def __init__(self):
        self.created, self.ran = [], []

    def add_rms_norm_create(self, made, *description):
        self.created.append(description[:-2])
        return 0

    def add_rms_norm_workspace_size(self, made):
        return 0

    def add_rms_norm_run(self, *arguments):
        self.ran.append(arguments)
        return 0


class FakeTorch:
    """As much of torch as the custom op calls; there is one op, as there is one name."""
    float16, bfloat16, float32, uint8, contiguous_format, Tensor = "torch.float16", "torch.bfloat16", "torch.float32", "torch.uint8", "contiguous", FakeTensor

    def __init__(self):
        self.current, self.formats, self.streams = 0, [], []
        self.library = self.cuda = self

    def custom_op(self, name, mutates_args):
        def define(function):
            function.register_fake = lambda fake: setattr(function, "fake", fake)
            return function
        return define

    def empty_like(self, tensor, memory_format=None):
        self.formats.append(memory_format)
        contiguous = memory_format == self.contiguous_format
        return FakeTensor(tensor.shape, tensor.dtype, tensor.device, None if contiguous else tensor.strides)

    @contextlib.contextmanager
    def device(self, device):
        before, self.current = self.current, device.index
        yield
        self.current = before

    def current_stream(self):
        self.streams.append(self.current)
        return types.SimpleNamespace(cuda_stream=0)


class CustomOp(unittest.TestCase):
    def setUp(self):
        self.torch = FakeTorch()
        self.library = object.__new__(torch_add_rms_norm.Library)   # without a file
        self.library.calls, self.library.made = FakeCalls(), {}
        self.op = torch_add_rms_norm.custom_op(self.torch, self.library)

    def test_what_it_does_not_take_is_a_sentence(self):
        cpu, other = FakeDevice("cpu", None), FakeDevice("cuda", 1)
        matrix, row = FakeTensor((4, 8)), FakeTensor((8,))
        for a, b, weight, sentence in (
                (FakeTensor((4, 8), device=cpu), matrix, row, "a is on cpu; add_rms_norm takes tensors on a CUDA device: call cuda() first."),
                (matrix, FakeTensor((4, 8), device=other), row, "b is on cuda:1 and a is on cuda:0; give all three on one device."),
                (matrix, matrix, FakeTensor((8,), device=cpu), "weight is on cpu; add_rms_norm takes tensors on a CUDA device: call cuda() first."),
                (FakeTensor((4, 8), "torch.float64"), matrix, row, "a is of torch.float64; give one of torch.float16, torch.bfloat16, torch.float32."),
                (matrix, matrix, FakeTensor((8,), "torch.int8"), "weight is of torch.int8; give one of torch.float16, torch.bfloat16, torch.float32."),
                (matrix, FakeTensor((4, 8), "torch.float32"), row, "a is of torch.float16 and b of torch.float32; give both in one type."),
                (matrix, FakeTensor((4, 9)), row, "add_rms_norm takes two tensors of (rows, dim) and a weight of (dim), not (4, 8), (4, 9) and (8,)."),
                (matrix, FakeTensor((4, 8), strides=(1, 4)), row, "add_rms_norm takes rows without gaps; call contiguous() first.")):
            with self.assertRaises(ValueError) as raised:
                self.op(a, b, weight, 1e-6)
            self.assertEqual(str(raised.exception), sentence)
        self.assertEqual(self.library.calls.created, [])

    def test_one_operator_for_each_device(self):
        for index in (0, 1, 0, 1):
            device = FakeDevice("cuda", index)
            self.op(FakeTensor((4, 8), device=device), FakeTensor((4, 8), device=device), FakeTensor((8,), device=device), 1e-6)
        self.assertEqual(len(self.library.calls.created), 2)
        self.assertEqual(len(self.library.calls.ran), 4)
        self.assertEqual(self.torch.streams, [0, 1, 0, 1])   # of the tensors' device, though 0 is the current one

    def test_the_fake_has_the_layout_of_the_results(self):
        apart = FakeTensor((4, 8), strides=(16, 1))
        real, fake = self.op(apart, apart, FakeTensor((8,)), 1e-6), self.op.fake(apart, apart, FakeTensor((8,)), 1e-6)
        self.assertEqual([tensor.strides for tensor in fake], [tensor.strides for tensor in real])
        self.assertEqual(self.torch.formats[2], "contiguous")


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
