"""Files as people have them: each kind that was read wrongly once gives the value that an independent reader gives."""

import csv
import json
import os
import re
import zipfile

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.corpora import load_corpus, propose
from embedlab.corpora.files import read_table
from embedlab.corpora.notes import ReadingReport
from embedlab.corpora.proposal import Reading
from embedlab.errors import CorpusError, SettingsError

LABELS = ("sports", "cooking", "space")
ROWS = [
    (f"Number {n}: a text of several words, about “{LABELS[n % 3]}” and {n * 7} more.", LABELS[n % 3])
    for n in range(60)
]
TEXTS, CLASSES = [text for text, _ in ROWS], [label for _, label in ROWS]
ANY = Reading(accept_reading=True)


def written(path, content: str | bytes):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path, **options) -> tuple[list, list]:
    """Texts and labels of the corpus that a file is."""
    corpus = load_corpus(str(path), Reading(**options))
    return list(corpus.texts), None if corpus.labels is None else corpus.labels.tolist()


def refused(path, **options) -> CorpusError:
    with pytest.raises(CorpusError) as raised:
        load_corpus(str(path), Reading(**options))
    return raised.value


def report_of(path, **options) -> ReadingReport:
    return load_corpus(str(path), Reading(**options)).info.reading


# Separators and quotes


def test_a_tab_separated_file_whose_quotes_are_characters_is_read_as_pandas_reads_it_without_quoting(store, tmp_path):
    texts = [f'"{text}' if n % 20 == 4 else f'{text}"' if n % 20 == 17 else text for n, text in enumerate(TEXTS)]
    rows = "".join(f"{text}\t{label}\n" for text, label in zip(texts, CLASSES, strict=True))
    path = written(tmp_path / "t.tsv", f"text\tlabel\n{rows}")
    expected = pd.read_csv(path, sep="\t", quoting=csv.QUOTE_NONE)
    assert read(path) == (expected["text"].tolist(), expected["label"].tolist()) == (texts, CLASSES)
    assert len(pd.read_csv(path, sep="\t")) < 60  # what enclosing quotes swallow
    found = report_of(path)
    assert (found.format, found.quoting, found.rows) == ("TSV", "none", 60)


def test_a_tab_separated_file_with_cells_of_several_lines_keeps_its_quotes(store, tmp_path):
    texts = [text.replace(": ", ':\n"and" ') if n % 9 == 0 else text for n, text in enumerate(TEXTS)]
    path = tmp_path / "t.tsv"
    pd.DataFrame({"text": texts, "label": CLASSES}).to_csv(path, sep="\t", index=False)
    assert read(path) == (texts, CLASSES)
    assert report_of(path).quoting == "doubled"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_quotes_after_a_backslash_as_spark_writes_them(store, tmp_path, separator):
    texts = [f'He said "stop{separator} please", {text} C:\\new \\alpha' for text in TEXTS]
    escaped = [text.replace('"', '\\"') for text in texts]
    rows = "".join(f'"{text}"{separator}{label}\n' for text, label in zip(escaped, CLASSES, strict=True))
    path = written(tmp_path / "t.csv", f"text{separator}label\n{rows}")
    assert read(path) == (texts, CLASSES)  # a backslash elsewhere stays, as Spark leaves it
    assert report_of(path).quoting == "backslash"


def test_a_backslash_before_the_quote_that_ends_a_cell_is_not_an_escape_in_csv(store, tmp_path):
    texts = [f"{text}, in C:\\" for text in TEXTS]
    path = tmp_path / "t.csv"
    pd.DataFrame({"text": texts, "label": CLASSES}).to_csv(path, index=False)
    assert read(path) == (texts, CLASSES)


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_line_by_which_excel_is_told_the_separator_is_no_row(store, tmp_path, separator, mark):
    frame = pd.DataFrame({"text": TEXTS, "label": CLASSES}).to_csv(sep=separator, index=False)
    path = written(tmp_path / "t.csv", f"{mark}sep={separator}\r\n{frame}")
    assert read(path) == (TEXTS, CLASSES)
    assert report_of(path).header_row == 2


