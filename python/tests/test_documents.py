"""Runs the examples of the documentation."""

import contextlib
import doctest
import io
import re
import sqlite3

import obook
from obook import _library
from support import ROOT, WithBook

DOCUMENTS = ["docs/python.md", "python/README.md"]


class Documents(WithBook):
    def test_examples_print_what_the_documents_say(self) -> None:
        for document in DOCUMENTS:
            text = (ROOT / document).read_text()
            blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
            self.assertTrue(blocks, document)
            names: dict[str, object] = {}
            for block in blocks:
                with contextlib.chdir(self.folder):
                    if ">>>" in block:
                        self.check(block, document, names)
                    elif "obook.load(" in block and not _library.can_load(sqlite3.connect(":memory:")):
                        with self.assertRaises(obook.CannotLoad):
                            exec(compile(block, document, "exec"), names)
                    else:
                        with contextlib.redirect_stdout(io.StringIO()) as printed:
                            exec(compile(block, document, "exec"), names)
                        self.assertTrue(printed.getvalue(), block)

    def test_examples_of_the_package_print_what_it_says(self) -> None:
        found = doctest.DocTestFinder(exclude_empty=True).find(obook, "obook", module=False)
        texts = {test.name: test.docstring for test in found if test.examples}
        self.assertGreater(len(texts), 4)
        with contextlib.chdir(self.folder):
            for name, text in texts.items():
                self.check(text or "", name, {})

    def check(self, text: str, name: str, names: dict[str, object]) -> None:
        test = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
        self.assertTrue(test.examples)
        report = io.StringIO()
        failed = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=report.write, clear_globs=False)
        names.update(test.globs)
        self.assertEqual(failed.failed, 0, report.getvalue())
