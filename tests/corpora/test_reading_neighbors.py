"""Neighbors of the kinds that were read wrongly once: other separators, shapes, names and spellings of the same."""

import csv
import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.corpora import load_corpus
from embedlab.corpora.notes import label_notes
from embedlab.corpora.sets.pairs import PairReading, read_pairs
from embedlab.corpora.sets.reading import SetReading, read_set
from embedlab.counting import units
from embedlab.errors import CorpusError
from tests.corpora.test_reading_cases import (
    CLASSES,
    LABELS,
    RECORDS,
    ROWS,
    TEXTS,
    laid_out,
    read,
    refused,
    report_of,
    workbook,
    written,
)

FRAME = pd.DataFrame({"text": TEXTS, "label": CLASSES})


def joined_by(sign: str, header: bool = True) -> str:
    """The rows, with this sign between their cells."""
    return "\n".join(sign.join(row) for row in ([("text", "label")] if header else []) + ROWS) + "\n"


DELIMITED: dict[str, tuple[str, str]] = {
    "caret.csv": (joined_by("^"), "^"),
    "tilde.txt": (joined_by("~"), "~"),
    "hive.csv": (joined_by("\x01"), "\x01"),
    "hive without names": (joined_by("\x01", header=False), "\x01"),
    "two colons.dat": (joined_by("::"), "::"),
    "three bars.txt": (joined_by(" ||| "), "|||"),
    "tabs without names.txt": (joined_by("\t", header=False), "\t"),
    "blanks before quotes.csv": ('text, label\n' + "".join(f'"{t}", "{c}"\n' for t, c in ROWS), ","),
    "units.csv": ("text,label\n(string),(class)\n" + FRAME.to_csv(header=False, index=False), ","),
    "two header rows.csv": ("data,data\ntext,label\n" + FRAME.to_csv(header=False, index=False), ","),
    "single quotes.csv": (FRAME.to_csv(index=False, quotechar="'", quoting=csv.QUOTE_ALL), ","),
    "comments.csv": ("# made, by R\n# a second\n" + FRAME.to_csv(index=False).replace("\n", "\n# between\n", 9), ","),
}  # fmt: skip


@pytest.mark.parametrize("name", DELIMITED)
def test_a_delimited_file_of_another_dialect(store, tmp_path, name):
    content, separator = DELIMITED[name]
    path = written(tmp_path / name, content)
    assert read(path) == (TEXTS, CLASSES)
    assert report_of(path).separator == separator


def test_the_rule_below_the_names_of_a_markdown_table_is_no_text(store, tmp_path):
    rows = "".join(f"| {text} | {label} |\n" for text, label in ROWS)
    path = written(tmp_path / "t.md", f"| text | label |\n|---|:--|\n{rows}")
    texts, labels = read(path)
    assert ([text.strip() for text in texts], labels) == (TEXTS, CLASSES)
    assert report_of(path).left_out[0].rows == 1


def test_prose_with_a_comma_a_line_below_a_strange_separator_is_not_cut(store, tmp_path):
    path = written(tmp_path / "t.csv", "text¤label\n" + "".join(f"I came, I saw {n}.¤a\n" for n in range(20)))
    assert all(text.endswith("¤a") for text in read(path)[0][1:])


def test_comments_between_rows_are_counted(store, tmp_path):
    path = written(tmp_path / "t.csv", DELIMITED["comments.csv"][0])
    assert {each.reason: each.rows for each in report_of(path).left_out} == {"comments": 9}
    assert report_of(path).header_row == 3
    frame = pd.read_csv(path, comment="#")
    assert read(path) == (frame["text"].tolist(), frame["label"].tolist())


def test_fasttext_lines_with_commas_are_whole_texts(store, tmp_path):
    lines = "".join(f"__label__{label} , {text}\n" for text, label in ROWS)
    assert read(written(tmp_path / "t.csv", lines)) == (TEXTS, CLASSES)