@pytest.mark.parametrize("quoted", [True, False])
def test_row_names_that_the_header_leaves_out_are_a_column_of_their_own(store, tmp_path, quoted):
    frame = pd.DataFrame({"id": range(101, 161), "label": CLASSES, "text": TEXTS}, index=range(1, 61))
    content = frame.to_csv(quoting=csv.QUOTE_NONNUMERIC if quoted else csv.QUOTE_MINIMAL)
    path = written(tmp_path / "r.csv", content.replace('"",' if quoted else ",", "", 1))
    assert path.read_text(encoding="utf-8").splitlines()[0].count(",") == 2
    assert read(path) == (TEXTS, CLASSES)
    assert pd.read_csv(path)["label"].tolist() == CLASSES  # pandas takes the first cells for an index
    assert report_of(path).columns == {"text": "text", "label": "label", "id": "id"}


def test_what_r_writes_with_blanks_between_quoted_cells(store, tmp_path):
    rows = "".join(f'"{n}" "{text}" "{label}"\n' for n, (text, label) in enumerate(ROWS, start=1))
    path = written(tmp_path / "r.txt", f'"text" "label"\n{rows}')
    assert read(path) == (TEXTS, CLASSES)


def test_a_separator_at_the_end_of_each_row_adds_no_column(store, tmp_path):
    rows = "".join(f'"{text}",{label},\n' for text, label in ROWS)
    path = written(tmp_path / "t.csv", f"text,label\n{rows}")
    assert read(path) == (TEXTS, CLASSES)


def test_lines_above_the_header_and_headers_within_are_left_out(store, tmp_path):
    frame = pd.DataFrame({"text": TEXTS, "label": CLASSES}).to_csv(index=False)
    above = written(tmp_path / "a.csv", f"# exported in March\nOur survey\n{frame}")
    twice = written(tmp_path / "b.csv", frame + frame)
    assert read(above) == (TEXTS, CLASSES) and report_of(above).header_row == 3
    assert read(twice) == (2 * TEXTS, 2 * CLASSES)
    assert report_of(twice).left_out[0].rows == 1


def test_a_dialect_can_be_named(store, tmp_path):
    path = written(tmp_path / "t.csv", "junk line\nb~a\n" + "".join(f"{text}~{label}\n" for text, label in ROWS))
    assert read(path, separator="~", header_row=2, text="b", label="a") == (TEXTS, CLASSES)
    with pytest.raises(SettingsError, match="comma"):
        read_table(path, Reading(separator="abc"))
    with pytest.raises(SettingsError, match="backslash"):
        read_table(path, Reading(quoting="weird"))


@pytest.mark.parametrize("row", ["{text}, and more,{label}\n", "'{text}, and more',{label}\n"])
def test_prose_with_a_separator_of_its_own_is_no_row_name(store, tmp_path, row):
    path = written(
        tmp_path / "t.csv", "text,label\n" + "".join(row.format(text=text, label=label) for text, label in ROWS)
    )
    assert refused(path).code == "E-ROWS-FAIL"


def test_fasttext_lines_and_the_null_of_databases(store, tmp_path):
    lines = "".join(f"__label__{label} __label__more {text}\n" for text, label in ROWS)
    assert read(written(tmp_path / "t.txt", lines)) == (TEXTS, CLASSES)
    rows = "".join(f"{n}\t{text}\t{label if n % 4 else chr(92) + 'N'}\n" for n, (text, label) in enumerate(ROWS))
    assert read(written(tmp_path / "t.tsv", rows))[1] == [label if n % 4 else None for n, label in enumerate(CLASSES)]


# Reading is checked against itself


def test_a_quote_that_closes_in_another_row_is_refused_with_the_other_reading(store, tmp_path):
    texts = [f"a short text {n}" for n in range(60)]
    for opens, closes in ((3, 15), (20, 30), (40, 55)):
        texts[opens], texts[closes] = f'"{texts[opens]}', f'{texts[closes]}"'
    rows = "".join(f"{text},{label}\n" for text, label in zip(texts, CLASSES, strict=True))
    path = written(tmp_path / "t.csv", f"text,label\n{rows}")
    error = refused(path)
    assert error.code == "E-CSV-SWALLOWED" and "line 5" in error.message and "--quoting none" in error.message
    assert read(path, quoting="none") == (texts, CLASSES)
    assert len(read(path, accept_reading=True)[0]) < 30


def test_texts_of_several_lines_are_no_swallowed_rows(store, tmp_path):
    texts = [f"{text}\nA second line, with commas, of it\nand a third, {n}" for n, text in enumerate(TEXTS)]
    path = tmp_path / "t.csv"
    pd.DataFrame({"text": texts, "label": CLASSES}).to_csv(path, index=False)
    assert read(path) == (texts, CLASSES)


