"""Static encoders of others are read as they are written, and one is distilled from any transformer here."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_models import hub_folder

from embedlab.encoders.distil import distilled_vectors, principal_components, rank_weights
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.errors import EncoderError

SENTENCE_TRANSFORMERS = [
    {"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"},
    {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"},
]


@pytest.fixture
def potion(tmp_path, token_layer):
    """Writes a folder as model2vec does; what it computes by hand is the expectation."""

    def write(*, mapped: bool, weighted: bool, modules: bool, normalize: bool = True):
        folder = tmp_path / "potion"
        folder.mkdir()
        generator = torch.Generator().manual_seed(0)
        entries = token_layer.vocabulary_size
        rows = entries // 3 if mapped else entries
        tensors = {
            "embeddings": torch.randn(rows, 6, generator=generator).to(torch.float16 if mapped else torch.float32)
        }
        if mapped:
            tensors["mapping"] = torch.randint(0, rows, (entries,), generator=generator, dtype=torch.int32)
        if weighted:
            tensors["weights"] = torch.rand(entries, generator=generator, dtype=torch.float64)
        save_file(tensors, folder / "model.safetensors")
        token_layer.tokenizer.no_truncation()
        token_layer.tokenizer.save(str(folder / "tokenizer.json"))
        config = {"model_type": "model2vec", "architectures": ["StaticModel"], "normalize": normalize}
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        if modules:
            listed = SENTENCE_TRANSFORMERS if normalize else SENTENCE_TRANSFORMERS[:1]
            (folder / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
        table = tensors["embeddings"].float()[tensors["mapping"].long() if mapped else slice(None)]
        return folder, table * (tensors["weights"].float()[:, None] if weighted else 1)

    return write


def by_hand(tokenizer, table: torch.Tensor, texts: list[str], *, normalize: bool) -> np.ndarray:
    means = torch.stack([table[tokenizer.encode(text, add_special_tokens=False).ids].mean(dim=0) for text in texts])
    return (means / means.norm(dim=1, keepdim=True) if normalize else means).numpy()


@pytest.mark.parametrize("modules", [True, False])
@pytest.mark.parametrize(("mapped", "weighted"), [(False, False), (True, True), (True, False), (False, True)])
def test_both_layouts_of_model2vec_are_read(potion, sentences, mapped, weighted, modules):
    folder, table = potion(mapped=mapped, weighted=weighted, modules=modules)
    encoder = load_encoder(str(folder))
    expected = by_hand(encoder.tokenizer, table, sentences, normalize=True)
    np.testing.assert_allclose(embed(encoder, sentences), expected, atol=1e-6)
    if modules:
        theirs = pytest.importorskip("sentence_transformers").SentenceTransformer(str(folder), device="cpu")
        np.testing.assert_allclose(
            theirs.encode(sentences, show_progress_bar=False), expected, atol=2e-3 if mapped and not weighted else 1e-5
        )


def test_what_is_not_normalised_stays_so(potion, sentences):
    folder, table = potion(mapped=False, weighted=False, modules=False, normalize=False)
    encoder = load_encoder(str(folder))
    expected = by_hand(encoder.tokenizer, table, sentences, normalize=False)
    np.testing.assert_allclose(embed(encoder, sentences), expected, atol=1e-6)


@pytest.mark.parametrize("fault", ["mapping", "weights"])
def test_a_mapping_or_weights_that_do_not_fit_are_refused(potion, fault):
    folder, _ = potion(mapped=True, weighted=True, modules=True)
    tensors = load_file(folder / "model.safetensors")
    tensors["mapping"][0] = 10_000 if fault == "mapping" else 0
    tensors["weights"] = tensors["weights"][:-1] if fault == "weights" else tensors["weights"]
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(EncoderError, match=fault) as caught:
        load_encoder(str(folder))
    assert caught.value.code == "E-WEIGHTS"


def test_weights_by_rank_rise_to_one():
    """a/(a + p): of two entries p is 3/5 and 2/5."""
    np.testing.assert_allclose(rank_weights(2), [1e-4 / (1e-4 + 3 / 5), 1e-4 / (1e-4 + 2 / 5)])
    weights = rank_weights(30_000)
    assert (np.diff(weights) > 0).all() and weights[0] < 0.01 and 0.7 < weights[-1] < 1


def test_principal_components_are_those_of_scikit_learn():
    from sklearn.decomposition import PCA

    points = np.random.default_rng(0).normal(size=(50, 6)) @ np.diag([5, 4, 3, 2, 1, 0.5])
    ours, theirs = principal_components(points, 3), PCA(3).fit_transform(points)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-5)


@pytest.mark.parametrize("kind", ["bert", "qwen3"])
def test_each_entry_is_read_once_alone(store, tmp_path, sentences, kind, monkeypatch):
    folder = hub_folder(tmp_path / "hub", kind, sentences)
    teacher = load_encoder(str(folder))
    encoder = load_encoder(f"static:{folder}", dim=8)
    assert encoder.dim == 8 and encoder.layers == 0 and encoder.has_unit_length and not encoder.provides
    table = encoder.table.detach().numpy()
    kept = [i for i in range(teacher.vocabulary_size) if i not in teacher.special_token_ids]
    assert not table[list(teacher.special_token_ids)].any() and np.abs(table[kept]).sum(axis=1).all()
    token = teacher.tokenizer.id_to_token(kept[40])
    alone = [[2, kept[40], 3]] if kind == "bert" else [[kept[40], 2]]
    assert token and teacher.tokenize(["a"])[0][-1] == alone[0][-1]
    with torch.no_grad():
        everything = np.vstack(
            [teacher.eval()(teacher.collate([[*alone[0][:-2], i, alone[0][-1]]])).numpy() for i in kept]
        )
    expected = principal_components(everything, 8) * rank_weights(len(kept))[:, None]
    np.testing.assert_allclose(table[kept], expected, atol=1e-3 * np.abs(expected).max())
    monkeypatch.setattr("embedlab.encoders.distil.embed_tokens", None)  # it lies in the store now
    assert torch.equal(distilled_vectors(teacher, 8), encoder.table)


def test_a_table_has_nothing_to_distil(store, tmp_path, token_layer):
    token_layer.save(tmp_path / "table")
    with pytest.raises(EncoderError, match="static:mini\\.") as caught:
        load_encoder(f"static:{tmp_path / 'table'}")
    assert caught.value.code == "E-STATIC-TEACHER"