def test_classes_that_are_numbers_of_a_table_without_names(store, tmp_path):
    rows = [(n % 3 + 1, f"Title {n} of it", text) for n, text in enumerate(TEXTS)]
    path = tmp_path / "train.csv"
    pd.DataFrame(rows).to_csv(path, header=False, index=False, quoting=csv.QUOTE_ALL)  # AG News
    assert read(path) == (TEXTS, [f"{n % 3 + 1}" for n in range(60)])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "1.00", "+1", "1e0"], ["1"]),
        (["0", "-0", "0.0"], ["0"]),
        (["1.5", "1.50", "2"], ["1.5", "2"]),
        (["1", "2,0", "1,0", "2"], ["1", "2"]),
        (["1,000", "1"], ["1", "1,000"]),
        (["01", "1", "1.0"], ["01", "1"]),
    ],
)
def test_numbers_that_are_equal_are_one_label_however_they_are_written(store, tmp_path, labels, expected):
    path = tmp_path / "t.csv"
    FRAME.assign(label=(labels * 60)[:60]).to_csv(path, index=False)
    assert sorted(set(read(path)[1])) == expected


@pytest.mark.parametrize(
    "line", ["__label__{1} {0}", "__label__{1}\t{0}", "{0} __label__{1}", "__label__{1} {0} __label__x"]
)
def test_fasttext_labels_stand_before_or_after_the_text(store, tmp_path, line):
    assert read(written(tmp_path / "t.txt", "".join(f"{line.format(*row)}\n" for row in ROWS))) == (TEXTS, CLASSES)


def test_values_joined_by_another_sign_in_one_column_are_no_cells(store, tmp_path):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"PMID": range(60), "Title": "On it", "Abstract": TEXTS, "MeSH": "a;b", "Topic": CLASSES})
    frame.to_csv(path, index=False)
    assert read(path) == (TEXTS, CLASSES) == (pd.read_csv(path)["Abstract"].tolist(), CLASSES)


def test_names_that_are_not_usual_below_a_title(store, tmp_path):
    rows = "".join(f"{n};{text};{label}\n" for n, (text, label) in enumerate(ROWS))
    path = written(tmp_path / "t.csv", f"Survey of 2020\nmade by us\nNr;Beitrag;Thema\n{rows}")
    assert read(path) == (TEXTS, CLASSES) and report_of(path).header_row == 3


@pytest.mark.parametrize("content", ["text    label\n{0}    {1}\n", '"text,label"\n"{0}"\n'])
def test_names_of_columns_that_nothing_separates_are_asked_about(store, tmp_path, content):
    head, line = content.split("\n", 1)
    path = written(tmp_path / "t.csv", f"{head}\n" + "".join(line.format(*row).replace(",", "") for row in ROWS))
    assert refused(path).code == "E-SEPARATOR"


def test_text_that_was_encoded_twice_is_noted(store, tmp_path):
    for text, is_noted in (("Größe – “", True), ("Größe", False)):
        content = "text,label\n" + "".join(f"{text} {n},a\n" for n in range(20))
        content = content.encode().decode("cp1252") if is_noted else content
        notes = load_corpus(str(written(tmp_path / "t.csv", content))).info.notes
        assert ("W-ENCODED-TWICE" in {note.code for note in notes}) == is_noted


@pytest.mark.parametrize(
    ("labels", "code", "named"),
    [
        (["a", "None", "n/a"], "W-LABEL-EMPTY-WORD", "'None', 'n/a'"),
        (["a", "b", "a; b"], "W-LABEL-SEVERAL", "'a; b'"),
        (["a", "b", "a; c"], None, ""),
        (["a", "a\u200b", "b"], "W-LABEL-MERGED", "'a' (2 spellings)"),
    ],
)
def test_labels_that_may_not_be_what_they_look_like_are_noted(store, tmp_path, labels, code, named):
    path = tmp_path / "t.csv"
    FRAME.assign(label=labels * 20).to_csv(path, index=False)
    notes = [note for note in load_corpus(str(path)).info.notes if note.code.startswith("W-LABEL")]
    assert [note.code for note in notes] == ([code] if code else []) and named in "".join(
        note.message for note in notes
    )


