"""The notebook runs from its first cell to its last, on 120 texts, and is stored without outputs."""

import json
import os
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).with_name("five_minutes.ipynb")
ROOT = NOTEBOOK.parents[2]


def test_it_is_stored_without_outputs_and_small():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")
    assert NOTEBOOK.stat().st_size < 10_000
    assert sum("parameters" in cell["metadata"].get("tags", ()) for cell in cells) == 1


@pytest.mark.slow
def test_every_cell_runs_and_shows_something(store, tmp_path, monkeypatch):
    import nbformat
    from nbclient import NotebookClient
    from toy_corpora import toy_texts

    texts, labels = toy_texts()
    rows = [json.dumps({"text": text, "label": label}) for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "toy.jsonl").write_text("\n".join(rows), encoding="utf-8")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    (parameters,) = (cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ()))
    parameters.source = f'source, encoder, recipe = "{tmp_path / "toy.jsonl"}", "token", "crops"'
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    results = [
        [output["data"] for output in cell.outputs if output.output_type in ("execute_result", "display_data")]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    assert [len(each) for each in results] == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    _, _, corpus, run, knn, curve, shape, scores, figure, rows = [each[0] if each else None for each in results]
    assert "120 texts, 4 classes" in corpus["text/plain"] and shape["text/plain"].startswith("(1, ")
    assert run["text/html"].count("<svg") == 2 and "<script" not in run["text/html"]
    assert "over ten folds of 109 labeled texts" in knn["text/plain"] and "knn_euclidean" in curve["text/html"]
    assert "Linear probe" in scores["text/html"] and "TF-IDF" in rows["text/html"]
    assert "application/vnd.plotly.v1+json" in figure
