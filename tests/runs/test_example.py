"""The packaged example: small, without texts or traces of a machine, whole; its texts are those gathered here."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from example_packing import write_example

import embedlab.runs.example as example_corpora
from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.maps.lab import EXPERIMENTS
from embedlab.runs.drawn_map import FourMaps, LabFacts, LabMap, read_four_maps, read_layer_maps, write_four_maps
from embedlab.runs.evaluations import read_diagnosed
from embedlab.runs.example import (
    DATA,
    DROPOUT,
    LEFT_OUT,
    MINI,
    TOKEN,
    ExampleCorpus,
    example_corpus,
    example_run,
    gathered,
    is_example,
    text_hash,
)
from embedlab.runs.film_files import read_film
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import accuracy_of, read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import decisive, fingerprint_of, stored_request
from embedlab.tasks.lesson_packing import write_lab
from embedlab.training.demo import DEMO, DROPOUT_PAIRS, TEST_TEXTS_LEFT_OUT
from embedlab.training.settings import RunSettings

LARGEST, MOST = 900_000, 1_500_000


@pytest.fixture
def packed(tmp_path, store):
    """Three documentation texts of this machine, as they are packed."""
    texts = ["One text.", "Another text.", "A third one, which differs elsewhere."]
    draft = Draft(name="docs", source="docs", texts=texts, labels=["a", "b", "a"], titles=["n.one", "n.two", "n.three"])
    corpus = store_corpus(draft)
    write_example(tmp_path / "data", [corpus], {}, {})
    return corpus, ExampleCorpus(tmp_path / "data" / "corpora" / "docs")


def test_it_is_small_and_holds_no_text_and_no_trace_of_the_machine_that_made_it():
    files = [file for file in DATA.rglob("*") if file.is_file()]
    sizes = [file.stat().st_size for file in files]
    assert max(sizes) <= LARGEST and sum(sizes) <= MOST
    assert all(
        pq.read_schema(file).names == ["title", "label", "excluded", "hash"]
        for file in DATA.glob("corpora/*/corpus.parquet")
    )
    for file in files:
        content = file.read_bytes()
        assert b"/home/" not in content and b"/tmp/" not in content and b"/root/" not in content, file
        assert b"pid" not in content or file.suffix != ".json", file


@pytest.mark.parametrize("kind", [MINI, DROPOUT, TOKEN])
def test_all_runs_are_whole_and_read_where_they_lie(kind):
    run, corpus = example_run(kind), example_corpus(kind)
    result = read_result(run)
    assert is_example(run) and read_state(run).state is State.FINISHED
    assert fingerprint_of(run) == corpus.fingerprint == result.corpus.fingerprint
    knn = accuracy_of(result, "cosine")
    assert result.judged and stored_request(run).task == "train" and knn.after > knn.before
    for name in ("before", "after"):
        rows = pq.read_table(run.map(name, "tsne")).column("id").to_numpy()
        assert np.array_equal(rows, corpus.kept)
    film = read_film(run)
    assert len(film.frames) >= 3 and film.rows.max() < corpus.info.rows
    if kind == MINI:
        assert len({row["layer"] for row in json.loads(run.layers.read_text())["layers"]}) == 5
        assert read_layer_maps(run).after.shape[0] == 5
        found = {key: read_diagnosed(run, key) for key in DIAGNOSTICS.keys()}
        assert all(told.after and told.sentence and not told.reason for told in found.values()), found.keys()
        assert run.length.exists() and pq.read_table(run.similarities).num_rows > 1000


@pytest.mark.parametrize(
    ("kind", "settings"), [(MINI, DEMO), (DROPOUT, DROPOUT_PAIRS), (LEFT_OUT, TEST_TEXTS_LEFT_OUT)]
)
def test_packaged_runs_have_the_settings_that_the_demo_has_today(kind, settings):
    """Settings that came later have their default values in both."""
    stored = RunSettings.model_validate(read_state(example_run(kind)).settings).stored
    expected = RunSettings.model_validate(settings).stored
    assert decisive(stored, but=("corpus",)) == decisive(expected, but=("corpus",))


def test_the_run_that_left_the_test_texts_out_is_comparable_with_the_demo_on_the_same_texts():
    """Both have the same test texts and untouched encoder; only one trained on them."""
    read, unread = (read_result(example_run(kind)) for kind in (MINI, LEFT_OUT))
    assert fingerprint_of(example_run(LEFT_OUT)) == fingerprint_of(example_run(MINI))
    assert (read.trained_on, unread.trained_on) == ("all", "train_split")
    assert unread.knn.before == read.knn.before and unread.references == read.references
    assert unread.corpus == read.corpus and unread.knn.test_texts == read.knn.test_texts
    assert 0 <= read.usable_texts - unread.usable_texts <= unread.knn.test_texts


def test_the_run_that_left_the_test_texts_out_is_packaged_as_numbers_alone():
    files = {file.name: file.stat().st_size for file in example_run(LEFT_OUT).path.iterdir()}
    assert files.keys() == {"settings.json", "state.json", "result.json"} and sum(files.values()) <= 20_000


def test_of_a_run_that_is_compared_only_settings_state_and_result_are_packed_under_its_name(token_run, tmp_path):
    corpus = open_corpus(fingerprint_of(token_run))
    write_example(tmp_path / "data", [corpus], {}, {"left-out": token_run})
    packed = RunFolder(tmp_path / "data" / "left-out")
    assert {file.name for file in packed.path.iterdir()} == {"settings.json", "state.json", "result.json"}
    result, fingerprint = read_result(packed), ExampleCorpus(tmp_path / "data" / "corpora" / "toy").fingerprint
    assert (result.run, result.corpus.fingerprint, result.paths) == ("left-out", fingerprint, {})
    assert result.knn == read_result(token_run).knn and read_state(packed).settings["corpus"] == fingerprint
    assert token_run.id not in packed.result.read_text(encoding="utf-8") + packed.state.read_text(encoding="utf-8")


def test_the_four_experiments_are_small_and_whole():
    run, corpus = example_run(TOKEN), example_corpus(TOKEN)
    files = [file for file in (run.path / "lab").rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) <= 80_000
    for experiment in EXPERIMENTS:
        four = read_four_maps(run, "after", experiment)
        assert four.coordinates.shape == (4, 1_000, 2) and np.isin(four.rows, corpus.kept).all()
        assert four.names == [setup.name for setup in EXPERIMENTS[experiment]]
        assert all(each.knn_in_picture is not None for each in four.facts.maps)


def test_a_packed_experiment_has_the_shapes_of_its_maps(tmp_path):
    run, out = RunFolder(tmp_path / "run"), tmp_path / "out"
    square = np.array([[0, 0], [0, 10], [10, 0], [5, 2.5]], np.float32)
    one = LabMap(
        name="seed 0", of="", perplexity=1, kl_divergence=0, true=1, kept=1, chance=1, texts=4, knn_in_picture=None
    )
    facts = LabFacts(texts=4, of=4, maps=[one] * 4, dim=2)
    four = FourMaps(np.stack([square, square * 3 + 1, square * [0.5, 1], square]), np.arange(4), facts)
    write_four_maps(run, "after", "seeds", four)
    write_lab(out, run)
    packed = read_four_maps(RunFolder(out), "after", "seeds")
    assert np.allclose(packed.coordinates[0] / 65_535, square / 10, atol=1e-4)
    assert np.allclose(packed.coordinates[1], packed.coordinates[0], atol=1)
    assert packed.coordinates[2][:, 0].max() == 32_768  # half as wide as high, still
    assert packed.rows.tolist() == [0, 1, 2, 3] and packed.facts == facts


def test_a_hash_by_hand():
    """The first eight bytes of SHA-256("abc") are ba7816bf 8f01cfea; one bit less."""
    assert text_hash("abc") == 0xBA7816BF8F01CFEA >> 1


def test_texts_appear_once_the_corpus_is_gathered_and_only_where_name_and_hash_agree(packed):
    corpus, example = packed
    assert example.titles == corpus.titles and example.labels.tolist() == ["a", "b", "a"]
    assert gathered() == corpus.fingerprint and example.texts == corpus.texts and example.texts_found() == 3
    other = store_corpus(
        Draft(
            name="docs",
            source="docs",
            texts=["One text.", "Another text, rewritten.", "A third one, which differs elsewhere."],
            labels=["a", "b", "a"],
            titles=["n.one", "n.two", "n.moved"],
        )
    )
    assert example_corpora._texts(other.fingerprint, example) == ["One text.", "", ""]
    assert example_corpora._texts(None, example) == ["", "", ""]


def test_a_corpus_of_another_source_is_not_taken_for_the_built_in_one(store):
    assert gathered() is None
    store_corpus(Draft(name="docs", source="mine.csv", texts=["One text.", "Two."], labels=["a", "b"]))
    assert gathered() is None
    assert set(example_corpus(TOKEN).texts) == {""}


def test_no_corpus_of_the_store_is_the_example(store):
    with pytest.raises(Exception, match="No stored corpus"):
        open_corpus(example_corpus(MINI).fingerprint)
