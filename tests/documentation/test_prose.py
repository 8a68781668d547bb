"""The prose of documentation strings, and the corpus gathered from a library made here."""

import ast
import importlib
import inspect
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from embedlab.corpora import docs, load_corpus, source_of
from embedlab.corpora.base import Draft, remember, store_corpus
from embedlab.corpora.docs import DocsSource, TopicsSource
from embedlab.corpora.proposal import Reading
from embedlab.documentation import docstrings as gathering
from embedlab.documentation import topics
from embedlab.documentation.docstrings import TOPIC_OF, TOPICS, docstrings, documented
from embedlab.documentation.prose import prose
from embedlab.errors import CorpusError
from embedlab.import_path import import_path
from embedlab.progress import silent

READING = {**os.environ, "PYTHONPATH": import_path()}
NUMPY_STYLE = """
    Sail against the wind by turning often. The boat cannot go straight, see :class:`~boats.hull.Keel` and [1]_.

    Parameters
    ----------
    boat : Boat
        The boat that is to be sailed against the wind today.

    .. math:: x = y

    Notes
    -----
    Only ``half`` of the speed remains in this `mode <https://example.org>`_. For example::

        sail(boat, wind)

    .. note:: Take care of the boom, which swings.
       It hurts when it hits the head.

    .. versionadded:: 1.0

    ====  ====
    a     b
    ====  ====

    See Also
    --------
    anchor : The opposite of sailing, in a way it is.

    Examples
    --------
    Here is how a boat is sailed in practice:

    >>> sail(1)
    2
"""

GOOGLE_STYLE = """Read the chart of a harbor before entering it.

Args:
    chart (str): The chart that is read, a long one.

        It may have been drawn by hand, or not.
    depth (int): How deep it is.

Returns:
    A course that leads into the harbor.

It warns of shallow water; this is only a guess. The guess is often right.

- A list entry that is a whole sentence of its own.
- short

:param x: a parameter in another style which is dropped
```python
code(here)
```
"""


def test_prose_of_a_numpy_docstring():
    assert prose(NUMPY_STYLE) == (
        "Sail against the wind by turning often. The boat cannot go straight, see Keel and. "
        "Only half of the speed remains in this mode. "
        "Take care of the boom, which swings. It hurts when it hits the head."
    )


def test_prose_of_a_google_docstring():
    assert prose(GOOGLE_STYLE) == (
        "Read the chart of a harbor before entering it. It warns of shallow water; this is only a guess. "
        "The guess is often right. A list entry that is a whole sentence of its own."
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("One two three four five.", "One two three four five."),
        ("One two three four.", ""),  # too few words to be read
        ("The boat can do this:\nit turns against the wind.", "The boat can do this: it turns against the wind."),
        ("Sail on when the wind turns.\n\nboat:\n    It turns against the wind.", "Sail on when the wind turns."),
        ("Here is how a boat turns:", ""),
        ("- A first entry without an end\nA paragraph after it that is long.", "A paragraph after it that is long."),
    ],
)
def test_where_a_paragraph_ends(written, expected):
    assert prose(written) == expected


@pytest.mark.parametrize(
    "nothing", ["", "  \n ", ">>> a = 1", "\nx : int\n    The value of it all is here.", "---\n---"]
)
def test_what_is_no_prose_is_empty(nothing):
    assert prose(nothing) == ""


def test_documentation_strings_by_line_with_qualified_names(tmp_path):
    file = tmp_path / "pack.py"
    source = b'"""M."""\ndef f():\n    """F."""\n'
    file.write_bytes(source + b'class C:\n    """C."""\n    def g(self):\n        """G."""\nasync def h(): "x"\n')
    assert list(docstrings(file, "pack")) == [
        ("pack", "M."),
        ("pack.f", "F."),
        ("pack.C", "C."),
        ("pack.C.g", "G."),
        ("pack.h", "x"),
    ]