@pytest.mark.parametrize(
    "text", ['He said "{n}",\nand, later:\n{text}', "Dear you,\n{text}", "{n}, one\n{n}, two\n{text}"]
)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_lines_of_prose_with_a_separator_each_are_no_rows(store, tmp_path, text, separator):
    texts = [text.format(n=n, text=each).replace(",", separator) for n, each in enumerate(TEXTS)]
    path = tmp_path / "t.csv"
    pd.DataFrame({"text": texts, "label": CLASSES}).to_csv(path, index=False, sep=separator)
    assert read(path) == (texts, CLASSES)


def test_a_label_with_a_value_for_each_row_is_asked_about(store, tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"text": TEXTS, "label": range(60)}).to_csv(path, index=False)
    error = refused(path)
    assert error.code == "E-LABEL-IS-ID" and "--label" in error.message
    assert read(path, label="") == (TEXTS, None)
    assert len(set(read(path, label="label")[1])) == 60
    assert propose(read_table(path)).label == "label"


def test_texts_that_begin_with_their_label_are_asked_about(store, tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"text": [f"{label}: {text}" for text, label in ROWS], "label": CLASSES}).to_csv(path, index=False)
    error = refused(path)
    assert error.code == "E-TEXT-HAS-LABEL" and "100 %" in error.message
    assert read(path, text="text", label="label")[1] == CLASSES


def test_names_beside_nested_texts_are_asked_about(store, tmp_path):
    nested = [{"title": f"T{n}", "paragraphs": [{"context": text, "qas": []}]} for n, text in enumerate(TEXTS)]
    path = written(tmp_path / "squad.json", json.dumps({"version": "1", "data": nested}))
    assert refused(path).code == "E-NESTED" and "'paragraphs'" in refused(path).message
    assert read(path, text="title")[0][:2] == ["T0", "T1"]


@pytest.mark.parametrize(("bad", "is_refused"), [(1, False), (2, True)])
def test_more_than_one_row_in_a_hundred_that_does_not_parse_is_refused(store, tmp_path, bad, is_refused):
    lines = [json.dumps({"text": f"text {n} of many", "label": n % 3}) for n in range(150)]
    broken = written(tmp_path / "t.jsonl", "\n".join([*lines, *['{"text": "broken, "label": 1}'] * bad]))
    rows = [f"text {n} of many,{n % 3}" for n in range(150)] + ["text, with, commas,1"] * bad
    long = written(tmp_path / "t.csv", "text,label\n" + "\n".join(rows))
    for path in (broken, long):
        if is_refused:
            error = refused(path)
            assert error.code == "E-ROWS-FAIL" and f"{bad} of 152" in error.message
        else:
            assert len(read(path)[0]) >= 150
        assert len(read(path, accept_reading=True)[0]) >= 150


# Missing is missing, equal numbers are one label


def test_json_nan_is_missing_and_never_a_word(store, tmp_path):
    values = [
        {"text": float("nan") if n % 4 == 0 else text, "label": float("nan") if n % 4 == 1 else label}
        for n, (text, label) in enumerate(ROWS)
    ]
    path = written(tmp_path / "t.jsonl", "\n".join(map(json.dumps, values)))
    assert "NaN" in path.read_text(encoding="utf-8")
    texts, labels = read(path)
    frame = pd.read_json(path, lines=True)
    assert [text == "" for text in texts] == frame["text"].isna().tolist()
    assert [label is None for label in labels] == frame["label"].isna().tolist()
    assert set(labels) == {*LABELS, None}


def test_the_words_of_a_text_file_stay_words(store, tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"text": TEXTS, "label": ["NA", "None", "nan"] * 20}).to_csv(path, index=False)
    assert set(read(path)[1]) == {"NA", "None", "nan"}


def lines_of(labels: list) -> str:
    """JSON Lines whose labels are these in turn."""
    return "\n".join(json.dumps({"text": text, "label": labels[n % len(labels)]}) for n, text in enumerate(TEXTS))


def test_numbers_that_are_equal_are_one_label_and_codes_stay_codes(store, tmp_path):
    labels = ["1", "2.0", "1.0", "2", "007", "1.00", "0.5", "7"] * 5
    path = tmp_path / "t.csv"
    pd.DataFrame({"text": TEXTS[:40], "label": labels}).to_csv(path, index=False)
    corpus = load_corpus(str(path))
    assert set(corpus.labels) == {"1", "2", "007", "0.5", "7"}
    assert "W-LABEL-NUMBERS" in [note.code for note in corpus.info.notes]
    mixed = written(tmp_path / "m.jsonl", lines_of([1, 1.0, "1", "1.0", 2]))
    assert set(read(mixed)[1]) == {"1", "2"}
    alone = written(tmp_path / "a.jsonl", lines_of([0.0, 1.0]))
    assert set(read(alone)[1]) == {"0.0", "1.0"}


