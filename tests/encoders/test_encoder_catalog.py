"""The catalog of encoders is complete, plain data, and light to import."""

import subprocess
import sys

import pytest

from embedlab.encoders.catalog import ENCODERS, SCRATCH_SHAPES
from embedlab.encoders.hub import hub_name
from embedlab.encoders.pooling import checked_pooling

PAPER = {
    "mpnet",
    "bert",
    "scibert",
    "simcse",
    "declutr",
    "declutr-sci",
    "scincl",
    "specter",
    "specter2-base",
    "sbert",
}


@pytest.mark.parametrize("entry", ENCODERS, ids=lambda entry: entry.key)
def test_every_entry_is_complete(entry):
    assert entry.title and checked_pooling(entry.pooling) == entry.pooling and entry.dim > 0
    assert entry.layers >= 0
    if entry.hub_id is not None:
        assert hub_name(entry.hub_id).repository == entry.hub_id
        assert entry.parameters > 0 and entry.paper
    assert (entry.package is None) == (entry.install is None)
    assert (entry.download_bytes is not None) == (entry.hub_id is not None and entry.package is None)


def test_the_papers_ten_are_there():
    assert set(ENCODERS.keys()) >= PAPER
    assert all(f"scratch:{name}" in ENCODERS for name in SCRATCH_SHAPES) and "token" in ENCODERS
    assert "base" in ENCODERS["specter2-base"].title


def test_the_catalog_imports_no_torch():
    code = "import embedlab.encoders.catalog, sys; assert not {'torch', 'transformers'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=True)


def test_a_card_says_what_recipes_may_need_of_the_encoder_and_whether_it_is_here(monkeypatch):
    assert ENCODERS["token"].provides == ENCODERS["words"].provides == ()
    assert ENCODERS["scratch:bert-tiny"].provides == ("context", "dropout", "mlm_head", "decoder")
    assert ENCODERS["mpnet"].provides == ("context", "dropout", "mlm_head")  # MPNet's layers have no cross-attention
    monkeypatch.setattr("embedlab.encoders.catalog.find_spec", lambda name: None)
    assert ENCODERS["token"].is_here and not ENCODERS["minilm"].is_here and not ENCODERS["mpnet"].is_here
    monkeypatch.setattr("embedlab.encoders.catalog.find_spec", lambda name: name)
    assert ENCODERS["minilm"].is_here and not ENCODERS["mpnet"].is_here