def test_many_labels_are_gone_through_a_few_times_and_not_once_for_each():
    class Counted(list):
        passes = 0

        def __iter__(self):
            self.passes += 1
            return super().__iter__()

    sizes = Counted((f"label {number}", 2) for number in range(500))
    assert [note.code for note in label_notes(sizes)] == [] and sizes.passes < 20  # 10,000 labels took half a minute


# JSON

EXPORTS: dict[str, Callable[[str, str], dict]] = {
    "Label Studio": lambda text, label: {
        "data": {"text": text},
        "annotations": [{"result": [{"type": "choices", "value": {"choices": [label]}}]}] * 2,
    },
    "Prodigy": lambda text, label: {"text": text, "accept": [label], "answer": "accept", "_input_hash": 1},
    "Doccano, once": lambda text, label: {"text": text, "annotations": [{"label": label, "user": 1}]},
    "Doccano": lambda text, label: {"text": text, "label": [label]},
    "spaCy": lambda text, label: {"text": text, "cats": {each: float(each == label) for each in LABELS}},
}


@pytest.mark.parametrize("tool", EXPORTS)
def test_the_classes_that_people_chose_in_an_annotation_tool_are_labels(store, tmp_path, tool):
    records = [EXPORTS[tool](*row) for row in ROWS]
    assert read(written(tmp_path / "t.json", json.dumps(records))) == (TEXTS, CLASSES)
    assert read(written(tmp_path / "t.jsonl", "\n".join(map(json.dumps, records)))) == (TEXTS, CLASSES)


def test_an_answer_that_was_rejected_and_a_span_are_no_labels(store, tmp_path):
    answers = ["accept" if label == "space" else "reject" for label in CLASSES]
    records = [
        {"text": text, "label": "space", "answer": answer, "_input_hash": 1}
        for text, answer in zip(TEXTS, answers, strict=True)
    ]
    path = written(tmp_path / "t.jsonl", "\n".join(map(json.dumps, records)))
    assert read(path) == (TEXTS, ["space" if label == "space" else None for label in CLASSES])
    spans = [{"text": text, "label": [[0, 6, "NUMBER"]]} for text in TEXTS]
    path = written(tmp_path / "s.jsonl", "\n".join(map(json.dumps, spans)))
    assert read(path) == (TEXTS, None) and "'label' holds lists" in report_of(path).sentence


def test_lists_of_records_that_are_no_split_are_named(store, tmp_path):
    path = written(tmp_path / "t.json", json.dumps({"train": ROWS[:40], "test": ROWS[40:], "oos": [["x y", "z"]]}))
    assert read(path) == (TEXTS, CLASSES) and "not read: 'oos'" in report_of(path).sentence


