"""``selections``, ``corpus subset`` and ``figure``: keys, exit codes, one sentence for a mistake."""

import csv

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import leave_state

from embedlab.corpora.base import open_corpus
from embedlab.runs.selections import keep
from embedlab.runs.store import create_run
from embedlab.store_root import write_json


def test_a_selection_is_listed_shown_exported_and_deleted(call, toy_corpus, tmp_path):
    assert call("selections", "list") == (0, {"selections": []})
    kept = keep(toy_corpus, "=courts", [5, 2])
    (listed,) = call("selections", "list")[1]["selections"]
    assert set(listed) == {"selection", "name", "corpus", "texts", "created", "drawn"}
    assert call("selections", "show", kept.id)[1] == {**listed, "rows": [2, 5]}
    for ending in ("csv", "parquet"):
        out = tmp_path / f"texts.{ending}"
        assert call("selections", "export", kept.id, "--out", str(out))[1]["texts"] == 2
    rows = list(csv.DictReader((tmp_path / "texts.csv").read_text("utf-8-sig").splitlines()))
    assert [row["text"] for row in rows] == [toy_corpus.texts[2], toy_corpus.texts[5]]
    assert pq.read_table(tmp_path / "texts.parquet").column("label").to_pylist() == list(toy_corpus.labels[[2, 5]])
    assert call("selections", "delete", kept.id) == (0, {"selection": kept.id, "deleted": True})
    code, failed = call("selections", "show", kept.id)
    assert (code, failed["error"]["code"]) == (2, "E-SELECTION")
    assert call("selections", "export", kept.id, "--out", "texts.txt")[0] == 2


def test_a_corpus_is_made_of_a_selection_of_classes_and_of_rows(call, toy_corpus, tmp_path):
    kept = keep(toy_corpus, "courts", [0, 1, 2])
    code, made = call("corpus", "subset", "--selection", kept.id)
    assert code == 0 and made["corpus"] | {"fingerprint": ""} == {
        "name": "toy: courts", "texts": 3, "classes": 3, "fingerprint": ""
    }  # fmt: skip
    assert made["of"] == {"name": "toy", "texts": 120, "fingerprint": toy_corpus.fingerprint}
    _, made = call("corpus", "subset", toy_corpus.fingerprint, "--class", "law", "--class", "sailing", "--name", "two")
    assert (made["corpus"]["name"], made["corpus"]["texts"], made["corpus"]["classes"]) == ("two", 60, 2)
    np.save(tmp_path / "rows.npy", np.array([3, 4]))
    (tmp_path / "rows.txt").write_text("3\n4\n")
    by_array, by_lines = (
        call("corpus", "subset", toy_corpus.fingerprint, "--rows", str(tmp_path / name))[1]["corpus"]["fingerprint"]
        for name in ("rows.npy", "rows.txt")
    )
    assert by_array == by_lines and open_corpus(by_array).texts == toy_corpus.texts[3:5]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--class", "Law"], "E-CLASS"),
        (["--rows", "nowhere.npy"], "E-PATH"),
        (["--selection", "nothing"], "E-SELECTION"),
        ([], "E-COMMAND"),
        (["--rows", "README.md"], "E-ROWS"),
    ],
)
def test_a_mistake_in_choosing_is_one_sentence(call, toy_corpus, options, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("no numbers here")
    exit_code, failed = call("corpus", "subset", toy_corpus.fingerprint, *options)
    assert (exit_code, failed["error"]["code"]) == (2, code)


def test_a_figure_is_drawn_in_the_format_of_its_file(call, toy_corpus, tmp_path):
    run = create_run("train", {"corpus": toy_corpus.fingerprint})
    leave_state(run, corpus=toy_corpus)
    code, failed = call("figure", "--run", run.id, "--out", str(tmp_path / "map.svg"))
    assert (code, failed["error"]["code"]) == (2, "E-NOT-DRAWN")
    for side in ("before", "after"):
        run.map(side, "tsne").parent.mkdir(exist_ok=True)
        pq.write_table(
            pa.table({"id": toy_corpus.kept, "x": np.arange(120.0), "y": np.arange(120.0) % 7}), run.map(side, "tsne")
        )
        write_json(run.map_facts(side, "tsne"), {"seed": 42})
    out = tmp_path / "map.svg"
    code, made = call(
        "figure", "--run", run.id, "--maps", "left", "--width", "85", "--names", "legend", "--out", str(out)
    )
    assert code == 0 and set(made) >= {"out", "run", "method", "maps", "format", "texts", "width", "height", "bytes"}
    assert made["width"] == 1004 and ">sailing</text>" in out.read_text()
    for wrong in (["--out", "map.gif"], ["--format", "pdf", "--out", str(out)], ["--width", "2", "--out", str(out)]):
        assert call("figure", "--run", run.id, *wrong)[0] == 2
