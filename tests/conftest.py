"""Fixtures for all rooms: a store of one's own, a toy corpus made here, the folder of real corpora."""

import gc
import os
import shlex
import sys
import time
from pathlib import Path

import pytest

for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):  # before those are imported: these encoders are too small
    os.environ.setdefault(_name, "1")
os.environ.setdefault("NUMBA_OPT", "1")  # compiling takes longer than what is computed

from toy_corpora import store_summarised, store_toy, toy_pairs, write_once  # noqa: E402

from embedlab.corpora.base import Corpus  # noqa: E402
from embedlab.corpora.sets.stored import GivenPairs  # noqa: E402

pytest_plugins = ["built_once"]

WARM = Path(__file__).with_name("warm_worker.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With ``-n 2``: a file is one worker's, because its tests share what they build; the browser's are one group.

    In the order of their names, which ends with many short files; by numbers of tests, the few long ones came last.
    """
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "browser" if nodeid.startswith("tests/browser/") else super()._split_scope(nodeid)

    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported meanwhile, a million objects, is there until the end: the garbage collector never visits it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """One thread again, before anything is built: UMAP leaves two, which wait for each other where a core is busy."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def files_are_read_here(monkeypatch):
    """Without the process that strangers' files are read in: forking it takes longer than the files of tests."""
    monkeypatch.setattr("embedlab.reader_worker.Here.is_reader", True)


@pytest.fixture
def limited_readers(monkeypatch):
    """Files are read in a process with limits, as outside of tests."""
    monkeypatch.setattr("embedlab.reader_worker.Here.is_reader", False)


@pytest.fixture(scope="session", autouse=True)
def warm_workers(pytestconfig):
    """Workers are forked from a process that has torch imported, the same for both processes of ``-n 2``."""
    from built_once import shared_folder

    is_shared = "PYTEST_XDIST_WORKER" in os.environ
    owner = os.getppid() if is_shared else os.getpid()
    place = shared_folder(pytestconfig) / f"{owner}.socket"  # named after its owner: it ends with it
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_WORKER", shlex.join([sys.executable, "-S", "-E", str(WARM)]))
        patch.setenv("EMBEDLAB_WARM", str(place))
        yield
    if not is_shared:
        place.unlink(missing_ok=True)  # the sign to leave


class _Sooner:
    """The module ``time``, with sleeps of at most 30 milliseconds."""

    @staticmethod
    def sleep(seconds: float) -> None:
        time.sleep(min(seconds, 0.03))

    def __getattr__(self, name: str):
        return getattr(time, name)


@pytest.fixture(scope="session", autouse=True)
def soon_noticed():
    """Whoever waits for a run looks again sooner than for a person: most runs of tests are over within a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("embedlab.jobs.runner.time", _Sooner())
        yield


@pytest.fixture(scope="session", autouse=True)
def unsynced():
    """Nobody cuts the power here, and a disk takes milliseconds for each of some ten thousand files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        write_once()
        yield


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store of this test's own."""
    home = tmp_path / "store"
    monkeypatch.setenv("EMBEDLAB_HOME", str(home))
    return home


@pytest.fixture
def toy_corpus(store: Path) -> Corpus:
    """120 texts of four sentences in four classes, with titles; stored."""
    return store_toy()


@pytest.fixture
def summarised_corpus(store: Path) -> Corpus:
    """The toy corpus with three summaries a text."""
    return store_summarised()


@pytest.fixture
def given_pairs(store: Path) -> GivenPairs:
    """The toy pairs, stored."""
    return toy_pairs()


@pytest.fixture
def corpora_folder() -> Path:
    """The folder of real corpora; tests that need it are skipped where there is none."""
    folder = os.environ.get("EMBEDLAB_TEST_CORPORA")
    if not folder:
        pytest.skip("EMBEDLAB_TEST_CORPORA names no folder of real corpora")
    return Path(folder)