BY_CLASS = {label: [text for text, of in ROWS if of == label] for label in LABELS}
WRAPPERS: dict[str, object] = {
    "Elasticsearch": {"took": 1, "hits": {"total": 60, "hits": [{"_id": "x", "_source": each} for each in RECORDS]}},
    "Solr": {"responseHeader": {"status": 0}, "response": {"numFound": 60, "docs": RECORDS}},
    "GeoJSON": {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": r} for r in RECORDS]},
    "JSON:API": {"data": [{"type": "article", "id": f"{n}", "attributes": r} for n, r in enumerate(RECORDS)]},
    "labels by text": dict(ROWS),
    "columns beside a name": {"name": "mine", "text": TEXTS, "label": CLASSES},
    "columns, one of lists": {"text": TEXTS, "tags": [["a", "b"]] * 60, "label": CLASSES},
    "labels in lists": [{"text": text, "label": [label]} for text, label in ROWS],
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("shape", WRAPPERS)
def test_records_are_found_within_a_json_document(store, tmp_path, shape, indent):
    path = written(tmp_path / "t.json", json.dumps(WRAPPERS[shape], indent=indent))
    assert read(path) == (TEXTS, CLASSES)


def test_lists_of_texts_by_class_are_labelled_texts(store, tmp_path):
    for lists in (BY_CLASS, {label: texts[: 5 + n] for n, (label, texts) in enumerate(BY_CLASS.items())}):
        texts, labels = read(written(tmp_path / "t.json", json.dumps(lists)))
        expected = [(text, label) for label, of in lists.items() for text in of]
        assert list(zip(texts, labels, strict=True)) == expected
    by_split = written(tmp_path / "s.json", json.dumps({"train": TEXTS[:50], "test": TEXTS[50:]}))
    assert load_corpus(str(by_split)).column("split") == ["train"] * 50 + ["test"] * 10


def test_texts_by_id_and_strings_a_line(store, tmp_path):
    by_id = written(tmp_path / "t.json", json.dumps({f"d{n}": text for n, text in enumerate(TEXTS)}))
    assert read(by_id) == (TEXTS, None) and load_corpus(str(by_id)).column("id")[:2] == ["d0", "d1"]
    assert read(written(tmp_path / "s.jsonl", "\n".join(map(json.dumps, TEXTS)))) == (TEXTS, None)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.jsonl", "// made by\n{broken\n" + "\n".join(map(json.dumps, RECORDS))),
        ("p.json", f"callback({json.dumps(RECORDS)});"),
        ("r.jsonl", "\n".join(map(repr, RECORDS))),
        ("i.json", json.dumps({"intents": [{"tag": label, "patterns": texts} for label, texts in BY_CLASS.items()]})),
        ("t.xls", FRAME.to_html(index=False)),
        ("t.xml", "<?xml version='1.0'?>\n<row><text>A text, of it</text></row>\n"),
        ("t.yaml", "".join(f"- text: {text}\n  label: {label}\n" for text, label in ROWS)),
        ("t.conll", "".join(f"{word} NN O\n" for text in TEXTS for word in text.split())),
        ("t.conllu", "".join(f"{n}\t{word}" + "\t_" * 8 + "\n" for n, word in enumerate(TEXTS[0].split()))),
        ("t.txt", "INSERT INTO posts (text) VALUES\n" + "".join(f"('{text}'),\n" for text in TEXTS)),
        ("t.bib", "@article{a,title={x}}\n" * 9),
        ("bib.txt", "".join(f"@article{{a{n},\n  title = {{{text}}}\n}}\n" for n, text in enumerate(TEXTS))),
        ("trec.txt", "".join(f"<DOC>\n<DOCNO>{n}</DOCNO>\n{text}\n</DOC>\n" for n, text in enumerate(TEXTS))),
        ("all.review", "".join(f"<review>\n<text>\n{text}\n</text>\n</review>\n" for text in TEXTS)),
        ("t.arff", "% made by\n@relation r\n@attribute text string\n@data\n" + "\n".join(map(repr, TEXTS))),
        ("t.eml", "From: a@b.example\nSubject: news\n\n" + "\n".join(TEXTS)),
        ("t.mbox", "".join(f"From a@b.example Mon Apr 06\nSubject: news\n\n{text}\n\n" for text in TEXTS)),
        ("ris.txt", "TY  - JOUR\nTI  - A text\nER  - \n" * 9),
        ("srt.txt", "1\n00:00:01,000 --> 00:00:02,000\nA text\n\n" * 9),
        ("t.rtf", "{\\rtf1\\ansi Hello\\par there\\par}"),
    ],
)
def test_syntax_is_never_a_text(store, tmp_path, name, content):
    error = refused(written(tmp_path / name, content))
    assert error.code in ("E-ROWS-FAIL", "E-NOT-A-TABLE", "E-NESTED") and error.message.endswith(".")


