"""Names are cleaned where they enter, and what is printed is one line without anything that moves a cursor."""

import json
import unicodedata

import pytest

from embedlab.plain_text import clean_name, clean_note, printable, printable_json

HOSTILE = {
    "escape": "\x1b[2Jred",
    "bell": "a\x07b",
    "line feed": "a\nb",
    "carriage return": "a\rb",
    "next line": "a\x85b",
    "line separator": "a\u2028b",
    "CSI of one character": "a\x9b2Jb",
    "direction": "\u202etxt.exe",
    "no width": "a\u200bb\ufeff",
    "NUL": "a\0b",
    "surrogate": "a\ud800b",
}


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [("\x1b[2Jred", "[2Jred"), ("a\x07b", "ab"), ("a\r\n b", "a  b"), ("a\u2028b", "a b"), ("a\x85b", "a b"),
     ("\u202etxt.exe", "⟨U+202E⟩txt.exe"), ("a\u200bb\ufeff", "ab"), ("a\0b", "ab"), (" a  b\t", "a  b"),
     ("e\u0301", "é"), ("a\ud800", "a\ufffd"), ("\u200d\u200c", "\u200d\u200c"), (" \u202e\u200b ", ""), (7, "7")],
)  # fmt: skip
def test_a_name_by_hand(name, cleaned):
    assert clean_name(name) == cleaned


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_nothing_hostile_stays(name):
    for text in (clean_name(name), printable(name)):
        assert not any(unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") for each in text)
        assert "\u202e" not in text
    assert clean_name(clean_name(name)) == clean_name(name)
    assert clean_name(printable(name))


def test_a_note_has_lines():
    assert clean_note(" a\r\nb\tc\x1b[2J\u202e ") == "a\nb\tc[2J⟨U+202E⟩"


def test_json_reads_back_what_was_written():
    for value in HOSTILE.values():
        written = printable_json(json.dumps({"name": value}, ensure_ascii=False, indent=2))
        assert json.loads(written) == {"name": value}
        assert not any(unicodedata.category(each) == "Cc" for each in written.replace("\n", ""))
