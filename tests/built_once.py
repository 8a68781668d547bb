"""What many tests need is built once, for both processes of ``-n 2``; a test gets a copy in a store of its own.

Adding one: a function that fills the store, which is empty, and returns the id of the run to open; ``@once`` makes a
fixture of it. Whoever needs it first builds it, before the test's own patches, and nobody writes there afterwards.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from doing import do
from filelock import FileLock
from toy_corpora import store_toy

from embedlab.runs.folder import RunFolder

TOKEN = {
    "encoder": "token",
    "recipe": "crops",
    "batch_size": 16,
    "epochs": 2,
    "vocabulary_size": 300,
    "evaluate_every": 4,
    "maps": False,
    "inside": False,
}  # takes a second
BUILDERS: dict[str, Callable[[], str]] = {}


def once(build: Callable[[], str]):
    """The fixture: a copy of what this function builds."""
    assert build.__name__ not in BUILDERS, "the name says which copy a test gets"
    BUILDERS[build.__name__] = build

    @pytest.fixture(name=build.__name__)
    def copied(store: Path, request: pytest.FixtureRequest) -> RunFolder:
        return copied_into(store, original_of(build.__name__, request.config))

    return copied


@once
def token_run() -> str:
    """A finished run of a token layer on the toy corpus."""
    return do("train", {**TOKEN, "corpus": store_toy().fingerprint}).id


@once
def layered_run() -> str:
    """A finished run of a random BERT of two layers on the toy corpus."""
    layered = {"encoder": "scratch:bert-tiny", "epochs": 1}
    return do("train", {**TOKEN, **layered, "corpus": store_toy().fingerprint}).id


@once
def supervised_run() -> str:
    """A finished run that read the labels of the toy corpus."""
    by_labels = {"recipe": "supervised", "epochs": 1}
    return do("train", {**TOKEN, **by_labels, "corpus": store_toy().fingerprint}).id


def shared_folder(config: pytest.Config) -> Path:
    """The folder of this session, the same for both processes of ``-n 2``."""
    base = config._tmp_path_factory.getbasetemp()  # what the fixture of this name is, which hooks have not
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def pytest_runtest_setup(item: pytest.Item):
    """Build what this test is given a copy of, where it is not there yet."""
    for name in BUILDERS.keys() & set(getattr(item, "fixturenames", ())):
        build_once(original_of(name, item.config), BUILDERS[name])


def build_once(folder: Path, build: Callable[[], str]) -> None:
    """Have the store in this folder filled, unless it is; whoever comes meanwhile waits."""
    folder.parent.mkdir(exist_ok=True)
    with FileLock(f"{folder}.lock"), pytest.MonkeyPatch.context() as patch:
        if not (folder / "run.txt").exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a process that failed
            patch.setenv("EMBEDLAB_HOME", str(folder / "store"))
            run = build()
            (folder / "run.txt").write_text(run, encoding="utf-8")


def original_of(name: str, config: pytest.Config) -> Path:
    """The folder of what is built by this name."""
    return shared_folder(config) / "built-once" / name


def copied_into(store: Path, original: Path) -> RunFolder:
    """The run in this store, which may have the same corpora already; its result names files by their path."""
    built = original / "store"

    def place(source: str, target: str) -> None:
        if not os.path.exists(target):  # may be open already
            shutil.copy2(source, target)

    shutil.copytree(built, store, copy_function=place, dirs_exist_ok=True)
    run = RunFolder(store / "runs" / (original / "run.txt").read_text(encoding="utf-8"))
    result = run.result.read_text(encoding="utf-8")
    run.result.write_text(result.replace(str(built.resolve()), str(store.resolve())), encoding="utf-8")
    return run