ODD = '''
import functools
"""No documentation string: an import stands before it."""

@functools.cache
def decorated(one="""no""", *, other=lambda: """no"""):
    """Decorated.
  Farther left."""
    text = """
at the margin""" + f"""
{one} and {other}"""
    def inner():
        """Inner."""
        return lambda: """no"""
    if one:
        def below():
            """Below an if."""
    return [inner for each in text]

class Outer(dict):
    __doc__ = (
        """Named """
        + functools.__name__
    )
    def method(self): """On one line."""
    class Within:
        r"""Within. \\d"""
        number: int = 1
        @property
        def value(self) -> "str":
            """Value."""
    try:
        def tried(self):
            """Below a try."""
    except ImportError:
        pass

class Copied:
    __doc__ = Outer.__doc__
    def without(self):
        return """no"""

def empty():
    f"""No {1}"""
'''


def of_the_syntax_tree(source: str, name: str) -> list[tuple[str, str]]:
    """The same by Python's own parser."""
    found, waiting = [], [(name, ast.parse(source))]
    while waiting:
        name, node = waiting.pop(0)
        if docstring := ast.get_docstring(node, clean=False):
            found.append((name, docstring))
        inner = [each for each in node.body if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]
        waiting = [(f"{name}.{each.name}", each) for each in inner] + waiting
    return found


@pytest.mark.parametrize("is_cached", [False, True])
@pytest.mark.parametrize("of", ["odd", "dataclasses", "argparse", "typing", "unittest.mock"])
def test_they_are_those_of_the_syntax_tree_compiled_here_or_before(tmp_path, monkeypatch, of, is_cached):
    source = ODD if of == "odd" else inspect.getsource(importlib.import_module(of))
    file = tmp_path / "pack.py"
    file.write_text(source, encoding="utf-8")
    if is_cached:
        py_compile.compile(str(file), doraise=True)
        monkeypatch.setattr(gathering, "InspectLoader", None)  # not needed
    found = [(name, inspect.cleandoc(text)) for name, text in docstrings(file, "pack")]
    assert found == [(name, inspect.cleandoc(text)) for name, text in of_the_syntax_tree(source, "pack")]
    assert len(found) > 3


def test_a_changed_file_is_not_read_from_the_cache(tmp_path):
    file = tmp_path / "pack.py"
    file.write_text('"""Before."""\n')
    py_compile.compile(str(file), doraise=True)
    file.write_text('"""And after."""\n')
    assert list(docstrings(file, "pack")) == [("pack", "And after.")]


def test_a_file_that_is_no_python_is_passed_over(tmp_path):
    (tmp_path / "pack.py").write_bytes(b'def (:\n"""a"""')
    assert list(docstrings(tmp_path / "pack.py", "pack")) == []


@pytest.fixture
def library(tmp_path, monkeypatch):
    """An installed distribution ``toyboats`` of two subpackages, one of them without a topic."""
    site = tmp_path / "site"
    record = []
    for name, count in (("toyboats/sails", 45), ("toyboats/oars", 3), ("toyboats/tests", 50)):
        (site / name).mkdir(parents=True)
        functions = [
            f"def f{n}():\n    '''Function number {n} of {name} steers the boat into a harbor to the north. "
            f"It needs a steady wind from behind, a good chart, and somebody at the bow who is watching out.'''\n"
            for n in range(count)
        ]
        (site / name / "a.py").write_text(
            "".join(functions) + f"raise SystemExit('{name} was run')\n", encoding="utf-8"
        )
        record.append(f"{name}/a.py,,")
    (site / "toyboats-1.2.dist-info").mkdir()
    (site / "toyboats-1.2.dist-info" / "METADATA").write_text("Name: toyboats\nVersion: 1.2\n", encoding="utf-8")
    (site / "toyboats-1.2.dist-info" / "RECORD").write_text("\n".join(record), encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(gathering, "TOPIC_OF", {"toyboats.sails": "Sailing"})
    return "toyboats"


def test_a_plain_script_is_not_run_again_by_its_readers_and_a_killed_one_costs_no_text(tmp_path):
    script = tmp_path / "reads.py"  # without ``if __name__ == "__main__"``, as people write them
    script.write_text(
        f"""
import os, signal, subprocess
from pathlib import Path
from embedlab.documentation import docstrings
files = [("numpy", "numpy.linalg.m", Path({str(__file__)!r}))] * docstrings.SHARED_FROM
read = docstrings._read(files)
first, killed, idle = next(read), docstrings._reader(), docstrings.SimpleQueue()
killed.kill()
idle.put(killed)
assert docstrings._by_reader(idle, files[:3]) == [first] * 3 and list(read) == [first] * (len(files) - 1)
print("read", len(first))
""",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], env=READING, capture_output=True, text=True, timeout=100)
    assert done.stdout.split() == ["read", str(len(documented(("numpy", "numpy.linalg.m", Path(__file__)))))], done


