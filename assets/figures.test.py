"""What figures.py must do, on texts made for it; and the glossary's form. Run from anywhere."""

import pathlib
import re
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import figures  # noqa: E402

LESSONS = HERE.parent / "lessons"


def lesson(text, rows):
    """A lesson of its own; rows are (text, source)."""
    folder = pathlib.Path(tempfile.mkdtemp()) / "01_made_up"
    folder.mkdir()
    (folder / "lesson.md").write_text(text)
    quote = lambda cell: '"' + cell.replace('"', '""') + '"'  # noqa: E731
    (folder / "figures.csv").write_text("text,source\n" + "".join(f"{quote(a)},{quote(b)}\n" for a, b in rows))
    made = figures.Lesson(folder, pathlib.Path("nowhere"))
    made.check()
    return made


class Shown(unittest.TestCase):
    def test_at_the_digits_quoted(self):
        for value, quoted, said in [(17.474, "17.5", "17.5"), (6.6608, "6.66", "6.66"), (708.5, "710", "708"),
                                    (9.996, "9.98", "10.0"), (0.0052266, "0.0052", "0.0052"), (0.4, "0.30", "0.40"),
                                    (1843.3, "1843", "1843"), (14.17, "14", "14"), (51.49, "0.00", "51.5"),
                                    (3636.04, "0000", "3636"), (-0.5, "−0.5", "−0.5"), (639, "88", "639"),
                                    (24.0, "23", "24"), (99.96, "98.1", "100"), (17296.3, "0000", "17296"), (99.6, "98", "100")]:
            self.assertEqual(figures.shown(value, quoted), said, (value, quoted))


class Check(unittest.TestCase):
    def test_what_is_right_passes(self):
        made = lesson("It took 5.1 µs, 14 % of\nall; 3.5 times.",
                      [("It took {5.1 µs}, {14 %} of all", "5.08; pct(1, 7)"), ("all; {3.5 times}", "7 / 2")])
        self.assertEqual((made.wrong, made.changes), ([], []))

    def test_another_value_is_a_change_and_update_writes_it(self):
        made = lesson("It took 5.1 µs.", [("took {5.1 µs}.", "6.04")])
        self.assertEqual([change[2] for change in made.changes], ["6.0 µs"])
        made.update()
        self.assertEqual(made.path.read_text(), "It took 6.0 µs.")
        self.assertIn("took {6.0 µs}.", made.csv.read_text())

    def test_a_figure_without_a_source_is_wrong(self):
        for text in ["It took 5.1 µs.", "14 % of it", "24 cycles", "1.28 times", "33 sectors a request", "4 GB/s",
                     "16384 bytes", "10 rounds", "60 MB", "652 ulp", "| what | bytes |\n| --- | ---: |\n| this | 51 |\n",
                     "| what | µs |\n| --- | ---: |\n| this | 5.1 |\n"]:
            self.assertEqual(len(lesson(text, []).wrong), 1, text)

    def test_what_is_none(self):
        for text in ["2 × 3 values", "n = 2^20", "`took 5.1 µs`", "```sh\n./run # 24 cycles\n```\n", "256 numbers", "32 bytes",
                     "## Predict\n2048 bytes\n## Look at\n", "| what | n |\n| --- | ---: |\n| this | 51 |\n"]:
            self.assertEqual(lesson(text, []).wrong, [], text)

    def test_what_is_not_there_is_wrong(self):
        self.assertEqual(len(lesson("It took 5.1 µs.", [("It takes {5.1 µs}.", "5.1")]).wrong), 2)   # and no source
        self.assertEqual(len(lesson("5.1 µs. 5.1 µs.", [("{5.1 µs}.", "5.1")]).wrong), 3)
        self.assertEqual(len(lesson("It took 5.1 µs.", [("It took {5.1 µs}.", "5.1; 6")]).wrong), 2)
        self.assertEqual(len(lesson("It took 5.1 µs.", [("It took {5.1 µs}.", "no_such(1)")]).wrong), 1)
        self.assertEqual(len(lesson("It took 5.1 µs.", [("It took {5.1 µs}.", "us('no such kernel')")]).wrong), 1)


