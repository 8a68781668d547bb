"""Fixtures for all rooms: a store of one's own, a toy corpus made here, the folder of real corpora."""

import os
import random
import shlex
import sys
from pathlib import Path

import pytest

for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):  # before those are imported: these encoders are too small
    os.environ.setdefault(_name, "1")
os.environ.setdefault("NUMBA_OPT", "1")  # compiling takes longer than what is computed

from embedlab.corpora.base import Corpus, Draft, store_corpus  # noqa: E402
from embedlab.corpora.pairs.stored import GivenPairs, PairsDraft, store_pairs  # noqa: E402

TOY_WORDS = {
    "astronomy": "star galaxy orbit telescope planet nebula comet eclipse gravity dust radiation dwarf cluster moon",
    "cooking": "butter onion oven flour pepper garlic sauce dough simmer roast spoon vinegar basil kettle crust",
    "law": "court judge contract statute appeal verdict witness clause defendant treaty evidence counsel tort bail",
    "sailing": "anchor rudder harbor keel mast rope tide sail wind deck buoy compass current hull captain",
}
WARM = Path(__file__).with_name("warm_worker.py")
TOY_LINKS = "the of and with near under before after this that every some while because over".split()


def toy_texts(per_class: int = 30, sentences: int = 4, seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts of sentences of 100 to 160 characters, three words in four from their class; and their labels."""
    rng = random.Random(seed)
    texts, labels = [], []
    for _ in range(per_class):
        for label, words in TOY_WORDS.items():
            own = words.split()
            written = []
            for _ in range(sentences):
                sentence = ""
                while len(sentence) < 105:
                    sentence += f"{rng.choice(own if rng.random() < 0.75 else TOY_LINKS)} "
                written.append(f"{sentence.strip().capitalize()}.")
            texts.append(" ".join(written))
            labels.append(label)
    return texts, labels


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With ``-n 2``: a file is one worker's, because its tests share what they build; the browser's are one group."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "browser" if nodeid.startswith("tests/browser/") else super()._split_scope(nodeid)

    return ByFile(config, log)


def pytest_runtest_setup():
    """One thread again: UMAP leaves two, which wait for each other wherever a core has other work."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def warm_workers(tmp_path_factory):
    """Workers are forked from a process that has torch imported, the same for both processes of ``-n 2``."""
    base, owner, is_shared = tmp_path_factory.getbasetemp(), os.getpid(), "PYTEST_XDIST_WORKER" in os.environ
    if is_shared:
        base, owner = base.parent, os.getppid()
    place = base / f"{owner}.socket"  # named after its owner: it ends with it
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_WORKER", shlex.join([sys.executable, "-S", "-E", str(WARM)]))
        patch.setenv("EMBEDLAB_WARM", str(place))
        yield
    if not is_shared:
        place.unlink(missing_ok=True)  # the sign to leave


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store of this test's own."""
    home = tmp_path / "store"
    monkeypatch.setenv("EMBEDLAB_HOME", str(home))
    return home


@pytest.fixture
def toy_corpus(store: Path) -> Corpus:
    """120 texts of four sentences in four classes, with titles; stored."""
    texts, labels = toy_texts()
    titles = [" ".join(text.split()[:4]) for text in texts]
    return store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels, titles=titles))


@pytest.fixture
def summarised_corpus(store: Path) -> Corpus:
    """The toy corpus with three summaries a text."""
    texts, labels = toy_texts()
    titles = [" ".join(text.split()[:4]) for text in texts]
    summaries = [[" ".join(text.split()[start : start + 8]) for start in (4, 12, 20)] for text in texts]
    draft = Draft(name="summarised", source="toy", texts=texts, labels=labels, titles=titles, summaries=summaries)
    return store_corpus(draft)


def toy_pairs() -> PairsDraft:
    """60 pairs of halves of the toy texts, each with a sentence of another class and a score from 0.8 to 1."""
    texts, _ = toy_texts()
    halves = [text.split(". ") for text in texts]
    return PairsDraft(
        name="toy pairs",
        source="toy.csv",
        rows=62,
        anchors=[each[0] for each in halves[:60]],
        positives=[each[1] for each in halves[:60]],
        negatives=[[each[2]] for each in halves[1:61]],
        scores=[0.8 + (row % 5) / 20 for row in range(60)],
        roles={"anchor": "one", "positive": "other", "negative": "no", "score": "score"},
    )


@pytest.fixture
def given_pairs(store: Path) -> GivenPairs:
    """The toy pairs, stored."""
    return store_pairs(toy_pairs())


@pytest.fixture
def corpora_folder() -> Path:
    """The folder of real corpora; tests that need it are skipped where there is none."""
    folder = os.environ.get("EMBEDLAB_TEST_CORPORA")
    if not folder:
        pytest.skip("EMBEDLAB_TEST_CORPORA names no folder of real corpora")
    return Path(folder)
