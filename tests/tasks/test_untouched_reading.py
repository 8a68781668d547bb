"""The untouched encoder of a run is loaded again as the run read it, also as the base of an adapter."""

import numpy as np
import pytest
from doing import do
from tiny_models import tiny_encoder

from embedlab.encoders.embed import embed
from embedlab.progress import silent
from embedlab.runs.folder import RunFolder
from embedlab.tasks import adapter_export
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.embedded import load_embeddings


@pytest.fixture
def run_of(toy_corpus, tmp_path):
    """``run_of(recipe)``: a finished run of two steps from an encoder in a folder, which reads by the mean."""
    tiny_encoder(list(toy_corpus.texts)).save(tmp_path / "own")

    def run(recipe: str, **settings) -> RunFolder:
        few = {"max_steps": 2, "batch_size": 8, "live_texts": 0, "maps": False, "inside": False, **settings}
        return do(
            "train", {"corpus": toy_corpus.fingerprint, "encoder": str(tmp_path / "own"), "recipe": recipe, **few}
        )

    return run


@pytest.mark.parametrize("recipe", ["crops", "simcse"])  # the second reads [CLS]
def test_it_is_read_by_the_pooling_of_the_recipe(run_of, toy_corpus, recipe):
    run = run_of(recipe)
    again = embed(encoder_of_run(run, "before"), list(toy_corpus.texts))
    np.testing.assert_allclose(again, load_embeddings(run, "before"), atol=1e-5)


@pytest.mark.parametrize(("recipe", "base"), [("crops", "me/own"), ("simcse", "base")])
def test_an_adapters_base_is_in_the_zip_where_its_own_pooling_is_another(run_of, tmp_path, monkeypatch, recipe, base):
    run = run_of(recipe, adapter={"rank": 2})
    loaded = adapter_export.load_encoder
    monkeypatch.setattr(adapter_export, "hub_base", lambda settings: "me/own")
    monkeypatch.setattr(adapter_export, "stored", lambda name: None)
    read = []
    monkeypatch.setattr(adapter_export, "load_encoder", lambda folder: read.append(folder) or loaded(str(run.encoder)))
    facts = adapter_export.write_adapter(run, tmp_path / "adapter.zip", silent)
    assert facts.base == base and len(read) == 2
