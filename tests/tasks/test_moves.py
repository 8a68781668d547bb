"""Reading the maps of a run: movement against a slow count, noise floors, trust, clusters, runs on other corpora."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from built_once import TOKEN, once
from doing import do
from toy_corpora import store_toy

from embedlab.copies import normalised
from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.errors import RunError
from embedlab.runs.map_readings import MovesFacts, Share, class_neighbors_of, clusters_of, moves_of, trust_of
from embedlab.runs.store import fingerprint_of
from embedlab.tasks.draw import noise_floor
from embedlab.tasks.draw.maps import read_maps
from embedlab.tasks.draw.movement import write_moves
from embedlab.tasks.measure.embedded import load_embeddings, save_embeddings
from embedlab.vectors.exact import nearest_rows


def silent(stage: str, done: int = 0, total: int = 0) -> None:
    """Nobody watches."""


@once
def gappy_run() -> str:
    """A run on the toy corpus with an empty row in front, three copies, and every seventh label missing."""
    toy = store_toy()
    labels = [None if row % 7 == 3 else label for row, label in enumerate(toy.labels)]
    texts = ["", *toy.texts, toy.texts[0].upper(), *toy.texts[:2]]
    gappy = store_corpus(Draft(name="gappy", source="toy", texts=texts, labels=["law", *labels, *labels[:3]]))
    return do("train", {**TOKEN, "corpus": gappy.fingerprint}).id


def slow_neighbors(folder, name: str) -> list[list[int]]:
    """Ten nearest corpus rows of each kept row, neither itself nor a copy, by another search."""
    corpus = open_corpus(fingerprint_of(folder))
    embeddings = np.asarray(load_embeddings(folder, name))[corpus.kept]
    near, _ = nearest_rows(queries=embeddings, base=embeddings, k=60, distance="euclidean")
    words = [normalised(corpus.texts[row]) for row in corpus.kept]
    return [
        [int(corpus.kept[other]) for other in row if other >= 0 and words[other] != words[own]][:10]
        for own, row in enumerate(near)
    ]


def test_movement_and_class_effect_are_those_of_a_slow_count_also_behind_an_empty_row(gappy_run):
    facts = write_moves(gappy_run, "before", silent)
    found, corpus = moves_of(gappy_run, "before"), open_corpus(fingerprint_of(gappy_run))
    assert found.rows.tolist() == corpus.kept.tolist() and 0 not in found.rows
    before, after = slow_neighbors(gappy_run, "before"), slow_neighbors(gappy_run, "after")
    for place in range(len(found.rows)):
        one, other = set(before[place]), set(after[place])
        assert set(found.nearest_before[place]) == one and set(found.nearest_after[place]) == other
        assert found.movement[place] == pytest.approx(1 - len(one & other) / len(one | other), abs=1e-6)
        label = corpus.labels[found.rows[place]]
        if label is None:
            assert np.isnan(found.effect[place]) and found.same_after[place] == -1
        else:
            change = sum(corpus.labels[r] == label for r in other) - sum(corpus.labels[r] == label for r in one)
            assert found.effect[place] == pytest.approx(change / 10)
    assert facts.helped.of == len(corpus.labelled)
    helped = found.above & (found.effect > 0)
    assert facts.helped.share == pytest.approx(helped.sum() / len(corpus.labelled))
    assert {row.name for row in facts.classes} == {"astronomy", "cooking", "law", "sailing"}
    assert facts.clusters == []  # nobody looked for clusters yet


def test_a_single_class_is_neither_helped_nor_hurt(store):
    toy = store_toy()
    corpus = store_corpus(Draft(name="one class", source="toy", texts=[*toy.texts], labels=["a"] * len(toy.texts)))
    facts = write_moves(do("train", {**TOKEN, "corpus": corpus.fingerprint}), "before", silent)
    assert facts.moved.of == len(toy.texts) and facts.classes == [] and facts.class_effect is None
    assert facts.helped == facts.hurt == Share(share=None, standard_error=None, texts=0, of=0)


def test_a_run_that_changes_nothing_moves_no_text(tiny):
    folder = do("train", {**tiny, "learning_rate": 1e-9})
    facts = write_moves(folder, "before", silent)
    assert facts.moved.share < 0.05 and facts.median == 0.0
    assert facts.floor.how == "bf16" and facts.floor.texts == 120 == facts.floor.among


def test_the_floor_by_precision_is_measured_on_rounded_weights_or_on_a_sample(gappy_run, monkeypatch):
    rounded = []
    monkeypatch.setattr(noise_floor, "in_bf16", lambda encoder: rounded.append(encoder))
    assert write_moves(gappy_run, "before", silent).floor.value == 0.0 and len(rounded) == 1

    def shuffled(encoder):
        """A bfloat16 so bad that it mixes up all words."""
        weight = next(encoder.parameters()).data
        weight.copy_(weight[np.random.default_rng(0).permutation(len(weight))])

    def anew() -> MovesFacts:
        gappy_run.noise_floor.unlink()
        return write_moves(gappy_run, "before", silent)

    monkeypatch.setattr(noise_floor, "in_bf16", shuffled)
    facts = anew()
    assert facts.floor.value > 0.3 and "all 123 texts" in facts.floor.sentence
    found = moves_of(gappy_run, "before")
    assert facts.moved.texts == (found.movement > np.float32(facts.floor.value)).sum()
    assert facts.moved.texts < (found.movement > 0).sum()
    monkeypatch.setattr(noise_floor, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(noise_floor, "LEAST_SAMPLE", 40)
    monkeypatch.setattr(noise_floor, "SAMPLE", 40)
    floor = anew().floor
    assert floor.texts == floor.among == 40 and "a separate corpus" in floor.sentence
    monkeypatch.setattr(noise_floor, "QUICK_SECONDS", 1e9)
    monkeypatch.setattr(noise_floor, "ALL_TEXTS", 50)
    floor = anew().floor
    assert floor.texts == 40 and floor.among == 123 and "40 drawn texts among all 123" in floor.sentence


def test_two_runs_that_differ_only_in_seed_are_their_own_floor(tiny, token_run):
    other, longer = (do("train", {**tiny, **more}) for more in ({"seed": 1}, {"seed": 1, "epochs": 1}))
    facts = write_moves(token_run, other.id, silent)
    found = moves_of(token_run, other.id)
    assert facts.floor.how == "seeds"
    assert facts.floor.value == pytest.approx(np.quantile(found.movement, 0.95, method="inverted_cdf"))
    assert found.above.mean() <= 0.05
    assert write_moves(token_run, longer.id, silent).floor.how == "bf16"
    assert moves_of(token_run, "before") is None


def test_without_an_encoder_there_is_no_floor_and_every_movement_counts(gappy_run, monkeypatch):
    def gone(folder, name):
        raise RunError("E-NO-ENCODER", "There is none.")

    monkeypatch.setattr(noise_floor, "encoder_of_run", gone)
    facts = write_moves(gappy_run, "before", silent)
    assert facts.floor.value is None and facts.floor.sentence.startswith("No noise floor: ")
    found = moves_of(gappy_run, "before")
    np.testing.assert_array_equal(found.above, found.movement > 0)


def test_another_corpus_is_refused(gappy_run, token_run):
    with pytest.raises(RunError, match="different corpora"):
        write_moves(gappy_run, token_run.id, silent)


def test_who_neighbors_whom_counts_every_neighbor_of_every_text(gappy_run):
    write_moves(gappy_run, "before", silent)
    found, moved = class_neighbors_of(gappy_run, "before"), moves_of(gappy_run, "before")
    corpus = open_corpus(fingerprint_of(gappy_run))
    assert set(found.names) == {"astronomy", "cooking", "law", "sailing", "no label"}
    assert found.names[-1] == "no label" and found.is_class.tolist() == [True] * 4 + [False]
    names = ["no label" if corpus.labels[row] is None else corpus.labels[row] for row in range(corpus.info.rows)]
    for side, counts in (("before", found.before), ("after", found.after)):
        pairs = [
            (names[row], names[near])
            for row, nearest in zip(moved.rows, getattr(moved, f"nearest_{side}"), strict=True)
            for near in nearest
        ]
        for a, one in enumerate(found.names):
            for b, other in enumerate(found.names):
                assert counts[a, b] == pairs.count((one, other))


def test_the_map_task_leaves_everything_measured_and_moves_does_it_for_older_runs(gappy_run):
    do("map", {"run": gappy_run.id, "method": "pca"})
    for file in (
        gappy_run.trust(gappy_run.map("after", "pca")),
        gappy_run.clusters("after"),
        gappy_run.moves_facts("before"),
    ):
        file.unlink(missing_ok=True)
    do("moves", {"run": gappy_run.id, "against": "before"})
    assert moves_of(gappy_run, "before").facts.clusters_of == (gappy_run.id, "before")
    for name in ("before", "after"):
        means = trust_of(gappy_run, gappy_run.map(name, "pca")).means
        assert 0 < means.true <= 1 and means.chance == pytest.approx(90 / 122) and means.texts == 123
        found = clusters_of(gappy_run, name)
        assert found.rows.tolist() == moves_of(gappy_run, "before").rows.tolist()
        assert len(found.names) == found.clusters.max() + 1 == 4 and found.coarse_names == []
        assert clusters_of(gappy_run, f"{name}-pca").facts.how == "hdbscan"
    sizes = np.bincount(clusters_of(gappy_run, "after").clusters)
    assert [each.texts for each in clusters_of(gappy_run, "after").facts.clusters] == sizes.tolist()
    assert all(len(each.keywords) == 3 for each in clusters_of(gappy_run, "after").facts.clusters)


def test_what_is_there_is_not_measured_again_until_the_embeddings_change(gappy_run):
    read_maps(gappy_run, "tsne", silent)
    said = []
    read_maps(gappy_run, "tsne", lambda stage, done=0, total=0: said.append(stage))
    assert said == []
    save_embeddings(gappy_run, "after", np.asarray(load_embeddings(gappy_run, "before")) * np.float32(2))
    read_maps(gappy_run, "tsne", lambda stage, done=0, total=0: said.append(stage))
    assert any("clusters, after" in stage for stage in said)
    facts = json.loads(gappy_run.moves_facts("before").read_text())
    assert facts["moved"]["texts"] == 0 and facts["class_effect"] == 0.0


def test_a_preview_is_judged_among_its_shown_texts(gappy_run):
    do("map", {"run": gappy_run.id, "method": "pca"})
    path = gappy_run.map("after", "pca")
    table = pq.ParquetFile(path).read().slice(0, 50)
    pq.write_table(table, path)
    read_maps(gappy_run, "pca", silent)
    found = trust_of(gappy_run, path)
    assert len(found.rows) == 50 and found.means.chance == 1.0 and (found.true == 1).all() and (found.kept == 1).all()


def test_the_command_prints_what_is_stored(gappy_run, capsys):
    from embedlab.cli import main

    write_moves(gappy_run, "before", silent)
    facts = json.loads(gappy_run.moves_facts("before").read_text())
    assert main(["moves", "--run", gappy_run.id, "--most", "3", "--json", "--quiet"]) == 0
    said, found = json.loads(capsys.readouterr().out), moves_of(gappy_run, "before")
    assert {name: said[name] for name in facts} == facts and said["ranked"] == found.above.sum()
    assert len(said["movers"]) == 3 and said["movers"][0]["movement"] == pytest.approx(found.movement.max(), abs=1e-4)
    assert main(["moves", "--run", gappy_run.id, "--quiet"]) == 0
    assert "of 123 texts moved above noise" in capsys.readouterr().out
    assert main(["moves", "--run", "zzzzzzzzz", "--json", "--quiet"]) == 2
