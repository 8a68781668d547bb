"""Reading files: the content decides; delimiters, headers, encodings and types; what is refused and how."""

import csv
import gzip
import io
import itertools
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab import limits
from embedlab.corpora import load_corpus, propose
from embedlab.corpora.files import read_table
from embedlab.corpora.proposal import Reading
from embedlab.errors import CorpusError

TEXTS = [f"This is text number {n}, and it is about ships; nothing | else." for n in range(12)]
LABELS = [("harbor", "engine", "crew")[n % 3] for n in range(12)]
FOREIGN = "Über naïve cafés à la carte, ça coûte très cher; größer wäre schöner."


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def delimited(rows, delimiter=","):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue()


def refused(path, reading=Reading(), name=""):  # noqa: B008
    with pytest.raises(CorpusError) as raised:
        read_table(path, reading, name=name)
    return raised.value


@pytest.mark.parametrize(
    ("delimiter", "header", "ragged"), list(itertools.product([",", ";", "\t", "|"], [True, False], [True, False]))
)
def test_delimiter_and_header_are_found_and_ragged_rows_named(tmp_path, store, delimiter, header, ragged):
    rows = [[text, label] for text, label in zip(TEXTS, LABELS, strict=True)]
    if ragged:
        rows[4] = rows[4][:1]
    content = delimited([["text", "label"], *rows] if header else rows, delimiter)
    corpus = load_corpus(str(written(tmp_path / "table.dat", content)))
    assert corpus.texts == TEXTS
    expected = [None if ragged and row == 4 else label for row, label in enumerate(LABELS)]
    assert corpus.labels.tolist() == expected
    ragged_notes = [note.message for note in corpus.info.notes if note.code == "W-RAGGED"]
    assert bool(ragged_notes) == ragged
    assert not ragged or "1 row (5)" in ragged_notes[0]


def test_a_row_with_too_many_cells_keeps_them(tmp_path):
    path = written(tmp_path / "t.csv", "label,text\na,one\nb,two, and more\n")
    table = read_table(path)
    assert table.columns.column("text").to_pylist() == ["one", "two, and more"]
    assert "1 row (2)" in table.notes[0].message


def test_csv_cells_stay_what_they_are(tmp_path, store):
    path = written(tmp_path / "t.csv", "text,label\nalpha,NA\nbeta,None\ngamma,null\ndelta,007\nepsilon,1.0\n")
    assert load_corpus(str(path)).labels.tolist() == ["NA", "None", "null", "007", "1.0"]


def test_quoted_cells_hold_line_breaks_also_in_a_file_of_one_column(tmp_path):
    two = written(tmp_path / "two.csv", 'text,label\n"one\ntwo, three",a\nfour,b\n')
    one = written(tmp_path / "one.csv", 'text\n"one\ntwo, three"\nfour\n')
    for path in (two, one):
        assert read_table(path).columns.column("text").to_pylist() == ["one\ntwo, three", "four"]


def test_a_quote_that_never_closes_is_named(tmp_path):
    path = written(tmp_path / "t.csv", 'text,label\none,a\n"two,b\nthree,c\n')
    error = refused(path)
    assert error.code == "E-CSV-QUOTE"
    assert "line 3" in error.message


def test_plain_lines_are_one_text_each(tmp_path, store):
    corpus = load_corpus(str(written(tmp_path / "lines.txt", "First, a text.\nSecond, one.\nThird, another.\n")))
    assert corpus.texts == ["First, a text.", "Second, one.", "Third, another."]


def test_blank_and_repeated_column_names_are_made_distinct(tmp_path):
    table = read_table(written(tmp_path / "t.csv", ",text,text\n1,one,x\n2,two,y\n"))
    assert table.columns.column_names == ["column 1", "text", "text (2)"]
    assert "W-COLUMN-NAMES" in [note.code for note in table.notes]


@pytest.mark.parametrize(
    ("encoding", "is_said"),
    [
        ("utf-8", False),
        ("utf-8-sig", False),
        ("utf-16", False),
        ("utf-32", False),
        ("cp1252", True),
        ("latin-1", True),
        ("utf-16-le", True),
        ("utf-16-be", True),
    ],
)
def test_the_same_text_in_eight_encodings(tmp_path, encoding, is_said):
    rows = "".join(f"{FOREIGN} {n}\t{'eins' if n % 2 else 'zwei'}\n" for n in range(20))
    table = read_table(written(tmp_path / "t.tsv", ("text\tlabel\n" + rows).encode(encoding)))
    assert table.columns.column("text").to_pylist() == [f"{FOREIGN} {n}" for n in range(20)]
    assert [note.code for note in table.notes] == (["W-ENCODING"] if is_said else [])


def test_shift_jis_is_proposed_and_obeyed_when_given(tmp_path):
    content = "text,label\n" + "".join(f"これは日本語の文章です。番号は{n}です,甲\n" for n in range(20))
    path = written(tmp_path / "t.csv", content.encode("shift_jis"))
    for reading in (Reading(), Reading(encoding="shift_jis")):
        assert read_table(path, reading).columns.column("text")[0].as_py() == "これは日本語の文章です。番号は0です"


