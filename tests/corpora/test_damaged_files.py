"""Whatever the bytes: a damaged file gives a corpus, a set or vectors, or a sentence, and nothing else."""

import gzip
import io
import json
import random
import re
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl.chart import BarChart

from embedlab.corpora import load_corpus
from embedlab.corpora.files import first_rows, read_table
from embedlab.corpora.names import has_header
from embedlab.corpora.proposal import Reading
from embedlab.corpora.sets.reading import read_set
from embedlab.damage import damage_said
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.vectors.opened import all_rows, open_vectors

DAMAGES = 60  # of each kind
ROWS = [(f"Text number {n} is about ships, “harbors” and {n * 7} crews.", ("a", "b", "c")[n % 3]) for n in range(120)]
COLUMNS = {"text": [text for text, _ in ROWS], "label": [label for _, label in ROWS]}


def as_csv(delimiter: str = ",") -> bytes:
    return "\n".join(f'"{text}"{delimiter}{label}' for text, label in [("text", "label"), *ROWS]).encode()


def as_json(between: str, ends: tuple[str, str] = ("", "")) -> bytes:
    lines = [json.dumps({"text": text, "label": label, "n": 1}) for text, label in ROWS]
    return f"{ends[0]}{between.join(lines)}{ends[1]}".encode()


def as_parquet(columns: dict, **options) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, **options)
    return out.getvalue()


