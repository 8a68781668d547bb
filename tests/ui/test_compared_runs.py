"""Any two runs on one corpus: which maps stand left and right, aligned on a selection, and side by side on Compare."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import leave_result
from doing import asked_of, queued
from drawn_maps import write_maps
from seen import maps, words

from embedlab.jobs.requests.corpora import BringVectors, ImportedRun, VectorFile
from embedlab.jobs.requests.drawing import AlignMaps
from embedlab.runs.drawn_map import DrawnMap, MapFacts
from embedlab.runs.imported import OWN_ENCODER, OWN_RECIPE
from embedlab.runs.state import State, write_state
from embedlab.runs.store import list_runs, stored_request
from embedlab.store_root import write_json
from embedlab.ui.components.pair_of_maps import Compared, aligned_on


def turned(places, angle=0.7, size=3.0, by=(5.0, -2.0)):
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return (size * places @ turn + by).astype(np.float32)


@pytest.fixture
def own_run(made_run, toy_corpus):
    """A run of brought coordinates alone."""

    def made(name="places.parquet"):
        files = {"coordinates": name}
        run = made_run(OWN_ENCODER, recipe=OWN_RECIPE, files=files, name=name)
        leave_result(run, toy_corpus, files=files, seconds=1.0)
        write_maps(run, toy_corpus, "own")
        return run

    return made


def test_a_turned_map_is_laid_back_onto_the_left_one():
    rng = np.random.default_rng(0)
    left = DrawnMap(rng.standard_normal((30, 2)), np.arange(30), MapFacts())
    right = DrawnMap(turned(left.coordinates), np.arange(30), MapFacts())
    assert np.allclose(aligned_on(right, left).coordinates, left.coordinates, atol=1e-5)


def test_align_on_selection_fits_the_chosen_texts_and_takes_the_others_along():
    rng = np.random.default_rng(0)
    places = rng.standard_normal((40, 2))
    moved = turned(places)
    moved[20:] += rng.standard_normal((20, 2)).astype(np.float32) * 9  # these went elsewhere
    left = DrawnMap(places.astype(np.float32), np.arange(40), MapFacts())
    right = DrawnMap(moved[5:], np.arange(5, 40), MapFacts())  # five texts have no place on the right
    chosen = np.arange(40) < 20
    apart = lambda drawn: np.abs(drawn.coordinates[:15] - places[5:20]).max()  # noqa: E731
    fitted = aligned_on(right, left, chosen)
    assert apart(fitted) < 1e-4 < 0.1 < apart(aligned_on(right, left))
    assert len(fitted.coordinates) == 35 and not np.allclose(fitted.coordinates[15:], moved[20:])
    few = aligned_on(right, left, np.arange(40) < 7)
    assert np.array_equal(few.coordinates, right.coordinates)  # rows 5 and 6 alone decide nothing


def second_frame(run, corpus, shift=0.25):
    """Maps as ``write_maps`` writes them, from another map before."""
    write_maps(run, corpus)
    places = {"id": corpus.kept, "x": corpus.kept * 1.0, "y": np.full(len(corpus.kept), shift)}
    pq.write_table(pa.table(places), run.map("before", "tsne"))
    write_maps(run, corpus, "umap")  # the after map is written once more, later
    pq.write_table(pa.table(places), run.map("after", "tsne"))


def test_two_runs_of_one_beginning_stand_side_by_side(open_page, made_run, toy_corpus):
    first, second = made_run(name="first", after=0.7), made_run(name="second")
    for run in (first, second):
        write_maps(run, toy_corpus)
    at = open_page("maps", run=second.id, **{"with": first.id})
    assert not at.exception
    assert at.query_params["with"] in (first.id, [first.id])
    view = Compared(second, first.id)
    assert view.titles == ("first", "second")
    assert "71.0 %" in view.corner("before") and "61.0 %" in view.corner("after")
    left, right = view.maps("tsne")
    assert np.array_equal(left.coordinates, right.coordinates)
    at.selectbox(key="maps.with").set_value("before").run()
    assert not at.exception and "with" not in at.query_params


def test_runs_of_different_beginnings_are_drawn_anew_when_asked(open_page, made_run, toy_corpus):
    first, second = made_run(name="first"), made_run(name="second")
    write_maps(first, toy_corpus)
    second_frame(second, toy_corpus)
    view = Compared(second, first.id)
    assert view.maps("tsne") is None
    rows = toy_corpus.kept
    pq.write_table(pa.table({"id": rows, "x": rows * 2.0, "y": rows * 1.0}), second.map_onto(first.id, "tsne"))
    write_json(second.map_onto(first.id, "tsne").with_suffix(".json"), {"method": "tsne"})
    left, right = view.maps("tsne")
    assert right.coordinates[1].tolist() == [2.0, 1.0] and left.coordinates[1].tolist() == [1.0, 1.0]


def test_a_run_of_own_coordinates_shows_them_and_says_what_it_cannot(open_page, own_run):
    run = own_run()
    at = open_page("maps", run=run.id)
    assert not at.exception
    assert len(maps(at)) >= 1 and all("places.parquet" in part for part in maps(at))
    for page, said in (("neighbors", "needs embeddings"), ("evaluate", "needs embeddings"),
                       ("layers", "needs an encoder"), ("length", "needs an encoder")):  # fmt: skip
        at = open_page(page, run=run.id)
        assert not at.exception and said in words(at), page
    assert not open_page("home", run=run.id).exception


def test_compare_shows_small_maps_in_one_frame_and_offers_the_missing(open_page, made_run, toy_corpus, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    runs = [made_run(name=name) for name in ("first", "same", "other")]
    for run in runs[:2]:
        write_maps(run, toy_corpus)
    second_frame(runs[2], toy_corpus)
    address = ",".join(run.id for run in runs)
    at = open_page("compare", runs=address)
    at.segmented_control(key="runs.view").set_value("maps").run()
    assert not at.exception
    sent = maps(at)
    assert len(sent) == 3  # the untouched embeddings of the first, the first, and the one in its frame
    assert "kNN 41.0" in sent[0] and "kNN 61.0" in sent[1] and "(cosine)" in sent[1]
    next(button for button in at.button if button.label == "Align 1 map").click().run()
    asked = [asked_of(job) for job in list_runs("jobs") if stored_request(job).task == "gallery"]
    assert asked == [AlignMaps(runs=tuple(run.id for run in runs))]
    assert not at.exception and "Align 1 map" not in words(at)


def test_compare_without_any_map_says_so(open_page, own_run):
    run = own_run()
    at = open_page("compare", runs=run.id)
    at.segmented_control(key="runs.view").set_value("maps").run()
    assert not at.exception
    assert "None of these runs" in words(at)


def test_the_form_says_what_a_file_holds_and_imports_it(open_page, own_run, toy_corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    np.save(tmp_path / "short.npy", np.ones((3, 2)))
    vectors = np.random.default_rng(0).standard_normal((120, 5))
    vectors[4] = 0
    np.save(tmp_path / "good.npy", vectors)
    vectors[1, 2] = np.nan
    np.save(tmp_path / "bad.npy", vectors)
    at = open_page("own embeddings")
    button = lambda: next(button for button in at.button if button.label == "Import them")  # noqa: E731
    assert button().disabled
    at.text_input(key="own.before.path").set_value(str(tmp_path / "short.npy")).run()
    assert "'short.npy' has 3" in words(at) and button().disabled
    at.text_input(key="own.before.path").set_value(str(tmp_path / "bad.npy")).run()
    assert "row 2, value 3 of 'bad.npy' is nan" in words(at) and button().disabled
    np.save(tmp_path / "bits.npy", np.packbits(np.random.default_rng(0).random((120, 128)) > 0.5, axis=1))
    at.text_input(key="own.before.path").set_value(str(tmp_path / "bits.npy")).run()
    assert "120 rows of 128 values" in words(at)
    at.checkbox(key="own.numbers.before.bits.npy").check().run()
    assert "120 rows of 16 values" in words(at)
    at.text_input(key="own.before.path").set_value(str(tmp_path / "good.npy")).run()
    assert "120 rows of 5 values. Joined by row order: 120 of 120 texts." in words(at)
    assert "1 of 120 vectors is zero (row 5)" in words(at) and not button().disabled
    button().click().run()
    assert not at.exception
    file = VectorFile(path=str(tmp_path / "good.npy"), name="good.npy")
    (job,) = list_runs("jobs")
    assert asked_of(job) == BringVectors(corpus=toy_corpus.fingerprint, before=file)
    write_json(job.result, ImportedRun(run=own_run().id).model_dump())
    write_state(job, State.FINISHED)
    at.run()
    assert not at.exception and "Imported: good.npy." in words(at)