@pytest.mark.parametrize("line", ["<p>{}</p>", "@user (hi) {}", "Speaker: {}", "1. {}"])
def test_lines_that_look_a_little_like_syntax_are_texts(store, tmp_path, line):
    texts = [line.format(text) for text in TEXTS]
    assert read(written(tmp_path / "t.txt", "\n".join(texts))) == (texts, None)


def tar(content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("texts/1.txt")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (tar(b"A text."), "a tar archive"),
        (gzip.compress(tar(b"A text.")), "a tar archive"),
        (gzip.compress(gzip.compress(b"text\nA text.\n")), "packed twice"),
        (b"$FL2@(#) SPSS DATA FILE" + bytes(range(256)), "SPSS, Stata or R"),
        (b"\x28\xb5\x2f\xfd" + bytes(range(256)), "a Zstandard archive"),
    ],
    ids=["tar", "tar.gz", "gz.gz", "sav", "zst"],
)
def test_a_file_of_another_program_is_called_what_it_is(store, tmp_path, content, named):
    (tmp_path / "file").write_bytes(content)
    assert named in refused(tmp_path / "file").message


# Workbooks and Parquet


def test_a_header_that_is_merged_downwards_is_no_row(store, tmp_path):
    path = workbook(tmp_path / "t.xlsx", [("text", "label"), (None, None), *ROWS], merged=("A1:A2", "B1:B2"))
    assert read(path) == (TEXTS, CLASSES) and report_of(path).left_out[0].rows == 1


def test_the_sheet_that_names_columns_is_read_not_the_one_that_explains_it(store, tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["This file holds our survey"])
    for row in [("text", "label"), *ROWS]:
        book["Answers"] if "Answers" in book.sheetnames else book.create_sheet("Answers")
        book["Answers"].append(row)
    book.save(tmp_path / "t.xlsx")
    assert read(tmp_path / "t.xlsx") == (TEXTS, CLASSES) and report_of(tmp_path / "t.xlsx").sheet == "Answers"


