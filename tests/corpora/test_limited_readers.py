"""Files of strangers are read in a process with limits: the same tables, and a sentence for what needs too much."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hostile_files import workbook

from embedlab import limits, reader_process
from embedlab.archives import zip_names
from embedlab.cli import main
from embedlab.corpora import files as files_module
from embedlab.corpora.files import first_rows, read_table
from embedlab.corpora.notes import ReadOptions
from embedlab.corpora.sets.layouts import unpacked_if_zip
from embedlab.errors import CorpusError, SettingsError, StopRequested
from embedlab.reader_process import read_limited
from embedlab.reader_worker import Here
from embedlab.vectors.opened import COORDINATES, open_vectors

ROWS = [{"text": f"A text of some words, number {row}", "label": "ab"[row % 2]} for row in range(40)]


@pytest.fixture(params=["fork", "server"])
def way(request, monkeypatch, limited_readers):
    """Both ways to the process."""
    monkeypatch.setattr(reader_process, "_is_alone", lambda: request.param == "fork")


@pytest.fixture
def forked(monkeypatch, limited_readers):
    """The process is a fork of this one, so that it knows the readers of this file."""
    monkeypatch.setattr(reader_process, "_is_alone", lambda: True)


def files(folder: Path) -> list[Path]:
    """One of each kind."""
    table = pa.Table.from_pylist(ROWS)
    (folder / "t.csv").write_text("text,label\n" + "".join(f'"{row["text"]}",{row["label"]}\n' for row in ROWS))
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (folder / "t.json").write_text(json.dumps({"data": ROWS}))
    (folder / "t.xlsx").write_bytes(workbook())
    pq.write_table(table.set_column(1, "label", table["label"].dictionary_encode()), folder / "t.parquet")
    with zipfile.ZipFile(folder / "t.zip", "w") as archive:
        for number, row in enumerate(ROWS):
            archive.writestr(f"{row['label']}/{number}.txt", row["text"])
    (folder / "texts" / "a").mkdir(parents=True)
    (folder / "texts" / "a" / "1.txt").write_text("one text")
    return sorted(folder.iterdir())


def test_a_process_with_limits_reads_the_same_tables(tmp_path, monkeypatch, way):
    seen, is_told = [], lambda stage, done=0, total=0: seen.append(stage)
    for file in files(tmp_path):
        monkeypatch.setattr(Here, "is_reader", True)
        here = read_table(file), first_rows(file, ReadOptions())
        monkeypatch.setattr(Here, "is_reader", False)
        there = read_table(file, progress=is_told), first_rows(file, ReadOptions())
        assert there[0] == here[0] and f"Reading {file.name}" in seen, file
        assert (there[1] and there[1].columns) == (here[1] and here[1].columns), file


def test_what_a_reader_refuses_is_refused_with_its_code(tmp_path, way):
    (tmp_path / "t.csv").write_text("\x7fELF")
    (tmp_path / "e.jsonl").write_text("{}\n")
    for name, code in (("t.csv", "E-NOT-A-TABLE"), ("e.jsonl", "E-NO-TEXTS")):
        with pytest.raises(CorpusError) as refused:
            read_table(tmp_path / name)
        assert refused.value.code == code


@pytest.mark.parametrize("row", [1_000_000_000, 4_000_000_000])
def test_a_workbook_with_a_row_number_of_a_billion_is_one_sentence(tmp_path, way, row):
    (tmp_path / "t.xlsx").write_bytes(workbook(row))
    for read in (read_table, lambda file: first_rows(file, ReadOptions())):
        with pytest.raises(CorpusError, match=r"Reading 't.xlsx' takes more than \d+ MB of memory") as refused:
            read(tmp_path / "t.xlsx")
        assert refused.value.code == "E-READ-LIMIT"


def spin(path: Path, **_: object) -> None:
    """A reader that never ends."""
    while True:
        pass


def wait(path: Path, **_: object) -> None:
    """A reader that waits for ever."""
    threading.Event().wait()


def hoard(path: Path, **_: object) -> None:
    """A reader that needs a gibibyte."""
    np.ones(2**27)


def crash(path: Path, **_: object) -> None:
    """A reader whose library crashes."""
    os.kill(os.getpid(), signal.SIGSEGV)


def panic(path: Path, **_: object) -> None:
    """A reader whose library is written in Rust."""
    raise type("PanicException", (BaseException,), {})("called `Option::unwrap()` on a `None` value")


def mistake(path: Path, **_: object) -> None:
    """A reader with a fault of ours."""
    raise KeyError("ours")


def report(path: Path, *, progress, **_: object) -> None:
    """A reader that says where it is, and waits."""
    progress("Reading", 1, 2)
    threading.Event().wait()


@pytest.mark.parametrize(
    ("reader", "sentence"),
    [
        (spin, "takes more than 1 second of processor time"),
        (wait, "takes longer than 1 seconds"),
        (hoard, "takes more than 805 MB of memory"),
        (crash, "crashes the library that reads it"),
        (panic, "crashes the library that reads it"),
    ],
)
def test_a_reader_that_needs_too_much_is_ended_with_a_sentence(tmp_path, monkeypatch, forked, reader, sentence):
    (tmp_path / "t.csv").write_text("text")
    clock = {"reading_clock_seconds": 1, "reading_seconds": 0} if reader is wait else {"reading_seconds": 1}
    monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, **clock))
    with pytest.raises(SettingsError, match=sentence) as refused:
        read_limited(f"{__name__}:{reader.__name__}", tmp_path / "t.csv", error=SettingsError)
    assert refused.value.code == "E-READ-LIMIT"


def test_a_fault_of_ours_stays_one(tmp_path, forked):
    with pytest.raises(RuntimeError, match="KeyError: 'ours'"):
        read_limited(f"{__name__}:mistake", tmp_path)


def test_a_reader_that_nobody_waits_for_is_ended(tmp_path, forked):
    def stop(*_: object) -> None:
        raise StopRequested

    with pytest.raises(StopRequested):  # the reader itself waits for ever
        read_limited(f"{__name__}:report", tmp_path, progress=stop)


def test_the_server_ends_with_its_process():
    warm_up = "from embedlab.reader_process import warm_up, _Server; warm_up(); print(_Server.process.pid)"
    command = [sys.executable, "-W", "default::ResourceWarning", "-c", warm_up]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == "" and not psutil.pid_exists(int(done.stdout))


def test_lines_that_arrive_together_are_not_waited_for_again():
    ours, theirs = os.pipe()
    os.write(theirs, b"one\ntwo\nthr")
    pipe, long_ago = reader_process._Pipe(ours), 0.0
    assert [pipe.line(until=time.monotonic() + 60) for _ in range(2)] == [b"one\n", b"two\n"]
    assert pipe.line(until=long_ago) == b"" and pipe.content(2) == b"th"
    os.write(theirs, b"ee\nfour")
    os.close(theirs)
    assert pipe.line(until=time.monotonic() + 60) == b"ree\n"
    assert pipe.content(9) == b"four" and pipe.line(until=time.monotonic() + 60) == b""
    os.close(ours)


def test_a_large_table_comes_back_as_a_file_that_leaves_nothing(tmp_path, monkeypatch, forked):
    monkeypatch.setenv("EMBEDLAB_HOME", str(tmp_path / "store"))
    monkeypatch.setattr("embedlab.reader_worker.SENT_BYTES", 10)
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert read_table(tmp_path / "t.jsonl").columns.to_pylist() == ROWS
    assert not list((tmp_path / "store" / "scratch").glob("[!.]*"))


def test_cells_of_a_dictionary_count_with_all_their_characters(tmp_path):
    texts = pa.DictionaryArray.from_arrays(
        pa.array(np.arange(100_000) % 3, pa.int32()), [each * 2000 for each in "abc"]
    )
    pq.write_table(pa.table({"text": texts}), tmp_path / "t.parquet")
    with pytest.raises(CorpusError, match="unpacks to more than its limit"):
        read_table(tmp_path / "t.parquet")
    pq.write_table(pa.table({"text": texts.slice(0, 1_000)}), tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").columns.schema.types == [pa.string()]


def times(number: int, kind: pa.DataType) -> pa.Array:
    return pa.array([number, None], f"int{kind.bit_width}").view(kind)


@pytest.mark.parametrize(
    ("number", "kind", "first"),
    [
        (2**31 - 1, pa.date32(), "<value out of range: 2147483647>"),
        (2**62, pa.timestamp("us"), "<value out of range: 4611686018427387904>"),
        (0, pa.timestamp("ms", "Mars/Base"), "1970-01-01 00:00:00.000"),
        (2**62, pa.duration("s"), "4611686018427387904"),
    ],
)
def test_times_that_python_cannot_hold_are_text(tmp_path, number, kind, first):
    pq.write_table(pa.table({"text": ["one text", "another"], "at": times(number, kind)}), tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet").column("at")) == [first, None]


def test_other_times_stay_times_and_lists_of_impossible_ones_are_refused(tmp_path):
    at = times(0, pa.timestamp("us", "Europe/Berlin"))
    pq.write_table(pa.table({"text": ["one text", "another"], "at": at}), tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").columns["at"].type == at.type
    lists = pa.ListArray.from_arrays([0, 1, 2], times(2**62, pa.timestamp("us")))
    pq.write_table(pa.table({"text": ["one text", "another"], "at": lists}), tmp_path / "t.parquet")
    with pytest.raises(CorpusError, match="holds dates that no calendar has"):
        read_table(tmp_path / "t.parquet")


def test_a_zip_of_a_data_set_is_listed_and_unpacked_there(tmp_path, way):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("corpus.jsonl", json.dumps({"_id": "1", "text": "one"}))
        archive.writestr("qrels/test.tsv", "query-id\tcorpus-id\tscore\n")
    assert zip_names(tmp_path / "t.zip") == ["corpus.jsonl", "qrels/test.tsv"]
    with unpacked_if_zip(tmp_path / "t.zip", "t.zip") as found:
        assert found is not None and found.documents[0].read_text() == '{"_id": "1", "text": "one"}'
    (tmp_path / "t.zip").write_bytes((tmp_path / "t.zip").read_bytes()[:-30] + b"PK\x05\x06" + bytes(18))
    with pytest.raises(CorpusError):
        zip_names(tmp_path / "t.zip") or read_table(tmp_path / "t.zip")


def test_an_archive_of_vectors_that_unpacks_to_more_than_the_limit_is_one_sentence(tmp_path, monkeypatch, way):
    monkeypatch.setattr(
        limits,
        "LIMITS",
        replace(limits.LIMITS, reading_bytes=64 * 2**20, reading_bytes_per_byte=1, archive_ratio=10**9),
    )
    with zipfile.ZipFile(tmp_path / "v.npz", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("v.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (2**17, 256)})
        file.write(bytes(2**17 * 256 * 4))
    with pytest.raises(SettingsError, match="Reading 'v.npz' takes more than"):
        open_vectors(tmp_path / "v.npz")
    np.save(tmp_path / "v.npy", np.ones((3, 2), np.float32))
    assert open_vectors(tmp_path / "v.npy").rows == 3


@pytest.mark.parametrize("arguments", [["train", "--settings"], ["learn", "tally"]])
def test_a_pipe_a_device_and_a_huge_file_are_one_sentence_where_a_small_file_is_read(
    tmp_path, arguments, capsys, store
):
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(2**30)
    for name in (str(tmp_path / "pipe"), "/dev/zero", str(tmp_path / "huge")):
        assert main([*arguments, name]) == 2
        said = capsys.readouterr().err.strip()
        assert "\n" not in said and ("pipe or device" in said or "more than 20,971,520 bytes" in said), said


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (json.dumps(ROWS * 10), None),  # all on one line
        (json.dumps({"rows": ROWS * 10}), None),
        (json.dumps({"rows": ROWS * 10}, indent=1), None),
        ("".join(json.dumps(each) + "\n" for each in ROWS * 10), 150),  # JSON Lines are told from their beginning
    ],
)
def test_json_on_one_line_longer_than_what_a_preview_reads_waits_for_the_whole(tmp_path, monkeypatch, content, rows):
    monkeypatch.setattr(files_module, "HEAD_BYTES", 10_000)
    monkeypatch.setattr(files_module, "WHOLE_BYTES", 10_000)
    (tmp_path / "line.json").write_text(content, encoding="utf-8")
    first = first_rows(tmp_path / "line.json", ReadOptions())
    assert (first is None) if rows is None else (first.columns.num_rows > rows)
    assert read_table(tmp_path / "line.json").columns.num_rows == 400


def test_imported_coordinates_are_read_in_such_a_process_too(tmp_path, monkeypatch, limited_readers):
    """x and y of four million rows that lie in the file as one value each."""
    monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, reading_bytes=2**20, reading_bytes_per_byte=0))
    many = pa.array(np.zeros(4_000_000))
    pq.write_table(pa.table({"x": many, "y": many, "id": many}), tmp_path / "map.parquet", row_group_size=4_000_000)
    with pytest.raises(SettingsError, match="Reading 'map.parquet' takes more than .* of memory") as refused:
        open_vectors(tmp_path / "map.parquet", kind=COORDINATES)
    assert refused.value.code == "E-READ-LIMIT"
