"""A text file too large for the memory is read as one that is not: the same table, the same notes and errors."""

import gzip
import json

import pytest

from embedlab import table_files
from embedlab.corpora.files import read_table
from embedlab.corpora.formats import characters, delimited, records
from embedlab.corpora.proposal import Reading
from embedlab.errors import CorpusError

RECORDS = [
    {"text": "a", "n": 1, "l": ["x"], "m": 1},
    {"text": None, "n": 2.5, "b": True, "m": "s"},
    {"text": "\ud800x", "l": None, "d": {"a": 1}, "b": None},
    {"text": "c", "n": None, "l": ["y", "\udc00"], "b": 2},
]
JAPANESE = "日本語のテキストです,ラベル\n" * 8
FILES = {
    "plain.csv": "text,label\n" + "".join(f'"a text, number {n}",c{n % 3}\n' for n in range(50)),
    "line ends.csv": 'text,label\r\n"a\r\ntext",x\r\none two,y\rthree,z\n',
    "no header.csv": "".join(f"{n},a long text of many words here {n},{n * 2}\n" for n in range(30)) + "1,2,3,4,5\n",
    "ragged.csv": "text,label,x\none two,a\nb b b,b,1,2,3\n,,\n\nc c,c,4\n",
    "open quote.csv": 'text,label\n"one,a\ntwo,b\n',
    "after a quote.csv": 'text,label\n"one"x,a\n"two",b\n',
    "quotes.tsv": 'text\tlabel\na "quoted\tx\n"b c\ty\r\n\nlast\tz',
    "lines.txt": 'one line here\n"two, lines\nthree\n\n   \nfour\rfive\n',
    "same names.csv": "text,text,\na b,c,d\n",
    "marked.csv": b"\xef\xbb\xbf" + "text,label\né,a\nö,b\n".encode(),
    "utf-16.csv": "text,label\né one,a\nö two,b\n".encode("utf-16"),
    "utf-16 without a mark.csv": "text,label\nsome one,a\nsome two,b\n".encode("utf-16-le"),
    "western.csv": ("text,label\n" + "Größe und Übermut müssen für Schüler schön sein,ä\n" * 5).encode("cp1252"),
    "japanese.csv": ("text,label\n" + JAPANESE).encode("shift_jis"),
    "broken.csv": b"text,label\nok,a\nand so " + b"\xff\xfe\x81\x8d" * 3 + b",b\n",
    "cut in a character.csv": "text,label\nok é,a\nok ".encode() + b"\xc3",
    "zero bytes.csv": b"te\0xt\0,l\0abel\n" + b"\0\0\0\0,\0\n" * 10,
    "blank.csv": b"\n\n  \n",
    "records.jsonl": "\n".join(map(json.dumps, RECORDS)) + "\n",
    "bad lines.jsonl": '{"text":"a"}\nnope\n[1]\n\n{"text":"b","z":[1,2]}\n',
    "many bad lines.jsonl": '{"text":"a"}\n' + "x\n" * 101,
    "list.json": '[{"text":"a","s":["x"]},{"text":"b","t":7}]',
    "no column.json": "{}",
    "not json.json": "{nope\nyes,1\n",
}


def seen(path, encoding) -> tuple:
    """Names, types, cells and notes of a table, or why there is none."""
    try:
        table = read_table(path, Reading(encoding=encoding))
    except CorpusError as error:
        return error.code, error.message
    columns = table.columns
    return columns.column_names, columns.schema.types, columns.to_pydict(), [note.message for note in table.notes]


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_a_streamed_file_is_the_file(store, tmp_path, monkeypatch, name, is_packed):
    content = FILES[name] if isinstance(FILES[name], bytes) else FILES[name].encode()
    path = tmp_path / f"{name}.gz" if is_packed else tmp_path / name
    path.write_bytes(gzip.compress(content) if is_packed else content)
    encodings = (None, "utf-8", "cp1252")
    held = [seen(path, encoding) for encoding in encodings]
    monkeypatch.setattr(table_files, "HELD_BYTES", 10)
    monkeypatch.setattr(delimited, "SQUARED_ROWS", 3)
    monkeypatch.setattr(records, "RECORDS_AT_ONCE", 2)
    for size in (5, 1000):
        monkeypatch.setattr(characters, "BYTES_AT_ONCE", size)
        assert [seen(path, encoding) for encoding in encodings] == held
    assert not list((store / "scratch").glob("[!.]*"))
