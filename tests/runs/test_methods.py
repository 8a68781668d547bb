"""The methods paragraph: nothing left open, every number from the run, every recipe and encoder with its works."""

import re

import pytest

from embedlab.encoders.catalog import ENCODERS as CATALOG_ENCODERS
from embedlab.errors import RunError
from embedlab.runs.citations import CITATIONS
from embedlab.runs.cited import ENCODERS, RECIPES, encoder_keys
from embedlab.runs.methods import methods_of
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, read_result
from embedlab.store_root import write_json
from embedlab.tasks.circumstances import circumstances
from embedlab.training.recipes import RECIPES as ALL_RECIPES
from embedlab.training.settings import RunSettings

HASH = "ab" * 32


@pytest.fixture
def described(toy_corpus):
    """``described(recipe="crops", …)``: a finished run's paragraph."""

    def made(*, settings=None, facts=None, **changed):
        told = RunSettings(corpus=toy_corpus.fingerprint, recipe=changed.get("recipe", "crops"), **(settings or {}))
        run = create_run("train", told.model_dump())
        write_json(run.result, {
            "corpus": {"name": "toy", "texts": 120, "classes": 4, "fingerprint": toy_corpus.fingerprint},
            "encoder": "token", "recipe": "crops", "steps": 1234, "usable_texts": 117, "learning_rate": 0.01,
            "pooling": "mean", "max_length": 512, "embedding_precision": "fp32", "weights_hash": HASH,
            "supervised": False, "stopped": False, "lineage": [],
            "knn": {"before": 0.4, "after": 0.625, "best": 0.7, "k": 9, "protocol": "paper", "test_texts": 11,
                    "standard_error": 0.146},
            "references": {"tfidf": {"value": 0.51}, "svd": {"value": 0.52}},
            "difference": 0.225, "low": -0.013, "high": 0.4, **changed,
        })  # fmt: skip
        known = circumstances(told, toy_corpus)
        write_state(run, State.FINISHED, **{**known, "device": "cpu", "device_line": "2 cores", "precision": "fp32",
                                            "threads": 7, **(facts or {})})  # fmt: skip
        return run, methods_of(run)

    return made


def test_every_number_is_the_run_s_and_nothing_is_left_open(described, toy_corpus):
    import torch

    run, found = described(settings={"seed": 41})
    text = found.text
    for said in ("120 texts", "120 of them labelled with 4 classes", toy_corpus.fingerprint, "1,234 steps of 64 texts",
                 "117 usable texts", "peak learning rate of 0.01", "seed 41", "k = 9", "split seed 42", "split seed 43",
                 "n = 11 test texts", "40.0 % before and 62.5 % ± 14.6", "+22.5 points", "from −1.3 to +40.0",
                 "TF-IDF 51.0 %", "temperature 0.05", "warmup over 10 % of an epoch, linear decay", "7 threads",
                 f"torch {torch.__version__}", HASH, run.id, "on 2 cores", "training in fp32"):  # fmt: skip
        assert said in text, said
    assert not re.search(r"[{}]|None|nan|\bTODO\b|\?\?|<|  ", text)
    assert set(read_result(run)) >= {"knn", "references"}


def test_every_work_named_has_its_entry_and_every_entry_is_named(described):
    _, found = described()
    assert found.keys == tuple(dict.fromkeys(found.keys))
    for key in found.keys:
        assert CITATIONS[key].short in found.text and f"{{{key},\n" in found.bibtex
    assert found.bibtex.count("@") == len(found.keys) >= 5
    assert "bonett2012paired" in found.keys and "policar2024opentsne" not in found.keys


def test_every_recipe_and_catalog_encoder_is_told_and_its_works_are_known():
    assert set(RECIPES) == set(ALL_RECIPES.keys())
    for _, keys in RECIPES.values():
        assert set(keys) <= set(CITATIONS)
    for entry in CATALOG_ENCODERS:
        assert encoder_keys(entry.key), entry.key
    assert all(set(keys) <= set(CITATIONS) for keys in ENCODERS.values())
    assert encoder_keys("hf:somebody/something") == () and encoder_keys("token:bert") == ("crops",)


@pytest.mark.parametrize("citation", CITATIONS.values(), ids=lambda each: each.key)
def test_an_entry_is_whole(citation):
    entry = citation.bibtex()
    assert entry.startswith(f"@{citation.kind}{{{citation.key},") and entry.endswith("\n}")
    assert entry.count("{") == entry.count("}") and citation.title in entry and "  author" in entry
    assert re.search(r"^  title +=\s\{\{.+\}\},$", entry, flags=re.MULTILINE)


def test_what_was_trained_on_is_said_as_it_was(described):
    assert "all texts, the test texts among them" in described()[1].text
    assert "neither test texts nor their copies" in described(settings={"train_on": "train_split"})[1].text
    assert "a sample drawn by the seed" in described(settings={"train_texts": 50})[1].text
    assert "The labels of the train split were used" in described(recipe="supervised", supervised=True)[1].text
    untouched = described(recipe="untouched", steps=0)[1].text
    assert "was used as it is" in untouched and "fine-tuned" not in untouched and "no labels" not in untouched


def test_maps_are_cited_only_where_they_were_drawn_and_phases_where_there_were_some(described):
    run, _ = described(lineage=[{"run": "abc", "name": "", "recipe": "tsdae", "encoder": "bert"}], encoder="run:abc")
    write_json(run.map_facts("after", "umap"), {"method": "umap", "seed": 5})
    found = methods_of(run)
    assert "UMAP (McInnes et al., 2018) with seed 5" in found.text and "vandermaaten2008tsne" not in found.keys
    assert "The encoder bert (Devlin et al., 2019), first trained by TSDAE" in found.text


def test_without_labels_no_accuracy_is_told_and_without_a_result_nothing(described, toy_corpus):
    text = described(knn=None, references={}, difference=None)[1].text
    assert "no two labelled classes" in text and "n =" not in text
    with pytest.raises(RunError, match="no result to describe"):
        methods_of(create_run("train", {"corpus": toy_corpus.fingerprint}))
