"""Small runs made in-process, in every state, and the app opened on a page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from embedlab.runs.folder import RunFolder
from embedlab.runs.store import append_row, create_run
from embedlab.store_root import write_json
from embedlab.tasks.parts import parts

MAIN = Path(__file__).resolve().parents[2] / "embedlab" / "ui" / "main.py"
PARTS = parts() | {"device": {"name": "cpu", "line": "2 cores", "bf16": False}}
for card in PARTS["encoders"]:  # as on a fresh machine: nothing fetched, no package beside
    card["is_here"] = card["from_scratch"]


@pytest.fixture
def open_page(store, monkeypatch):
    """``open_page("layers", run=ID)``: the page in the app's frame, with parts known and no process ever started."""
    monkeypatch.setattr("embedlab.ui.frame.state.read_parts", lambda: PARTS)
    monkeypatch.setattr("embedlab.jobs.executors.local.subprocess.Popen", None)  # a test that starts a process fails
    monkeypatch.setattr("embedlab.ui.result.packaged_example.start_once", lambda *_: None)  # gathers nothing

    def opened(key: str, **address: str) -> AppTest:
        at = AppTest.from_file(str(MAIN), default_timeout=30)
        for name, value in address.items():
            at.query_params[name] = value
        at.switch_page(f"../../pages/{key}.py")
        return at.run()

    return opened


@pytest.fixture
def made_run(toy_corpus):
    """``made_run("token", state="failed", …)``: a run on the toy corpus, in the store."""

    def made(
        encoder: str = "token", *, name: str = "", state: str = "finished", after: float = 0.6, **settings
    ) -> RunFolder:
        asked = {"corpus": toy_corpus.fingerprint, "encoder": encoder, "recipe": "crops", "train_on": "all", **settings}
        run = create_run("train", asked, name=name)
        facts = {"state": state, "since": "2026-01-01T00:00:00+00:00", "fingerprint": toy_corpus.fingerprint}
        if state == "failed":
            facts["error"] = {
                "code": "E-NON-FINITE",
                "message": "The loss stopped being a number. Lower the learning rate.",
            }
        if state in ("finished", "stopped"):
            write_json(run.result, result_of(run, asked, name, toy_corpus, after, stopped=state == "stopped"))
            for step, knn in ((0, 0.4), (10, after)):
                append_row(
                    run.metrics,
                    {
                        "full": True,
                        "step": step,
                        "texts": 64 * step,
                        "seconds": step / 2,
                        "knn": knn,
                        "test_texts": 12,
                        "knn_cosine": round(knn + 0.01, 4),
                    },
                )
        write_json(run.state, facts)
        return run

    return made


def result_of(run: RunFolder, asked: dict, name: str, corpus, after: float, *, stopped: bool) -> dict:
    """What a worker would have written, as far as pages read it."""
    info = corpus.info
    return {
        "run": run.id,
        "name": name,
        "corpus": {"name": info.name, "texts": info.texts, "classes": 4, "fingerprint": info.fingerprint},
        "encoder": asked["encoder"],
        "recipe": asked["recipe"],
        "steps": 10,
        "usable_texts": 120,
        "seconds": 5.0,
        "stopped": stopped,
        "learning_rate": 0.01,
        "pooling": "mean",
        "knn": {
            "before": 0.4,
            "after": after,
            "best": 0.55,
            "cosine": {"before": 0.41, "after": round(after + 0.01, 4), "best": 0.56},
            "test_texts": 12,
            "standard_error": 0.1,
        },
        "references": {
            name: {"value": value, "standard_error": 0.1} for name, value in (("tfidf", 0.7), ("svd", 0.65))
        },
        "verdict": "Helped: kNN accuracy +20.0 points.",
        "warnings": [],
    }
