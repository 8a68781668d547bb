"""Texts of a pretraining: where they come from, and that none is a copy of one that is kept out."""

import re
import sys
from collections import Counter
from difflib import SequenceMatcher
from importlib.metadata import version
from pathlib import Path

import pytest

from embedlab.corpora import load_corpus
from embedlab.encoders import pretraining
from embedlab.encoders.pretraining import texts
from embedlab.encoders.pretraining.__main__ import DEMO
from embedlab.encoders.pretraining.texts import documentation, packages, runs_of_words, without_copies

WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen".split()
FILLER = "Quite another text about the weather in the mountains, which has nothing to do with counting at all"


def test_runs_have_twelve_words_each_whatever_stands_between_them():
    assert runs_of_words(" ".join(WORDS)) == {" ".join(WORDS[start : start + 12]) for start in range(3)}
    assert runs_of_words(", ".join(WORDS[:12]).upper()) == {" ".join(WORDS[:12])}
    assert runs_of_words("One: TWO") == {"one two"}


def test_a_shared_run_of_twelve_words_makes_a_copy_and_one_of_eleven_does_not():
    twelve, eleven = (f"{FILLER}. {' '.join(WORDS[:count])} {FILLER[::-1]}" for count in (12, 11))
    kept_out = ["before " + " ".join(WORDS) + " behind"]
    assert without_copies([twelve, eleven], kept_out) == [eleven]
    assert without_copies([twelve], kept_out) == []


def test_nearly_the_same_words_make_a_copy_without_any_long_run():
    """Every tenth word is another one, so that no run is shared."""
    sentence = [f"word{number}" for number in range(100)]
    near = [f"new{number}" if number % 10 == 9 else word for number, word in enumerate(sentence)]
    far = [f"new{number}" if number % 2 else word for number, word in enumerate(sentence)]
    kept_out, both = [" ".join(sentence), FILLER], [" ".join(near), " ".join(far)]
    assert not runs_of_words(both[0]) & runs_of_words(kept_out[0])
    assert without_copies(both, kept_out) == [both[1]]


def test_every_package_has_an_open_licence_and_the_extra_ones_are_those_of_the_requirements():
    rows = packages()
    names = [row["package"] for row in rows]
    assert len(names) == len(set(names))
    open_licences = {"BSD-3-Clause", "BSD-2-Clause", "Apache-2.0", "MIT", "ISC", "PSF-2.0"}
    assert {row["licence"] for row in rows} <= open_licences and {row["where"] for row in rows} == {
        "installed",
        "extra",
    }
    requirements = Path(pretraining.__file__).with_name("requirements.txt").read_text(encoding="utf-8")
    pinned = set(re.findall(r"^([\w.-]+)==[\w.]+$", requirements, re.MULTILINE))
    assert {row["package"] for row in rows if row["where"] == "extra"} <= pinned <= set(names)


@pytest.fixture
def extra(tmp_path, monkeypatch) -> Path:
    """A folder with a package of its own, another version of numpy, and a standard library of one file."""
    for name, number, said in [("kept-apart", "1.0", "The extra package"), ("numpy", "99", "Another release")]:
        module = tmp_path / "extra" / name.replace("-", "_")
        (module / "tests").mkdir(parents=True)
        (module / "__init__.py").write_text(f'"""{said} has a documentation string of more than sixty characters."""')
        (module / "tests" / "test_it.py").write_text(
            '"""Tests are no documentation, however long their own strings may be."""'
        )
        (module / "short.py").write_text('"""Too short."""')
        facts = tmp_path / "extra" / f"{module.name}-{number}.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n")
        inside = [f"{module.name}/{file}" for file in ("__init__.py", "short.py", "tests/test_it.py")]
        (facts / "RECORD").write_text("".join(f"{file},,\n" for file in inside))
    standard = tmp_path / "standard"
    standard.mkdir()
    (standard / "one.py").write_text(
        '"""The extra package has a documentation string of more than sixty characters."""'
    )
    rows = [{"package": name, "licence": "MIT", "where": "extra"} for name in ("kept-apart", "numpy", "not-there")]
    monkeypatch.setattr(texts, "packages", lambda: rows)
    monkeypatch.setattr(texts.sysconfig, "get_path", lambda name: str(standard))
    return tmp_path / "extra"


def test_documentation_is_read_from_the_extra_folder_first_and_each_text_once(extra):
    gathered, read = documentation(extra)
    ends = "has a documentation string of more than sixty characters."
    assert gathered == [f"The extra package {ends}", f"Another release {ends}"]
    library = ("Python's standard library", ".".join(map(str, sys.version_info[:2])), "PSF-2.0")
    assert read == [("kept-apart", "1.0", "MIT"), ("numpy", "99", "MIT"), library]
    _, installed = documentation(None)
    assert installed == [("numpy", version("numpy"), "MIT"), library]


PIECE = 20  # characters
_NOT_A_LETTER = re.compile(r"[\W_]+")


def pieces_of(text: str) -> set[str]:
    letters = _NOT_A_LETTER.sub("", text.casefold())
    return {letters[start : start + PIECE] for start in range(len(letters) - PIECE + 1)}


def near_copies(some: list[str], others: list[str]) -> list[tuple[str, str]]:
    """Pairs of which 95 words of 100 are the same, in order (difflib); found by pieces of twenty letters.

    Texts made after one pattern are no copies of each other: those of argmin and argmax agree in 26 words of 28.
    """
    holders: dict[str, list[int]] = {}
    for row, text in enumerate(others):
        for piece in pieces_of(text):
            holders.setdefault(piece, []).append(row)
    pairs = []
    for text in some:
        pieces = pieces_of(text)
        shared = Counter(row for piece in pieces for row in holders.get(piece, ()))
        for row, count in shared.most_common(3):
            is_likely = count >= 0.4 * max(len(pieces), 1)
            words, theirs = text.split(), others[row].split()
            if is_likely and SequenceMatcher(None, words, theirs, autojunk=False).ratio() >= 0.95:
                pairs.append((text, others[row]))
    return pairs


@pytest.mark.slow  # reads every installed package
def test_no_text_of_the_demo_nor_a_near_copy_is_among_the_documentation_that_was_read(store):
    demo = list(load_corpus(DEMO).texts)
    gathered, _ = documentation(None)
    copies = {text for text, _ in near_copies(gathered, demo)}
    learned = without_copies(gathered, demo)
    assert len(copies) >= 0.9 * len(demo)  # docs itself is documentation: what is looked for can be found
    assert copies.isdisjoint(learned) and len(learned) > 0.8 * len(gathered)
    assert len(demo) > 1_400