def test_class_names_beside_the_columns_of_a_parquet_file_are_read(store, tmp_path):
    numbers = pa.array([n % 3 if n else -1 for n in range(60)], pa.int64())
    features = {"text": {"dtype": "string", "_type": "Value"}, "label": {"names": list(LABELS), "_type": "ClassLabel"}}
    about = {"huggingface": json.dumps({"info": {"features": features}})}
    table = pa.table({"text": TEXTS, "label": numbers}).replace_schema_metadata(about)
    pq.write_table(table, tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet")[1] == [None, *CLASSES[1:]]
    pq.write_table(table.replace_schema_metadata({"huggingface": "{broken"}), tmp_path / "u.parquet")
    assert set(read(tmp_path / "u.parquet")[1]) == {"-1", "0", "1", "2"}


def test_a_text_column_of_lists_is_refused_with_its_type(store, tmp_path):
    pq.write_table(pa.table({"text": [[text] for text in TEXTS], "label": CLASSES}), tmp_path / "t.parquet")
    proposed, named = refused(tmp_path / "t.parquet"), refused(tmp_path / "t.parquet", text="text")
    assert proposed.code == "E-COLUMN-TYPE" and proposed.message == named.message


# Shapes of JSON

RECORDS = [{"text": text, "label": label} for text, label in ROWS]
DOCUMENTS = {
    "wrapped": {"version": "1", "data": RECORDS},
    "two lists": {"features": [{"name": "text"}], "rows": [{"row_idx": n, "row": r} for n, r in enumerate(RECORDS)]},
    "by id": {f"a{n}": record for n, record in enumerate(RECORDS)},
    "by number": {str(n): record for n, record in enumerate(RECORDS)},
    "columns by row": {name: {str(n): r[name] for n, r in enumerate(RECORDS)} for name in ("text", "label")},
    "columns": {"text": TEXTS, "label": CLASSES},
    "columns and data": {"columns": ["text", "label"], "index": list(range(60)), "data": [list(row) for row in ROWS]},
    "table": json.loads(pd.DataFrame(RECORDS).to_json(orient="table")),
    "lists": [["text", "label"], *map(list, ROWS)],
    "list": RECORDS,
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("shape", DOCUMENTS)
def test_a_json_document_is_the_records_that_it_holds(store, tmp_path, shape, indent):
    path = written(tmp_path / "t.json", json.dumps(DOCUMENTS[shape], indent=indent))
    assert read(path) == (TEXTS, CLASSES)


def test_objects_over_several_lines_and_lists_a_line(store, tmp_path):
    pretty = written(tmp_path / "p.json", "\n".join(json.dumps(record, indent=2) for record in RECORDS))
    lists = written(tmp_path / "l.jsonl", "\n".join(json.dumps(row) for row in DOCUMENTS["lists"]))
    assert read(pretty) == read(lists) == (TEXTS, CLASSES)


def test_splits_of_a_json_document_are_a_column(store, tmp_path):
    path = written(tmp_path / "t.json", json.dumps({"train": RECORDS[:50], "test": RECORDS[50:]}, indent=1))
    assert read(path) == (TEXTS, CLASSES)
    assert load_corpus(str(path)).column("split") == ["train"] * 50 + ["test"] * 10


@pytest.mark.parametrize(
    "content",
    ['{"a": 1, "b": {"c": [1, 2]}}', '{"a":\n 1', "[1,\n 2]", '{"type": "x",\n "features": 7}', '"just text"'],
)
@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_json_syntax_is_never_a_text(store, tmp_path, name, content):
    path = written(tmp_path / name, content)
    try:
        texts = read(path)[0]
    except CorpusError as error:
        assert error.code in ("E-NOT-A-TABLE", "E-COLUMN") and error.message.endswith(".")
        return
    assert texts == ['"just text"'] or texts == ["just text"]


def test_prose_that_begins_with_a_bracket_is_prose(store, tmp_path):
    lines = ["[Verse 1]", "{laughs} Oh no, not again", "A third line of it"]
    assert read(written(tmp_path / "t.txt", "\n".join(lines)))[0] == lines


# Workbooks


def workbook(path, rows, *, merged=(), title=None):
    book = openpyxl.Workbook()
    if title:
        book.active.title = title
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    book.save(path)
    return path


def test_cells_are_read_wherever_the_file_says_that_they_end(store, tmp_path):
    path, lied = workbook(tmp_path / "t.xlsx", [("text", "label"), *ROWS]), tmp_path / "l.xlsx"
    for dimension in (b'<dimension ref="A1:A61"/>', b""):
        with zipfile.ZipFile(path) as archive, zipfile.ZipFile(lied, "w") as made:
            for name in archive.namelist():
                made.writestr(name, re.sub(rb"<dimension[^>]*/>", dimension, archive.read(name)))
        assert read(lied) == (TEXTS, CLASSES)


def test_rows_of_different_length_and_numbers(store, tmp_path):
    rows = [("label", "text"), *((n % 2 if n % 4 else None, text) for n, text in enumerate(TEXTS))]
    texts, labels = read(workbook(tmp_path / "t.xlsx", rows))
    assert texts == TEXTS and labels == [str(n % 2) if n % 4 else None for n in range(60)]


def test_errors_and_formulas_without_a_value_are_missing_and_said(store, tmp_path):
    rows = [(text, "#N/A" if n % 5 == 0 else label) for n, (text, label) in enumerate(ROWS)]
    corpus = load_corpus(str(workbook(tmp_path / "t.xlsx", [("text", "label"), *rows])))
    assert corpus.labels.tolist() == [None if n % 5 == 0 else label for n, label in enumerate(CLASSES)]
    assert "12 rows" in next(note.message for note in corpus.info.notes if note.code == "W-CELL-ERROR")
    formulas = [(text, label[0], f"=UPPER(B{n})") for n, (text, label) in enumerate(ROWS, start=2)]
    path = workbook(tmp_path / "f.xlsx", [("text", "code", "label"), *formulas])
    error = refused(path)
    assert error.code == "E-FORMULA" and "'label'" in error.message and "60 formulas" in error.message
    assert read(path, label="code", accept_reading=True)[1] == [label[0] for label in CLASSES]


def test_merged_labels_are_those_of_each_row(store, tmp_path):
    rows = [("label", "text"), *((label, text) for text, label in sorted(ROWS, key=lambda row: row[1]))]
    for row in (*range(2, 21), *range(22, 41), *range(42, 61)):
        rows[row] = (None, rows[row][1])
    path = workbook(tmp_path / "t.xlsx", rows, merged=("A2:A21", "A22:A41", "A42:A61"))
    assert read(path)[1] == sorted(CLASSES)
    assert "I-MERGED" in [note.code for note in load_corpus(str(path)).info.notes]


def test_a_sheet_and_a_header_row_are_found_and_can_be_chosen(store, tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "About"
    for row in [("Our survey of 2024", None), (None, None), ("text", "label"), *ROWS]:
        book.create_sheet("Answers") if "Answers" not in book.sheetnames else None
        book["Answers"].append(row)
    book.create_sheet("Other").append(["text", "label"])
    book["Other"].append(["Just one more text", "x"])
    book["Answers"].merge_cells("A1:B1")
    book.save(tmp_path / "t.xlsx")
    path = tmp_path / "t.xlsx"
    assert read(path) == (TEXTS, CLASSES)  # the first sheet is empty
    assert (report_of(path).sheet, report_of(path).header_row) == ("Answers", 3)
    assert read(path, sheet="Other") == (["Just one more text"], ["x"])
    assert read(path, header_row=4, text=TEXTS[0], label="sports")[0] == TEXTS[1:]
    assert "Answers, Other" in refused(path, sheet="Nope").message


def test_a_workbook_of_libreoffice(store, tmp_path):
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    rows = "".join(
        f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>" for row in [("text", "label"), *ROWS]
    )
    table = f'<table:table table:name="One">{rows}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    with zipfile.ZipFile(tmp_path / "t.ods", "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr("META-INF/manifest.xml", "<manifest/>")
        made.writestr("content.xml", f"<office:document-content {names}>{body}</office:document-content>")
    assert read(tmp_path / "t.ods") == (TEXTS, CLASSES)
    assert report_of(tmp_path / "t.ods").format == "ODS workbook"


# Encodings


def test_a_damaged_byte_does_not_change_the_encoding_of_a_file(store, tmp_path):
    texts = [f"{text} Größe, naïve café, 你好" for text in TEXTS]
    content = pd.DataFrame({"text": texts, "label": CLASSES}).to_csv(index=False).encode()
    at = content.index("ö".encode(), 3_000)
    path = written(tmp_path / "t.csv", content[:at] + b"\xf6" + content[at + 2 :])
    found, labels = read(path, accept_reading=True)
    assert labels == CLASSES and sum("\ufffd" in text for text in found) == 1
    assert [text for text in found if "\ufffd" not in text] == [t for t, f in zip(texts, found, strict=True) if t == f]
    corpus = load_corpus(str(path), ANY)
    assert corpus.info.reading.encoding == "utf-8"
    assert "1 line" in next(note.message for note in corpus.info.notes if note.code == "W-ENCODING")


# Folders


def laid_out(root, files: dict[str, str]):
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


def test_splits_above_class_folders_are_splits(store, tmp_path):
    folders = [f"{split}/{label}" for split in ("train", "test") for label in ("pos", "neg")]
    files = {f"{folder}/{n}.txt": f"{folder} {n}" for folder in folders for n in range(3)}
    more = {"train/unsup/0.txt": "No label", "train/urls_pos.txt": "http://a", "README": "About", "imdb.vocab": "a"}
    corpus = load_corpus(str(laid_out(tmp_path / "aclImdb", files | more)))
    assert corpus.info.texts == 13 and {each.label for each in corpus.info.classes} == {"pos", "neg"}
    assert corpus.column("split").count("test") == 6 and corpus.info.labelled == 12
    left = {each.reason: each.rows for each in corpus.info.reading.left_out}
    assert left["files outside the class folders"] == 2 and left[".vocab files"] == 1


FOLDERS = {"a/1.txt": "One", "b/2.txt": "Two"}
HIDDEN = {".ipynb_checkpoints/3.txt": "No", "a/.x.txt": "No"}


def test_hidden_folders_are_no_classes_and_links_are_said(store, tmp_path):
    root = laid_out(tmp_path / "here", FOLDERS | HIDDEN)
    elsewhere = laid_out(tmp_path / "there", {"4.txt": "Linked"})
    os.symlink(elsewhere, root / "c")
    os.symlink(elsewhere / "4.txt", root / "a" / "4.txt")
    corpus = load_corpus(str(root))
    assert list(corpus.texts) == ["One", "Two"] and corpus.labels.tolist() == ["a", "b"]
    assert "2 links" in next(note.message for note in corpus.info.notes if note.code == "W-IGNORED")
    assert "2 hidden files" in next(note.message for note in corpus.info.notes if note.code == "W-IGNORED")
    os.symlink(root / "a" / "1.txt", root / "b" / "again.txt")  # within the folder it is a file like any other
    assert list(load_corpus(str(root)).texts) == ["One", "Two", "One"]


def test_a_snapshot_of_the_hubs_cache_is_read_through_its_links(store, tmp_path):
    repository = tmp_path / "hub" / "datasets--me--some"
    blob, snapshot = repository / "blobs" / "0123", repository / "snapshots" / "abcd" / "data"
    blob.parent.mkdir(parents=True), snapshot.mkdir(parents=True)
    pq.write_table(pa.table({"text": TEXTS, "label": CLASSES}), blob)
    os.symlink(blob, snapshot / "train-00000-of-00001.parquet")
    assert read(snapshot.parent) == (TEXTS, CLASSES)
    texts = repository / "snapshots" / "efgh" / "pos"
    texts.mkdir(parents=True)
    (repository / "blobs" / "4567").write_text("A text.", encoding="utf-8")
    os.symlink(repository / "blobs" / "4567", texts / "1.txt")
    assert read(texts.parent)[0] == ["A text."]


def test_a_folder_of_empty_files_has_no_texts(store, tmp_path):
    root = laid_out(tmp_path / "here", {f"{label}/{n}.txt": "" for label in "ab" for n in range(3)})
    assert refused(root).code == "E-NO-TEXTS"  # and not the files' names for texts


# The file at hand


def test_the_same_content_in_another_file_has_that_files_name_and_notes(store, tmp_path):
    lines = [json.dumps({"text": f"text {n} of many", "label": n % 3}) for n in range(150)]
    one = written(tmp_path / "one.jsonl", "\n".join(lines))
    two = written(tmp_path / "two.jsonl", "\n".join([lines[0], "{broken", *lines[1:]]))
    first, second = load_corpus(str(one)), load_corpus(str(two))
    assert first.fingerprint == second.fingerprint and (first.name, second.name) == ("one", "two")
    assert "W-BAD-LINES" in [note.code for note in second.info.notes]
    assert second.info.reading.left_out[0].first == (2,)
    again = load_corpus(str(one))
    assert again.name == "one" and again.info == first.info