def test_a_wrong_encoding_is_refused_with_line_and_byte(tmp_path):
    path = written(tmp_path / "t.csv", "text,label\nabc,x\ncafé,y\n".encode("latin-1"))
    error = refused(path, Reading(encoding="utf-8"))
    assert error.code == "E-ENCODING"
    assert "line 3, byte 4 is 0xE9" in error.message
    assert refused(path, Reading(encoding="klingon")).code == "E-ENCODING"
    assert refused(path, Reading(encoding="hex")).code == "E-ENCODING"


def test_json_lines_and_lists_keep_types_as_text(tmp_path, store):
    records = [{"text": f"text {n} of five", "label": label} for n, label in enumerate([7, "7.0", True, None, 1.5])]
    for name, content in [
        ("t.jsonl", "\n".join(map(json.dumps, records))),
        ("t.json", json.dumps(records)),
        ("t.csv", "\n".join(map(json.dumps, records))),  # the name decides nothing
    ]:
        corpus = load_corpus(str(written(tmp_path / name, content)))
        assert corpus.labels.tolist() == ["7", "7", "True", None, "1.5"]  # equal numbers are one label


def test_json_lines_name_bad_lines_and_survive_odd_ones(tmp_path):
    lines = ['{"text": "one"}', "{broken", '{"text": "\\ud800"}', "[" * 100_000, '{"text": ' + "9" * 5_000 + "}", "3"]
    table = read_table(written(tmp_path / "t.jsonl", "\n".join(lines)))
    assert table.columns.column("text").to_pylist() == ["one", "\ufffd"]
    assert "line 2, 4, 5, 6" in table.notes[0].message


def test_a_packed_json_lines_file_is_unpacked(tmp_path):
    path = written(tmp_path / "t.jsonl.gz", gzip.compress(b'{"text": "one"}\n{"text": "two"}\n'))
    assert read_table(path).columns.column("text").to_pylist() == ["one", "two"]
    assert refused(written(tmp_path / "u.gz", path.read_bytes()[:20])).code == "E-NOT-A-TABLE"


LABEL_TYPES = [
    (pa.array(["a", "b"]), ["a", "b"]),
    (pa.array(["a", "b"], pa.large_string()), ["a", "b"]),
    (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
    (pa.array([7, 8], pa.int8()), ["7", "8"]),
    (pa.array([1.0, None]), ["1.0", None]),
    (pa.array([True, False]), ["True", "False"]),
    (pa.array([0, 86_400], pa.timestamp("s")), ["1970-01-01 00:00:00", "1970-01-02 00:00:00"]),
    (pa.array([0, 1], pa.date32()), ["1970-01-01", "1970-01-02"]),
    (pa.nulls(2), None),
    (pa.array([[1], [2, 3]]), "E-COLUMN-TYPE"),
    (pa.array([{"x": 1}, {"x": 2}]), "E-COLUMN-TYPE"),
    (pa.array([b"a", b"b"]), "E-COLUMN-TYPE"),
]


@pytest.mark.parametrize(("labels", "expected"), LABEL_TYPES, ids=[str(labels.type) for labels, _ in LABEL_TYPES])
def test_parquet_labels_are_text_whatever_their_type(tmp_path, store, labels, expected):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": ["first text", "second text"], "label": labels}), path)
    if expected == "E-COLUMN-TYPE":
        with pytest.raises(CorpusError, match=str(labels.type).split("<")[0]) as raised:
            load_corpus(str(path), Reading(label="label"))
        assert raised.value.code == expected
        return
    found = load_corpus(str(path), Reading(label="label")).labels.tolist()
    assert found == (expected or [None, None])


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.list_(pa.string())])
def test_parquet_texts_must_be_strings(tmp_path, store, kind):
    values = [["a"], ["b"]] if pa.types.is_list(kind) else [1, 2]
    pq.write_table(pa.table({"body": pa.array(values, kind), "other": ["x", "y"]}), tmp_path / "t.parquet")
    with pytest.raises(CorpusError) as raised:
        load_corpus(str(tmp_path / "t.parquet"), Reading(text="body"))
    assert raised.value.code == "E-COLUMN-TYPE"


def test_parquet_rows_and_decoded_bytes_are_limited_before_memory_is(tmp_path, monkeypatch):
    from embedlab.limits import Limits

    path = tmp_path / "bomb.parquet"  # a dictionary page: small on disk, large once decoded
    pq.write_table(pa.table({"text": pa.array(["x" * 100_000]).take(pa.array([0] * 3_000))}), path)
    assert path.stat().st_size < 100_000
    assert refused(path).code == "E-TOO-BIG"  # by its ratio
    monkeypatch.setattr(limits, "LIMITS", Limits(archive_bytes=100_000_000, archive_ratio=10**9))
    assert refused(path).code == "E-TOO-BIG"
    monkeypatch.setattr(limits, "LIMITS", Limits(rows=1_000))
    assert refused(path).code == "E-TOO-MANY-ROWS"