def as_xlsx() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in [("text", "label"), *ROWS]:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def as_zip(compression: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for n, (text, label) in enumerate(ROWS[:30]):
            archive.writestr(f"{label}/{n}.txt", text)
    return out.getvalue()


def as_npy() -> bytes:
    out = io.BytesIO()
    np.save(out, np.random.default_rng(0).normal(size=(40, 8)).astype(np.float32))
    return out.getvalue()


VECTORS = {"id": range(40), "embedding": np.random.default_rng(0).normal(size=(40, 8)).tolist()}
QUERIES = {"query": COLUMNS["text"], "positive": [["yes", "no"]] * 120, "negative": [["other"]] * 120}
CORPORA = {
    "t.csv": as_csv(),
    "t.tsv": as_csv("\t"),
    "t.txt": "\n".join(COLUMNS["text"]).encode("cp1252"),
    "wide.csv": as_csv().decode().encode("utf-16"),
    "t.jsonl": as_json("\n"),
    "t.json": as_json(",\n", ("[", "]")),
    "t.csv.gz": gzip.compress(as_csv()),
    "t.parquet": as_parquet(COLUMNS | {"n": range(120), "list": [["x", "y"]] * 120}),
    "plain.parquet": as_parquet(COLUMNS, compression="none", use_dictionary=False),
    "t.xlsx": as_xlsx(),
    "t.zip": as_zip(zipfile.ZIP_DEFLATED),
    "stored.zip": as_zip(zipfile.ZIP_STORED),
}
SETS = {
    "pairs.csv": b"sentence1,sentence2,score\n" + b"".join(b"one %d,two %d,%d\n" % (n, n, n % 6) for n in range(60)),
    "candidates.parquet": as_parquet(QUERIES),
}
BROUGHT = {
    "v.npy": as_npy(),
    "v.parquet": as_parquet(VECTORS),
    "plain.parquet": as_parquet(VECTORS, compression="none"),
}


def damaged(content: bytes, seed: int) -> bytes:
    """Some bytes changed, a part cut out, the end cut off, or bytes put in; here and there, or only in one part."""
    rng = random.Random(seed)
    found = bytearray(content)
    first = rng.choice([0, min(64, len(found) // 2), max(0, len(found) - 1500)])  # directories stand at the end
    for _ in range(rng.choice([1, 2, 8])):
        at = rng.randrange(first, max(len(found), first + 1))
        kind = rng.choice(["flip", "flip", "flip", "cut", "end", "insert"])
        if kind == "flip" and at < len(found):
            found[at] ^= 1 << rng.randrange(8)
        elif kind == "cut":
            del found[at : at + rng.choice([1, 16, 300])]
        elif kind == "end":
            del found[max(at, len(found) - rng.choice([1, 30, 5000])) :]
        else:
            found[at:at] = rng.randbytes(rng.choice([1, 4, 200]))
    return bytes(found)


def damaged_inside(content: bytes, seed: int) -> bytes:
    """A zip whose checksums are right but one of whose members was damaged before it was packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(out, "w") as made:
        names = archive.namelist()
        for name in names:
            member = archive.read(name)
            made.writestr(name, damaged(member, seed) if name == names[seed % len(names)] else member)
    return out.getvalue()


def escaped(content: bytes, path, read, damage=damaged, *, times: int = DAMAGES) -> list[str]:
    """What is neither a result nor a sentence of ours, with its seed."""
    found = []
    for seed in range(times):
        path.write_bytes(damage(content, seed))
        try:
            read(path)
        except EmbedlabError as error:
            assert error.message.endswith(".") and error.code.startswith("E-")
        except Exception as error:
            found.append(f"{seed}: {type(error).__name__}: {error}")
    return found


@pytest.mark.parametrize("name", CORPORA)
def test_a_damaged_corpus_is_read_or_refused_in_a_sentence(tmp_path, store, name):
    assert not escaped(CORPORA[name], tmp_path / name, lambda path: load_corpus(str(path)))


@pytest.mark.parametrize("name", ["t.xlsx", "t.zip"])
def test_what_was_damaged_before_it_was_packed_too(tmp_path, store, name):
    assert not escaped(CORPORA[name], tmp_path / name, lambda path: load_corpus(str(path)), damaged_inside)


def test_every_byte_at_the_end_of_a_zip(tmp_path, store):  # its directory: two entries, and where it begins
    def flipped(content: bytes, place: int) -> bytes:
        at = len(content) - 1 - place
        return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]

    assert not escaped(CORPORA["t.zip"], tmp_path / "t.zip", lambda path: load_corpus(str(path)), flipped, times=160)


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize("whole_bytes", [0, 2**22])
def test_a_damaged_file_is_proposed_or_refused_in_a_sentence(tmp_path, monkeypatch, name, whole_bytes):
    monkeypatch.setattr("embedlab.corpora.files.WHOLE_BYTES", whole_bytes)
    monkeypatch.setattr("embedlab.corpora.files.HEAD_BYTES", 6_000)
    assert not escaped(CORPORA[name], tmp_path / name, lambda path: first_rows(path, Reading()))


def test_a_chart_before_the_first_sheet_is_passed_over(tmp_path):
    book = openpyxl.Workbook()
    book.create_chartsheet(index=0).add_chart(BarChart())
    for row in (["text"], ["One text."]):
        book.worksheets[0].append(row)
    book.save(tmp_path / "t.xlsx")
    assert read_table(tmp_path / "t.xlsx").columns.column("text").to_pylist() == ["One text."]


def test_a_workbook_without_a_sheet_is_refused(tmp_path):
    with zipfile.ZipFile(io.BytesIO(as_xlsx())) as archive, zipfile.ZipFile(tmp_path / "t.xlsx", "w") as made:
        for name in archive.namelist():
            made.writestr(name, re.sub(rb"<sheets>.*</sheets>", b"<sheets/>", archive.read(name)))
    with pytest.raises(CorpusError, match="has no sheet"):
        read_table(tmp_path / "t.xlsx")


def test_a_fault_of_our_own_is_not_called_damage():
    with pytest.raises(IndexError), damage_said("t.csv"):
        has_header([])
    with pytest.raises(CorpusError, match=r"'t.csv' cannot be read \(BadZipFile: File is not a zip file\)"):
        with damage_said("t.csv"):
            zipfile.ZipFile(io.BytesIO())


@pytest.mark.parametrize("name", SETS)
def test_a_damaged_set_is_read_or_refused_in_a_sentence(tmp_path, store, name):
    assert not escaped(SETS[name], tmp_path / name, lambda path: read_set(str(path)))


@pytest.mark.parametrize("name", BROUGHT)
def test_damaged_vectors_are_read_or_refused_in_a_sentence(tmp_path, name):
    assert not escaped(BROUGHT[name], tmp_path / name, lambda path: all_rows(open_vectors(path)))
