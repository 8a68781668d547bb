"""Bringing files: a finished run like any other, whole or absent, and what needs an encoder says so."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from doing import do, result_of

from embedlab.comparison.rows import RUN, UNTOUCHED, compared_rows
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import paper_split
from embedlab.report.methods import methods_of
from embedlab.runs.drawn_map import is_drawn_onto, right_map, shares_frame, write_map
from embedlab.runs.imported import has_only_places, is_own
from embedlab.runs.state import State, read_state
from embedlab.runs.store import fingerprint_of, list_runs, open_run
from embedlab.store_root import read_json, write_json
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.embedded import load_embeddings


@pytest.fixture(autouse=True)
def submitted(monkeypatch):
    """Maps that would be drawn by another process."""
    asked = []
    monkeypatch.setattr("embedlab.tasks.import_embeddings.submit", asked.append)
    return asked


@pytest.fixture
def files(toy_corpus, tmp_path):
    """``good.npy`` sorts the classes, ``noise.npy`` does not; ``places.npy`` are coordinates."""
    rng = np.random.default_rng(0)
    names = sorted(set(toy_corpus.labels))
    good = np.eye(4)[[names.index(label) for label in toy_corpus.labels]] + 0.1 * rng.standard_normal((120, 4))
    np.save(tmp_path / "good.npy", good)
    np.save(tmp_path / "noise.npy", rng.standard_normal((120, 7)))
    np.save(tmp_path / "places.npy", good[:, :2])
    return lambda **roles: {
        "corpus": toy_corpus.fingerprint,
        **{role: {"path": str(tmp_path / f"{name}.npy")} for role, name in roles.items()},
    }


def brought(files, **roles):
    return open_run(read_json(do("bring", files(**roles)).result)["run"])


def test_two_files_are_a_finished_run_with_a_verdict(files, toy_corpus, submitted):
    run = brought(files, before="noise", after="good")
    assert read_state(run).state is State.FINISHED and is_own(run) and list_runs()[0].id == run.id
    assert fingerprint_of(run) == toy_corpus.fingerprint
    result, stored = result_of(run), np.load(run.embeddings("after"))
    assert result["knn"]["after"] == 1.0 > result["knn"]["before"]
    assert result["steps"] == 0 and "against noise.npy" in result["verdict"]
    split = paper_split(toy_corpus.texts, toy_corpus.labels, toy_corpus.kept)
    alone = knn_accuracy(embeddings=np.load(run.embeddings("before")), labels=toy_corpus.labels, split=split)
    assert result["knn"]["before"] == alone.value  # the same protocol as any run
    assert stored.dtype == np.float32 and stored.shape == (120, 4)
    assert result["folds"]["after"] == 1.0 and run.predictions.exists()
    assert submitted == [DrawMaps(run=run.id)]
    assert [row.name for row in compared_rows([run]) if row.kind in (UNTOUCHED, RUN)] == [
        "noise.npy", "noise.npy and good.npy",
    ]  # fmt: skip
    assert "read from noise.npy and good.npy" in methods_of(run).text


def test_one_file_stands_on_both_sides_and_is_one_row_of_a_comparison(files):
    run = brought(files, before="good")
    result = result_of(run)
    assert np.array_equal(np.load(run.embeddings("before")), np.load(run.embeddings("after")))
    assert result["knn"]["before"] == result["knn"]["after"] and "verdict" not in result
    assert [row.kind for row in compared_rows([run]) if row.encoder] == [UNTOUCHED]


def test_coordinates_are_a_map_as_they_are_and_nothing_is_drawn(files, toy_corpus, submitted):
    run = brought(files, coordinates="places")
    drawn = pq.read_table(run.map("after", "own"))
    assert np.array_equal(drawn.column("id").to_numpy(), toy_corpus.kept)
    places = np.load(files(x="places")["x"]["path"]).astype(np.float32)
    assert np.array_equal(np.column_stack([drawn.column("x"), drawn.column("y")]), places)
    assert has_only_places(run) and result_of(run)["knn"] is None and submitted == []
    with pytest.raises(EmbedlabError) as raised:
        load_embeddings(run, "after")
    assert raised.value.code == "E-NO-EMBEDDINGS" and "places.npy" in raised.value.message


def test_what_needs_an_encoder_says_that_there_is_none(files):
    run = brought(files, before="good")
    for name in ("before", "after"):
        with pytest.raises(EmbedlabError) as raised:
            encoder_of_run(run, name)
        assert raised.value.code == "E-NO-ENCODER" and "good.npy" in raised.value.message


WRONG = {  # where, and what stands there: row 3 is the third
    "infinite": ((2, 1), np.inf, "row 3, value 2 of 'places.npy' is inf"),
    "minus infinite": ((2, 0), -np.inf, "row 3, value 1 of 'places.npy' is -inf"),
    "beyond float32": ((119, 1), 1e308, "row 120, value 2 of 'places.npy' is 1e+308"),
    "too large to be drawn": ((0, 0), -2e15, "row 1, value 1 of 'places.npy' is -2000000000000000.0"),
    "half a place": ((2, 1), np.nan, "row 3, value 2 of 'places.npy' is nan"),
}


@pytest.mark.parametrize("what", WRONG)
def test_coordinates_that_cannot_be_drawn_are_refused_with_their_place(files, what):
    path = files(x="places")["x"]["path"]
    position, value, part = WRONG[what]
    places = np.load(path)
    places[position] = value
    np.save(path, places)
    with pytest.raises(EmbedlabError) as raised:
        do("bring", files(coordinates="places"))
    assert raised.value.code == "E-VALUE" and part in raised.value.message
    assert list_runs() == []


def test_texts_without_a_place_are_counted(files):
    path = files(x="places")["x"]["path"]
    places = np.load(path)
    places[[4, 9]] = np.nan
    np.save(path, places)
    (note,) = result_of(brought(files, coordinates="places"))["warnings"]
    assert note["code"] == "W-NO-PLACE" and "2 of 120" in note["message"] and "places.npy" in note["message"]


@pytest.mark.parametrize(
    ("roles", "code"), [({}, "E-SETTING"), ({"after": "good"}, "E-SETTING"), ({"before": "none"}, "E-PATH")]
)
def test_what_cannot_be_brought_leaves_no_run(files, roles, code):
    with pytest.raises(EmbedlabError) as raised:
        do("bring", files(**roles))
    assert raised.value.code == code
    assert list_runs() == []


def write(run, name, places, corpus):
    write_map(run.map(name, "tsne"), corpus.kept, places)
    write_json(run.map_facts(name, "tsne"), {"method": "tsne"})


def test_runs_of_one_map_before_share_its_frame(files, toy_corpus):
    first, second = brought(files, before="good"), brought(files, before="noise", after="good")
    places = np.random.default_rng(1).standard_normal((120, 2))
    for run in (first, second):
        write(run, "before", places, toy_corpus)
        assert not is_drawn_onto(second, first, "tsne")
        write(run, "after", places + 1, toy_corpus)
    assert shares_frame(first, second, "tsne") and is_drawn_onto(second, first, "tsne")
    assert right_map(second, first.id, first, "tsne") == second.map("after", "tsne")
    write(second, "before", places + [[0.0, 0.5]], toy_corpus)
    write(second, "after", places, toy_corpus)
    assert not shares_frame(first, second, "tsne") and not is_drawn_onto(second, first, "tsne")
    assert right_map(second, first.id, first, "tsne") == second.map_onto(first.id, "tsne")


def test_the_gallery_draws_what_is_missing_and_lays_it_onto_the_first(files, toy_corpus, monkeypatch):
    runs, asked = [brought(files, before=name) for name in ("good", "noise")], []

    def draw(folder, told, progress):
        asked.append(told)
        run = open_run(told.run)
        if told.onto is None:
            shift = np.full((120, 2), float(runs.index(run)))
            for name in ("before", "after"):
                write(run, name, shift, toy_corpus)

    monkeypatch.setattr("embedlab.tasks.draw.maps.run", draw)
    ids = [run.id for run in runs]
    result = read_json(do("gallery", {"runs": ids, "method": "tsne"}).result)
    assert asked == [DrawMaps(run=ids[0]), DrawMaps(run=ids[1]), DrawMaps(run=ids[1], onto=ids[0])]
    assert result["drawn"] == ids