def test_xlsx_cells_are_text_and_further_sheets_are_said(tmp_path, store):
    from openpyxl import Workbook

    book = Workbook()
    for row in [["text", "label", "when"], ["one text here", 7, None], ["two text here", "007", None]]:
        book.active.append(row)
    book.create_sheet("More")
    book.save(tmp_path / "t.xlsx")
    corpus = load_corpus(str(tmp_path / "t.xlsx"))
    assert corpus.texts == ["one text here", "two text here"]
    assert corpus.labels.tolist() == ["7", "007"]
    assert "I-SHEET" in [note.code for note in corpus.info.notes]


@pytest.mark.parametrize(
    "content",
    [b"\x7fELF" + bytes(200), b"\x89PNG\r\n\x1a\n" + bytes(90), b"\x80\x04\x95abc", b"%PDF-1.7 text", b"PAR1garbage"],
)
def test_what_is_not_a_table_is_refused_whatever_its_name(tmp_path, content):
    assert refused(written(tmp_path / "harmless.csv", content)).code == "E-NOT-A-TABLE"


@pytest.mark.parametrize("content", ["", "\n\n", "[]", "{}"])
def test_an_empty_file_is_refused(tmp_path, store, content):
    with pytest.raises(CorpusError) as raised:
        load_corpus(str(written(tmp_path / "t.csv", content)))
    assert raised.value.code == "E-NO-TEXTS"


def test_a_header_without_rows_is_refused(tmp_path, store):
    with pytest.raises(CorpusError) as raised:
        load_corpus(str(written(tmp_path / "t.csv", "text,label\n")))
    assert raised.value.code == "E-NO-TEXTS"


def test_a_missing_column_is_named_with_those_there_are(tmp_path, store):
    path = written(tmp_path / "t.csv", "text,label\none,a\n")
    with pytest.raises(CorpusError, match="'body'.*text, label") as raised:
        load_corpus(str(path), Reading(text="body"))
    assert raised.value.code == "E-COLUMN"


def test_swapped_column_names_are_seen_through(tmp_path):
    rows = [["label", "text"], *zip(TEXTS, LABELS, strict=True)]
    found = propose(written(tmp_path / "t.csv", delimited(rows)))
    assert (found.text, found.label) == ("label", "text")


def test_texts_are_told_from_titles_addresses_and_ids_by_content(tmp_path):
    header = ["row", "where", "short", "long", "of"]
    rows = [
        [
            f"{n:032x}",
            f"https://example.org/a/very/long/address/{n}?and=its&many=parameters",
            f"Of ship number {n}",
            text,
            label,
        ]
        for n, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    found = propose(written(tmp_path / "t.csv", delimited([header, *rows])))
    assert (found.text, found.label, found.title) == ("long", "of", None)


def test_a_proposal_has_five_cards_and_leaves_what_the_user_said(tmp_path):
    rows = [["name", "kind", "words"], *([f"n{i}", label, text] for i, (text, label) in enumerate(zip(TEXTS, LABELS)))]  # noqa: B905
    path = written(tmp_path / "t.csv", delimited(rows))
    found = propose(path)
    assert (found.text, found.label, len(found.cards)) == ("words", "kind", 5)
    assert propose(path, Reading(text="words", label="name")).label == "name"


def test_summaries_from_a_list_a_json_cell_or_several_columns(tmp_path, store):
    as_list = tmp_path / "list.parquet"
    pq.write_table(pa.table({"text": ["one text", "two text"], "summaries": [["s", "t"], []]}), as_list)
    assert load_corpus(str(as_list)).summaries == [["s", "t"], []]
    as_json = written(tmp_path / "json.tsv", 'text\tnotes\none text\t["s", "t"]\ntwo text\t\n')
    assert load_corpus(str(as_json), Reading(summaries=("notes",))).summaries == [["s", "t"], []]
    several = written(tmp_path / "several.csv", "text,tldr,method\none long text here,s,t\ntwo long text here,,u\n")
    assert load_corpus(str(several)).summaries == [["s", "t"], ["u"]]


def test_real_corpora(store, corpora_folder):
    iclr = load_corpus(str(corpora_folder / "iclr_2017_2021.parquet"))
    assert (iclr.info.rows, iclr.info.texts, iclr.info.labelled, len(iclr.info.classes)) == (8022, 8022, 4224, 41)
    assert iclr.info.roles["title"] == "title"
    summaries = load_corpus(str(corpora_folder / "scitldr.parquet"))
    assert summaries.labels is None
    assert len(summaries.summaries) == 3229
    assert min(map(len, summaries.summaries)) >= 1


def test_an_empty_name_means_no_such_column(tmp_path, store):
    file = tmp_path / "a.csv"
    file.write_text("text,label\n" + "".join(f"text number {n},{n % 2}\n" for n in range(8)), encoding="utf-8")
    assert load_corpus(str(file)).labels is not None
    assert load_corpus(str(file), Reading(label="")).labels is None
    assert load_corpus(str(file), Reading(summaries=("",))).summaries is None