PARQUET: dict[str, Callable[[], pa.Array]] = {
    "timestamp": lambda: pa.array([2**62] * 60, pa.int64()).cast(pa.timestamp("us")),
    "duration": lambda: pa.array([2**60] * 60, pa.duration("s")),
    "date": lambda: pa.array([2**30] * 60, pa.date32()),
    "float16": lambda: pa.array([1.0] * 60, pa.float32()).cast(pa.float16()),
    "map": lambda: pa.array([[("k", 1)]] * 60, pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("kind", PARQUET)
def test_a_column_beside_the_texts_may_hold_anything(store, tmp_path, kind):
    pq.write_table(pa.table({"text": TEXTS, "label": CLASSES, "more": PARQUET[kind]()}), tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet") == (TEXTS, CLASSES)


def test_class_names_by_their_numbers_and_labels_in_lists_of_a_parquet_file(store, tmp_path):
    names = {f"{n}": label for n, label in enumerate(LABELS)}
    about = {"info": {"features": {"label": {"names": names, "_type": "ClassLabel"}}}}
    table = pa.table({"text": TEXTS, "label": [n % 3 for n in range(60)]})
    pq.write_table(table.replace_schema_metadata({"huggingface": json.dumps(about)}), tmp_path / "t.parquet")
    lists = pa.array([[label] for label in CLASSES], pa.large_list(pa.string()))
    pq.write_table(pa.table({"text": TEXTS, "label": lists}), tmp_path / "l.parquet")
    assert read(tmp_path / "t.parquet") == read(tmp_path / "l.parquet") == (TEXTS, CLASSES)
    several = pa.table({"text": TEXTS, "label": [[label, "more"] for label in CLASSES]})
    pq.write_table(several, tmp_path / "s.parquet")
    assert read(tmp_path / "s.parquet")[1] is None and "several" in report_of(tmp_path / "s.parquet").sentence


# Folders


@pytest.mark.parametrize("is_zip", [False, True])
def test_a_table_beside_what_explains_it_is_the_table(store, tmp_path, is_zip):
    files = {"README.md": "About it, in words.", "data/train.csv": FRAME.to_csv(index=False)}
    files |= {"__MACOSX/data/._train.csv": "\0", ".DS_Store": "\0"}
    path = laid_out(tmp_path / "here", files)
    if is_zip:
        path = tmp_path / "here.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    assert read(path) == (TEXTS, CLASSES)
    assert "train.csv" in report_of(path).sentence


# Pairs and queries

ONE, OTHER = ([f"{who} number {n} plays the guitar in street {n * 3}." for n in range(60)] for who in ("A man", "One"))
STS = [(0.0, 5.0, 3.8, 2.4, 1.2)[n % 5] for n in range(60)]


def table_of(path, columns: dict[str, list], **options):
    pd.DataFrame(columns).to_csv(path, index=False, sep="\t", **options)
    return path


def test_the_sts_benchmark_as_it_is_distributed(store, tmp_path):
    whole = zip(["news"] * 60, ["MSRvid"] * 60, ["2012"] * 60, range(60), STS, ONE, OTHER, strict=True)
    rows = ["\t".join(map(str, row)) + ("\tlicence\tlicence" if n % 3 == 0 else "") for n, row in enumerate(whole)]
    dataset = read_set(str(written(tmp_path / "sts.csv", "\n".join(rows))))
    assert (dataset.column("sentence1"), dataset.column("sentence2")) == (ONE, OTHER)
    assert dataset.column("score") == STS and dataset.info.reading.columns["score"] == "column 5"
    three = table_of(tmp_path / "STS.input.txt", {"s": STS, "a": ONE, "b": OTHER}, header=False)
    assert read_set(str(three)).column("score") == STS


def test_quora_without_names(store, tmp_path):
    columns = {"is_duplicate": [0, 1] * 30, "a": ONE, "b": OTHER, "id": range(60)}
    dataset = read_set(str(table_of(tmp_path / "q.tsv", columns, header=False)))
    assert dataset.info.serves == ("paraphrase",) and dataset.column("same") == [False, True] * 30


@pytest.mark.parametrize("end", [1, 4, 5, 10, 100])
def test_the_scale_of_scores_is_the_one_that_they_use_to_its_end(store, tmp_path, end):
    scores = [n % 5 / 4 * end for n in range(60)]
    path = table_of(tmp_path / "s.tsv", {"sentence1": ONE, "sentence2": OTHER, "score": scores})
    assert read_set(str(path)).info.reading.scale == (0.0, end)
    assert read_pairs(path).scores == [n % 5 / 4 for n in range(60)]


def test_columns_of_pairs_that_are_not_used_are_named(store, tmp_path):
    path = table_of(tmp_path / "s.tsv", {"sentence1": ONE, "sentence2": OTHER, "distance": STS})
    assert "not used: 'distance'" in read_pairs(path).info.reading.sentence


def test_a_score_that_is_not_available_is_left_out(store, tmp_path):
    scores = ["NA" if n % 6 == 0 else STS[n] for n in range(60)]
    path = table_of(tmp_path / "s.tsv", {"sentence1": ONE, "sentence2": OTHER, "score": scores})
    assert read_set(str(path)).info.reading.left_out[0].rows == 10


@pytest.mark.parametrize("words", [("e", "n", "c"), ("entails", "neutral", "contradicts")])
def test_nli_classes_by_other_words(store, tmp_path, words):
    columns = {
        "premise": [ONE[n // 3] for n in range(60)],
        "hypothesis": OTHER,
        "label": [words[n % 3] for n in range(60)],
    }
    pairs = read_pairs(table_of(tmp_path / "n.tsv", columns))
    assert pairs.info.is_nli and pairs.positives == OTHER[::3] and pairs.negatives == [[text] for text in OTHER[2::3]]


def test_words_that_nli_does_not_know_are_asked_about(store, tmp_path):
    columns = {"premise": ONE, "hypothesis": OTHER, "label": ["ja", "egal", "nein"] * 20}
    path = table_of(tmp_path / "n.tsv", columns)
    with pytest.raises(CorpusError, match="'egal'") as raised:
        read_pairs(path)
    assert raised.value.code == "E-NLI"


def test_nli_classes_that_count_from_1_are_asked_about_and_then_read(store, tmp_path):
    rows = [(text, f"{text} too", number % 3 + 1) for number, text in enumerate(TEXTS)]
    path = tmp_path / "n.csv"
    pd.DataFrame(rows, columns=["premise", "hypothesis", "label"]).to_csv(path, index=False)
    with pytest.raises(CorpusError, match="holds only 1, 2, 3: are these NLI classes or scores"):
        read_pairs(path)
    pairs = read_pairs(path, PairReading(nli=("entailment", "neutral", "contradiction")))
    assert pairs.anchors == TEXTS[::3] and "1, 2, 3 of 'label' are entailment" in pairs.info.reading.sentence


@pytest.mark.parametrize("name", ["lists.jsonl", "triples.tsv"])
@pytest.mark.parametrize("width", [2, 3])
def test_pairs_and_triples_without_names_are_read_in_their_order(store, tmp_path, name, width):
    columns = [TEXTS, [f"{text} too" for text in TEXTS], TEXTS[::-1]][:width]
    rows = list(zip(*columns, strict=True))
    lines = map(json.dumps, rows) if name == "lists.jsonl" else map("\t".join, rows)
    pairs = read_pairs(written(tmp_path / name, "\n".join(lines)))
    assert [pairs.anchors, pairs.positives] == columns[:2]
    assert pairs.negatives == ([[text] for text in TEXTS[::-1]] if width == 3 else [[]] * len(TEXTS))
    assert "anchor is 'column 1', positive is 'column 2'" in pairs.info.reading.sentence


@pytest.mark.parametrize("words", [("similar", "dissimilar"), ("same", "different"), ("match", "no match")])
def test_two_words_about_two_texts_that_are_not_understood_are_asked_about(store, tmp_path, words):
    rows = [(text, f"{text} too", words[number % 2]) for number, text in enumerate(TEXTS)]
    path = tmp_path / "w.csv"
    pd.DataFrame(rows, columns=["sentence1", "sentence2", "label"]).to_csv(path, index=False)
    with pytest.raises(CorpusError, match="should say how the two texts relate"):
        read_pairs(path)
    assert read_pairs(path, PairReading(score="")).info.pairs == len(TEXTS)


def test_positives_and_negatives_in_lists(store, tmp_path):
    lines = [{"query": a, "pos": [b, "more"], "neg": [a, b]} for a, b in zip(ONE, OTHER, strict=True)]
    pairs = read_pairs(written(tmp_path / "p.jsonl", "\n".join(map(json.dumps, lines))))
    assert pairs.positives == OTHER and pairs.negatives[0] == [ONE[0], OTHER[0]]
    assert "first text of each list in 'pos', of which 60 hold several" in pairs.info.reading.sentence


def test_judgements_queries_and_documents_as_pytrec_eval_keeps_them(store, tmp_path):
    grades = {f"q{n}": {f"d{n}": 1, f"d{n + 6}": 2} for n in range(6)}
    qrels = written(tmp_path / "qrels.json", json.dumps(grades))
    queries = written(tmp_path / "q.json", json.dumps({f"q{n}": ONE[n] for n in range(6)}))
    documents = written(tmp_path / "d.json", json.dumps({f"d{n}": OTHER[n] for n in range(12)}))
    dataset = read_set(str(qrels), SetReading(documents=str(documents), queries=str(queries)))
    assert dataset.column("rows") == [[n, n + 6] for n in range(6)] and dataset.column("gains") == [[1.0, 2.0]] * 6


def test_signs_of_ethiopic_are_no_words():
    assert units("ዛሬ፡አየሩ፡ጥሩ፡ነው። ወደ") == ["ዛሬ", "አየሩ", "ጥሩ", "ነው", "ወደ"]