def test_processes_that_read_end_with_a_killed_parent():
    code = f"""
from pathlib import Path
from embedlab.documentation import docstrings
read = docstrings._read([("numpy", "numpy.linalg.m", Path({str(__file__)!r}))] * docstrings.SHARED_FROM)
next(read)
print("read", flush=True)
input()
"""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": READING}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as parent:
        assert parent.stdout.readline() == b"read\n"
        begun = psutil.Process(parent.pid).children()
        assert len(begun) == 2
        parent.kill()
    _, left = psutil.wait_procs(begun, timeout=60)
    for process in left:
        process.kill()
    assert not left


def load_docs(*libraries: str, progress=silent):
    return DocsSource(libraries).load("docs", Reading(), progress)


def test_docs_gathers_without_importing_what_has_a_topic_and_labels_it_in_plain_words(store, library):
    steps = []
    corpus = load_docs(library, "not-installed", progress=lambda *step: steps.append(step))
    assert corpus.info.texts == 45
    assert [size.label for size in corpus.info.classes] == ["Sailing"]
    assert set(corpus.column("subpackage")) == {"toyboats.sails"}
    assert corpus.titles[0] == "toyboats.sails.a.f0"
    assert set(corpus.column("package")) == {"toyboats"}
    assert corpus.info.versions == {"toyboats": "1.2"}
    assert "not-installed" in corpus.info.notes[0].message
    assert steps[0] == ("Collecting documentation of toyboats", 0, 1)


def test_the_demos_corpus_has_some_texts_of_its_topics_alone(store, library, monkeypatch):
    monkeypatch.setattr(topics, "TOPICS", ("Sailing",))
    monkeypatch.setattr(topics, "TEXTS_EACH", 20)
    monkeypatch.setitem(gathering.TOPIC_OF, "toyboats.oars", "Rowing")
    everything = load_docs(library)
    corpus = TopicsSource((library,)).load("docs-topics", Reading())
    assert corpus.info.source == "docs-topics" and set(corpus.labels) == {"Sailing"}
    assert len(corpus.texts) == 20 and set(corpus.texts) < set(everything.texts)
    assert len(everything.texts) == 48
    assert source_of("docs-topics").key == "docs-topics" and source_of("docs").key == "docs"


def test_docs_is_gathered_once_for_the_same_versions(store, library, monkeypatch):
    first = load_docs(library)
    monkeypatch.setattr(docs, "gather", lambda *_, **__: pytest.fail("gathered again"))
    assert load_docs(library).fingerprint == first.fingerprint


def test_a_copy_stored_by_the_older_labels_keeps_its_fingerprint_and_opens(store, library):
    """Until rule 2 the label was package.subpackage; the store of such a user still holds that corpus."""
    new = load_docs(library)
    texts, labels = list(new.texts), ["toyboats.sails"] * len(new.texts)
    old = store_corpus(Draft(name="docs", source="docs", texts=texts, labels=labels))
    remember('docs rule 1 {"toyboats": "1.2"}', old)
    assert old.fingerprint != new.fingerprint == load_docs(library).fingerprint
    opened = load_corpus(old.fingerprint)
    assert opened.fingerprint == old.fingerprint and opened.info.classes[0].label == "toyboats.sails"


def test_the_topics_are_about_twenty_five_plain_words_and_no_subpackage_has_two():
    listed = [subpackage for subpackages in TOPICS.values() for subpackage in subpackages]
    assert 20 <= len(TOPICS) <= 30 and len(listed) == len(set(listed))
    assert all("." not in topic and "_" not in topic for topic in TOPICS)
    assert TOPIC_OF["scipy.stats"] == "Statistics" and TOPIC_OF["pandas.core"] == "Tables"


def test_docs_without_any_library_is_refused(store):
    with pytest.raises(CorpusError, match="requirements"):
        load_docs("not-installed")
