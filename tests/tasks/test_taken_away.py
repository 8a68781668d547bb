"""What a run is taken away as: an encoder in a ZIP with its card, which others load, and embeddings with their ids."""

import io
import zipfile

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from builders import both, change_result, judged, knn
from builders import lines as lines_of
from doing import do, result_of

from embedlab.report.exports import embeddings_parquet, encoder_bytes, encoder_zip
from embedlab.report.model_card import model_card
from embedlab.runs.store import read_rows
from embedlab.store_root import read_json, write_json
from embedlab.vectors.opened import all_rows, open_vectors

BERT = {"encoder": "scratch:bert-tiny", "max_steps": 2, "evaluate_every": None, "live_texts": 0}


def unpacked(run, place):
    """The one folder in the ZIP of a run."""
    folder = place / "unpacked"
    with zipfile.ZipFile(io.BytesIO(encoder_zip(run))) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    (found,) = folder.iterdir()
    return found


def parts_of(card: str) -> tuple[dict, str]:
    _, head, body = card.split("---\n", 2)
    return yaml.safe_load(head), body


def code(card: str, language: str) -> list[str]:
    """The fenced pieces of a card in this language."""
    return [each.split("\n```")[0] for each in card.split(f"```{language}\n")[1:]]


@pytest.mark.parametrize("encoder", [{}, BERT], ids=["token", "bert"])
def test_the_zip_loads_elsewhere_with_the_same_vectors(tiny, toy_corpus, tmp_path, encoder):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    run = do("train", {**tiny, **encoder, "embedding_precision": "fp32"})
    folder = unpacked(run, tmp_path)
    assert folder.name == f"encoder-{run.id}"
    texts = list(toy_corpus.texts[:5])
    theirs = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    ours = np.load(run.embeddings("after"))[:5]
    np.testing.assert_allclose(theirs.encode(texts, show_progress_bar=False), ours, atol=1e-4)
    assert encoder_bytes(run) == pytest.approx(len(encoder_zip(run)), rel=0.5)


def test_the_lines_of_the_card_give_the_same_vectors(tiny, tmp_path):
    pytest.importorskip("sentence_transformers")
    folder = unpacked(do("train", {**tiny, **BERT}), tmp_path)
    found = []
    for lines in code((folder / "README.md").read_text(encoding="utf-8"), "python"):
        names: dict = {}
        exec(lines.replace("FOLDER", str(folder)), names)
        found.append(np.asarray(names["embeddings"]))
    assert len(found) == 2 and found[0].shape == (2, 128)
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)


def test_the_card_has_the_verdict_by_both_distances(token_run, toy_corpus):
    card = (token_run.encoder / "README.md").read_text(encoding="utf-8")
    assert card == model_card(token_run)  # written when all was known, folds among it
    head, body = parts_of(card)
    assert head["library_name"] == "sentence-transformers" and "base_model" not in head and "license" not in head
    result = result_of(token_run)
    assert result["verdict"] in body and "On the paper's split, " in body
    assert "| cosine |" in body and "| Euclidean distance |" in body and "points (95 %: " in body
    assert "768 dimensions" in body and "up to 512 tokens" in body and "toy: 120 texts, 120 labeled with 4 " in body
    assert (
        "**It was trained without labels.** They only measured it." in body
        and "| Recipe | Text crops (the crops paper; " in body
        and "The test texts, without their labels, were among" in body
    )
    assert "@misc{crops" in body and "weights drawn at random" in body
    read = read_rows(token_run.metrics)[-1]["texts"]
    assert f"{result['steps']} steps (" in body and f" epochs, {read:,} texts read) on " in body
    assert code(card, "python") and "AutoModel" not in card  # a token layer is no transformer
    assert "embedlab embed --encoder FOLDER" in body and str(token_run.path) not in card


def test_the_card_of_words_begins_with_word_statistics(tiny):
    card = model_card(do("train", {**tiny, "encoder": "words", "recipe": "sentences"}))
    assert "| Started from | Words of the corpus, its word statistics |" in card and "at random" not in card


def test_the_numbers_of_the_card_are_those_of_the_result(token_run):
    change_result(
        token_run, knn=knn((0.5, 0.75), (0.2, 0.1), n=100), references=lines_of(n=100, tfidf=(0.7, 0.6)),
        judged=both(judged((0.25, 0.101, 0.399)), judged((-0.1, -0.2, 0.0))), folds=None,
    )  # fmt: skip
    card = model_card(token_run)
    assert "| cosine | 20.0 % ± 4.0 | 10.0 % ± 3.0 | −10.0 points (95 %: −20.0 … 0.0) | 60.0 % ± 4.9 | – |" in card
    row = "50.0 % ± 5.0 | 75.0 % ± 4.3 | +25.0 points (95 %: 10.1 … 39.9) | 70.0 % ± 4.6 | – |"
    assert f"| Euclidean distance | {row}" in card


def test_a_supervised_run_and_what_grows_from_it_say_so(tiny, supervised_run):
    assert "**It saw labels.** It was trained with the labels of the train split" in model_card(supervised_run)
    second = do("train", {**tiny, "encoder": f"run:{supervised_run.id}"})
    card = model_card(second)
    assert "**It saw labels.** This phase used none" in card and "labels_read.json" in card
    assert (
        "| Earlier phases | Supervised reference |" in card
        and "| Started from | Token embeddings, from scratch, weights" in card
    )


@pytest.mark.parametrize(
    ("encoder", "hub", "licence"),
    [
        ("minilm", "sentence-transformers/all-MiniLM-L6-v2", "apache-2.0"),
        ("hf:some/one@0123abc", "some/one", None),
        ("/home/me/secret", None, None),
        ("run:zzzzzzzzzzzzz", None, None),
    ],
)
def test_what_it_grew_from_stands_in_the_head(token_run, encoder, hub, licence):
    for file in (token_run.settings, token_run.state):
        kept = read_json(file)
        write_json(file, {**kept, "settings": {**kept["settings"], "encoder": encoder}})
    change_result(token_run, encoder=encoder)
    head, body = parts_of(model_card(token_run))
    assert (head.get("base_model"), head.get("license")) == (hub, licence)
    facts = body.split("## ")[0]
    assert "secret" not in facts and (licence or "not stated") in facts


def test_labels_that_chose_the_step_are_said(token_run):
    kept = {"step": 2, "reason": "", "judged": {"by": "knn", "distance": "cosine", "development_texts": 9,
                                                "neighbors": 90, "seed": 43}}  # fmt: skip
    change_result(token_run, stopped=True, kept=kept)
    assert "They measured it and, on development texts, selected which step is kept." in model_card(token_run)


def test_without_a_result_the_card_says_that_nothing_was_measured(token_run):
    token_run.result.unlink()
    assert "Not measured: the run is finished" in model_card(token_run)


def test_the_table_of_embeddings_is_read_again(token_run, toy_corpus, tmp_path):
    for side in ("before", "after"):
        (tmp_path / f"{side}.parquet").write_bytes(embeddings_parquet(token_run, side, toy_corpus))
        table = pq.read_table(tmp_path / f"{side}.parquet")
        assert table.column_names == ["id", "label", "embedding"]
        assert table["id"].to_pylist() == list(range(120)) and table["label"].to_pylist() == list(toy_corpus.labels)
        vectors = np.load(token_run.embeddings(side))
        np.testing.assert_array_equal(np.array(table["embedding"].to_pylist(), np.float32), vectors)
        np.testing.assert_array_equal(all_rows(open_vectors(tmp_path / f"{side}.parquet")), vectors)
    assert not np.array_equal(vectors, np.load(token_run.embeddings("before")))
