"""What a dropped file is taken for, by its ending, its folder and its columns; and where it is then opened."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from seen import words

from embedlab.corpora.files import first_rows
from embedlab.corpora.notes import ReadOptions
from embedlab.ui.corpus.file_kind import PAIRS, SET, TEXTS, kind_of_file
from embedlab.vectors.opened import COORDINATES, EMBEDDINGS

TABLES = {
    "texts": ({"text": ["a b", "c d"], "label": ["x", "y"]}, TEXTS),
    "texts and documents": ({"title": ["a", "b"], "document": ["c d", "e f"]}, TEXTS),
    "a corpus with a question": ({"question": ["a?", "b?"], "label": ["x", "y"]}, TEXTS),
    "a corpus with ids and topics": ({"doc_id": ["1", "2"], "topic": ["x", "y"], "text": ["a b", "c d"]}, TEXTS),
    "questions and answers": ({"question": ["a?", "b?"], "answer": ["c", "d"]}, PAIRS),
    "anchors": ({"anchor": ["a", "b"], "positive": ["c", "d"], "negative": ["e", "f"]}, PAIRS),
    "NLI": ({"premise": ["a", "b"], "hypothesis": ["c", "d"], "label": ["entailment", "neutral"]}, PAIRS),
    "STS": ({"sentence1": ["a", "b"], "sentence2": ["c", "d"], "score": [4.5, 1.0]}, SET),
    "judgements": ({"query-id": ["q1", "q2"], "corpus-id": ["d1", "d2"], "score": [1, 1]}, SET),
    "queries": ({"query": ["a", "b"], "doc_ids": ["d1", "d2"]}, SET),
    "numbered vectors": ({"id": [1, 2], "e0": [0.1, 0.2], "e1": [0.3, 0.4]}, EMBEDDINGS),
    "places": ({"x": [0.1, 0.2], "y": [0.3, 0.4]}, COORDINATES),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_known_by_its_columns(tmp_path, name):
    columns, kind = TABLES[name]
    file = tmp_path / "file.csv"
    pd.DataFrame(columns).to_csv(file, index=False)
    assert kind_of_file(file, first_rows(file, ReadOptions())).kind == kind


def test_vectors_in_parquet_are_embeddings_unless_texts_lie_beside_them(tmp_path):
    vectors = {"embedding": [[0.1, 0.2], [0.3, 0.4]]}
    for beside, kind in (({}, EMBEDDINGS), ({"text": ["a", "b"]}, TEXTS)):
        file = tmp_path / "file.parquet"
        pd.DataFrame(beside | vectors).to_parquet(file)
        assert kind_of_file(file, first_rows(file, ReadOptions())).kind == kind


def test_a_folder_or_zip_as_beir_keeps_them_is_a_set(tmp_path):
    folder = tmp_path / "scifact"
    (folder / "qrels").mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl"):
        (folder / name).write_text(json.dumps({"_id": "1", "text": "a"}), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t1\t1\n", encoding="utf-8")
    packed = tmp_path / "scifact.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in folder.rglob("*.*"):
            archive.write(file, f"scifact/{file.relative_to(folder)}")
    assert kind_of_file(folder, None).kind == kind_of_file(packed, None).kind == SET
    (folder / "qrels" / "test.tsv").unlink()
    assert kind_of_file(folder, None).kind == TEXTS


def test_a_dropped_file_of_pairs_opens_the_form_of_pairs_with_it(open_page, tmp_path):
    file = tmp_path / "faq.csv"
    pd.DataFrame({"question": ["why is it?", "how is it?"] * 3, "answer": ["so it is", "well it is"] * 3}).to_csv(
        file, index=False
    )
    at = open_page("data", **{"corpus.source": "Your file"})
    at.text_input(key="corpus.path").set_value(str(file)).run()
    assert "faq.csv looks like training pairs: pairs of texts (question, answer)." in words(at)
    assert not at.exception and at.query_params["data"] in ("Training pairs", ["Training pairs"])
    assert at.text_input(key="train.pairs.path").value == str(file)
    assert any(button.label == "Read these pairs" for button in at.button)


def test_it_can_be_read_as_a_corpus_all_the_same_and_a_corpus_as_something_else(open_page, tmp_path):
    file = tmp_path / "faq.csv"
    pd.DataFrame({"question": ["why is it?"] * 4, "answer": ["so it is", "b", "c", "d"]}).to_csv(file, index=False)
    at = open_page("data", **{"corpus.source": "Your file"})
    at.text_input(key="corpus.path").set_value(str(file)).run()
    at.button(key="data.as-texts").click().run()
    assert not at.exception and any(button.label == "Read these texts" for button in at.button)
    at.button(key="data.as-embeddings").click().run()
    assert not at.exception and at.query_params["data"] in ("Embeddings", ["Embeddings"])
    assert "looks like" not in words(at)  # somebody chose it


def test_an_array_is_never_read_as_texts(open_page, toy_corpus, tmp_path):
    np.save(tmp_path / "own.npy", np.ones((3, 2), np.float32))
    at = open_page("data", **{"corpus.source": "Your file"})
    at.text_input(key="corpus.path").set_value(str(tmp_path / "own.npy")).run()
    assert "own.npy looks like embeddings: an array of numbers." in words(at)
    assert not at.exception and at.text_input(key="own.before.path").value == str(tmp_path / "own.npy")
    assert "data.as-texts" not in [button.key for button in at.button]


def test_a_file_dropped_on_home_opens_where_it_is_read(open_page, made_run):
    made_run()
    at = open_page("home")
    rows = "".join(f"Text {n} of some words.,{'ab'[n % 2]}\n" for n in range(40))
    at.file_uploader(key="own.drop").set_value(("My texts.csv", f"text,label\n{rows}".encode(), "text/csv")).run()
    assert not at.exception and "My texts.csv" in words(at)
    assert any(button.label == "Read these texts" for button in at.button)
    vectors = io.BytesIO()
    np.save(vectors, np.ones((120, 2), np.float32))
    at = open_page("home")
    at.file_uploader(key="own.drop").set_value(("own.npy", vectors.getvalue(), "application/octet-stream")).run()
    assert not at.exception and "own.npy looks like embeddings" in words(at)
    assert not at.button(key="own.import").disabled
    at.switch_page("../../../pages/data.py").run()
    at.segmented_control(key="data").set_value("Corpora").run()
    assert not at.exception and at.file_uploader(key="corpus.upload")  # the dropped file does not open its form again


def test_coordinates_open_their_form(open_page, toy_corpus, tmp_path):
    pd.DataFrame({"x": np.arange(120.0), "y": np.ones(120)}).to_parquet(tmp_path / "map.parquet")
    at = open_page("data", **{"corpus.source": "Your file"})
    at.text_input(key="corpus.path").set_value(str(tmp_path / "map.parquet")).run()
    assert "map.parquet looks like coordinates: numbers in x and y." in words(at)
    assert at.segmented_control(key="own.kind").value == "coordinates" and not at.button(key="own.import").disabled