class Recordings(unittest.TestCase):
    """Of a folder made for it, in the place of the recordings."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        (self.folder / "a_gpu" / "01_made_up").mkdir(parents=True)
        self.before, figures.RECORDED = figures.RECORDED, self.folder
        figures.recorded.cache_clear()

    def tearDown(self):
        figures.RECORDED = self.before
        figures.recorded.cache_clear()

    def test_the_operators_table(self):
        (self.folder / "a_gpu" / "01_made_up" / "operator.csv").write_text(
            "gpu,what,types,rows,dim,median_us,low_us,high_us,gb_per_s\n"
            "NVIDIA H200,operator,f16/f16,1024,4096,9.865,9.830,9.913,3401.5\n"
            "NVIDIA H200,copy,f16/f16,1024,4096,9.447,9.407,9.476,3552.0\n"
            "NVIDIA H200,operator,f16/f32,1024,4096,10.025,9.986,10.054,3347.0\n")
        made = lesson("It took 9.9 µs, the copy 9.4 µs.",
                      [("It took {9.9 µs}, the copy {9.4 µs}.", "operator_us('operator', 'f16/f16', 1024, 4096); "
                        "operator_us('copy', 'f16/f16', 1024, 4096)")])
        self.assertEqual((made.wrong, made.changes), ([], []))
        for source in ["operator_us('copy', 'f16/f32', 1024, 4096)", "operator_us('operator', 'f16/f16', 1024, 8192)"]:
            self.assertEqual(len(lesson("10.0 µs.", [("{10.0 µs}.", source)]).wrong), 1, source)

    def test_without_the_operators_table(self):
        made = lesson("10.0 µs.", [("{10.0 µs}.", "operator_us('copy', 'f16/f16', 1024, 4096)")])
        self.assertIn("add_rms_norm_bench --csv", made.wrong[0])

    def test_torchs_table_comes_after_the_lessons_own(self):
        row = '{"variant": "%s", "n": 4, "size": "%s", "element": "%s", "samples": 1, "median_us": %s}'
        (self.folder / "a_gpu" / "01_made_up" / "timings.json").write_text('{"rows": [%s]}' % row % ("best", "2×2", "f32", 3.0))
        (self.folder / "a_gpu" / "01_made_up" / "torch.json").write_text(
            '{"rows": [%s, %s]}' % (row % ("torch sum", "2×2", "f16", 5.0), row % ("torch sum", "2×2", "f32", 7.0)))
        made = lesson("3.0 µs, 7.0 µs.", [("{3.0 µs}, {7.0 µs}.", "us('best', size='2×2'); "
                                           "us('torch sum', size='2×2', element='f32')")])
        self.assertEqual((made.wrong, made.changes), ([], []))
        for source in ["us('best', size='2×4')", "us('torch sum', size='2×2', element='bf16')"]:
            self.assertEqual(len(lesson("3.0 µs.", [("{3.0 µs}.", source)]).wrong), 1, source)


class Glossary(unittest.TestCase):
    parts = re.findall(r"^## (.+)\n(.+)\n(.+)\n", (LESSONS / "GLOSSARY.md").read_text(), re.M)

    def test_a_heading_a_sentence_a_source(self):
        text = (LESSONS / "GLOSSARY.md").read_text()
        self.assertEqual(len(self.parts), text.count("\n## "))
        for term, sentence, source in self.parts:
            self.assertTrue(sentence.endswith(".") and len(sentence) <= 200, term)
            self.assertTrue(source.startswith("Source: "), term)
        terms = [term.lower() for term, _, _ in self.parts]
        self.assertEqual(terms, sorted(set(terms)))

    def test_each_text_links_its_first_use(self):
        slugs = {term.lower().replace(" ", "-") for term, _, _ in self.parts}
        linked = set()
        for path in sorted(LESSONS.glob("[0-9]*/lesson.md")):
            used = re.findall(r"\]\(\.\./GLOSSARY\.md#([^)]*)\)", path.read_text())
            self.assertTrue(used, path)
            self.assertEqual(set(used) - slugs, set(), path)
            self.assertEqual(len(used), len(set(used)), f"{path} links a term twice")
            linked |= set(used)
        # Terms that a learner must have met at the end.
        for slug in ["coalesced", "occupancy", "bandwidth", "latency", "wavefront", "throughput", "loads-in-flight",
                     "sectors-per-request", "lane-utilization", "bank-conflict", "useful-lanes", "undefined"]:
            self.assertIn(slug, linked)


class Terms(unittest.TestCase):
    def test_the_fields_terms(self):
        for path in [*LESSONS.glob("[0-9]*/lesson.md"), *LESSONS.glob("0*/kernels*.cuh")]:
            text = " ".join(path.read_text().split())
            for term in ["rung", "whoever", "people say", "lanes at work", "busy lane", "meeting", "hold still",
                         "n-way passes", "// Against "]:
                self.assertNotIn(term, text, path)


if __name__ == "__main__":
    unittest.main()
