"""Small runs made in-process, in every state, and the app opened on a page."""

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest
from builders import both, judged, leave_point, leave_result, leave_state, lines
from builders import knn as knn_of
from built_once import build_once, copied_into, original_of
from damage_table import Ids, one_of_everything, worked_here
from odd_runs import partly_labelled
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest

from embedlab.device import Device
from embedlab.encoder_catalog.catalog import CatalogEncoder
from embedlab.encoder_catalog.names import is_made_here
from embedlab.jobs.executors.local import Local
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import create_run
from embedlab.ui.frame.navigation import PLACES

MAIN = Path(__file__).resolve().parents[2] / "embedlab" / "ui" / "frame" / "main.py"


@pytest.fixture(scope="session", autouse=True)
def components():
    """Installed packages are searched for components once: Streamlit does it for every page opened, in 0.2 s each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled():
    """A script of ours is compiled once, where every page opened by Streamlit's tester has a cache of its own."""

    def once(self, path: str):
        if path not in codes:
            codes[path] = compiling(self, path)
        return codes[path]

    compiling, codes = ScriptCache.get_bytecode, {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScriptCache, "get_bytecode", once)
        yield


@pytest.fixture
def open_page(store, monkeypatch):
    """``open_page("layers", run=ID)``: a view by its key in ``PLACES``, in the app's frame, and no process is started.

    As on a fresh machine: nothing is fetched, and no package lies beside.
    """
    monkeypatch.setattr("embedlab.ui.frame.background.known_device", lambda: Device("cpu", "2 cores", False))
    monkeypatch.setattr(CatalogEncoder, "is_here", property(lambda encoder: is_made_here(encoder.key)))
    monkeypatch.setattr("embedlab.jobs.executors.local.subprocess.Popen", None)  # a test that starts a process fails
    monkeypatch.setattr("embedlab.ui.components.built_in.gather_texts", lambda: None)  # gathers nothing

    def opened(key: str, **address: str) -> AppTest:
        at = AppTest.from_file(str(MAIN), default_timeout=30)
        place = PLACES[key]
        for name, value in {**place.address, **address}.items():
            at.query_params[name] = value
        at.switch_page(f"../../../pages/{place.page}.py")
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
        facts = {}
        if state == "failed":
            facts["error"] = {
                "code": "E-NON-FINITE",
                "message": "The loss became NaN or infinite. Lower the learning rate.",
            }
        if state in ("finished", "stopped"):
            leave_result(run, toy_corpus, **result_of(after, stopped=state == "stopped"))
            for step, knn in ((0, 0.4), (10, after)):
                place = {"texts": 64 * step, "seconds": step / 2, "test_texts": 12}
                leave_point(run, step, knn, round(knn + 0.01, 4), full=True, **place)
        leave_state(run, state, toy_corpus, **facts)
        return run

    return made


def result_of(after: float, *, stopped: bool) -> dict:
    """What a worker would have found, as far as pages read it."""
    return {
        "steps": 10,
        "usable_texts": 120,
        "seconds": 5.0,
        "stopped": stopped,
        "learning_rate": 0.01,
        "pooling": "mean",
        "knn": knn_of((0.4, after, 0.55), (0.41, round(after + 0.01, 4), 0.56)),
        "references": lines(tfidf=0.7, svd=0.65),
        "judged": both(judged()),
    }


@pytest.fixture(scope="session")
def original(pytestconfig) -> tuple[Path, Ids]:
    """A store with one of everything, which is only copied, and what is in it."""
    folder, odd = original_of("everything", pytestconfig), original_of("partly labelled", pytestconfig)

    def filled() -> str:
        build_once(odd, partly_labelled)
        return json.dumps(asdict(one_of_everything(copied_into(folder / "store", odd))))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Local, "submit", worked_here)
        build_once(folder, filled)
    return folder / "store", Ids(**json.loads((folder / "run.txt").read_text(encoding="utf-8")))
