"""A run that keeps the first dimensions of its vectors: in measuring, training, the saved encoder and its methods."""

import numpy as np
import pytest
from doing import do, result_of

from embedlab.comparison.rows import UNTOUCHED, compared_rows
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.errors import SettingsError
from embedlab.report.loading_code import transformers_lines
from embedlab.report.methods import methods_of
from embedlab.report.model_card import model_card
from embedlab.store_root import read_json
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.embedded import load_embeddings

TEXTS = ["A text about stars.", "Another one about planets."]


@pytest.fixture
def kept(toy_corpus):
    """``kept(recipe, dimensions)``: a finished run of few steps that keeps so many."""

    def run(recipe: str, dimensions: int | None, encoder: str = "words"):
        how = {"max_steps": 2, "batch_size": 8, "live_texts": 0, "maps": False, "inside": False, "vocabulary_size": 300}
        return do("train", {"corpus": toy_corpus.fingerprint, "encoder": encoder, "recipe": recipe,
                            "dimensions": dimensions, **how})  # fmt: skip

    return run


@pytest.mark.parametrize(("recipe", "encoder"), [("untouched", "words"), ("crops", "words"), ("crops", "folder")])
def test_both_encoders_of_a_run_keep_them_and_so_does_what_starts_from_it(kept, toy_corpus, tmp_path, recipe, encoder):
    if encoder == "folder":  # whose untouched encoder is not saved with the run, but read again
        encoder = str(tmp_path / encoder)
        load_encoder("token", corpus=toy_corpus, dim=32).save(tmp_path / "folder")
    run = kept(recipe, 16, encoder)
    saved = load_encoder(f"run:{run.id}")
    assert read_json(run.encoder / "config_sentence_transformers.json")["truncate_dim"] == saved.dim == 16
    for side in ("before", "after"):
        assert load_embeddings(run, side).shape[1] == 16
        assert embed(encoder_of_run(run, side), TEXTS).shape == (2, 16)
    whole = load_encoder(f"run:{run.id}")
    whole.keep_dimensions(whole.all_dimensions)
    np.testing.assert_array_equal(embed(saved, TEXTS), embed(whole, TEXTS)[:, :16])
    assert whole.dim > 16 and "the first 16 dimensions of each vector" in methods_of(run).text
    assert "16 dimensions" in model_card(run)


def test_a_cut_run_has_the_first_dimensions_of_the_whole_one_and_its_own_row_in_compare(kept):
    cut, whole = kept("untouched", 16), kept("untouched", None)
    np.testing.assert_array_equal(load_embeddings(cut, "after"), load_embeddings(whole, "after")[:, :16])
    assert result_of(cut)["weights_hash"] == result_of(whole)["weights_hash"]
    assert "dimensions of each vector" not in methods_of(whole).text
    rows = [row for row in compared_rows([cut, whole]) if row.kind == UNTOUCHED]
    assert {row.path for row in rows} == {cut.path, whole.path} and not any(row.twins for row in rows)


def test_more_dimensions_than_the_encoder_has_are_refused(kept):
    with pytest.raises(SettingsError, match=r"token has 768 dimensions, but 900 are to be kept. Choose at most 768"):
        kept("untouched", 900, encoder="token")


def test_code_for_transformers_alone_cuts_its_vectors(toy_corpus, tmp_path):
    encoder = load_encoder("scratch:bert-tiny", corpus=toy_corpus, vocabulary_size=300)
    lines = {}
    for dimensions in (None, 16):
        if dimensions is not None:
            encoder.keep_dimensions(dimensions)
        encoder.save(tmp_path / str(dimensions))
        lines[dimensions] = (transformers_lines(tmp_path / str(dimensions), "FOLDER") or "").splitlines()
    assert lines[16] == [*lines[None], "embeddings = embeddings[:, :16]"]
    assert (transformers_lines(tmp_path / "16", "FOLDER", 5) or "").endswith("[:, :5]")  # an export that is cut
