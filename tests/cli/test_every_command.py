"""Every command of the parser, plain and with ``--json``: what is printed, where, and how a mistake is said.

A command that is new must be given a line here.
"""

import argparse
import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from toy_corpora import toy_texts

from embedlab.cli import main
from embedlab.cli.arguments import parser
from embedlab.config import Request
from embedlab.corpora.base import Corpus, Draft, store_corpus
from embedlab.finds.model import FindSettings
from embedlab.finds.store import Find
from embedlab.jobs.campaigns import asked_of
from embedlab.jobs.executors.local import Local
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.jobs.requests.measuring import MeasureInside
from embedlab.jobs.runner import request_stop, submit
from embedlab.learn.catalog import BUILT_IN, keep_lesson
from embedlab.runs.folder import RunFolder
from embedlab.runs.selections import keep
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, delete_run, open_run, stored_request, task_of
from embedlab.studies.store import Study
from embedlab.worker.work import _work

TINY = ["--set", "batch_size=8", "--set", "vocabulary_size=200", "--set", "maps=false", "--set", "inside=false"]
NOTHING = "0nothing0"


@dataclass
class World:
    """A store with one of everything, and files beside it."""

    folder: Path
    stored: Corpus | None = None
    run: str = ""
    study: str = ""
    made: int = 0

    @property
    def corpus(self) -> str:
        """Its fingerprint."""
        return self.stored.fingerprint

    def another_corpus(self) -> str:
        """One that nothing else needs."""
        self.made += 1
        return store_corpus(Draft(name="more", source="more", texts=[f"Text {self.made}.", "Another."])).fingerprint

    def own_lesson(self) -> str:
        """A lesson of a teacher's own."""
        return keep_lesson(sorted(BUILT_IN.glob("*.md"))[0].read_bytes(), "own.md").key

    def deleted(self) -> str:
        """A run in the trash."""
        run = open_run(self.over())
        delete_run(run)
        return run.id

    def file(self, name: str) -> str:
        """A path in a folder of this test's own."""
        return str(self.folder / name)

    def new(self, ending: str) -> str:
        """A path that nobody wrote to yet."""
        self.made += 1
        return self.file(f"out-{self.made}{ending}")

    def over(self, state: State = State.FINISHED) -> str:
        """A run of its own that is over."""
        run = create_run("train", stored_request(open_run(self.run)).settings)
        write_state(run, state)
        return run.id

    def waiting(self) -> str:
        """A run that waits for its worker."""
        return create_run("train", stored_request(open_run(self.run)).settings).id

    def find(self) -> str:
        """A Find that nobody works on."""
        return Find.create(FindSettings(corpus=self.corpus, minutes=0.1)).id

    def unlabelled(self) -> str:
        """A corpus without labels."""
        return store_corpus(Draft(name="bare", source="toy", texts=toy_texts(per_class=3)[0])).fingerprint

    def selection(self) -> str:
        """Two texts that were kept."""
        return keep(self.stored, "two", [1, 2]).id


WAITING: list[RunFolder] = []  # what follows the work that is being done


def worked_here(self, folder: RunFolder, job=None) -> str:
    """In place of a process: the same work in this one; what it says goes into the log, as a process's does.

    What waits for the device until the run before it has left it is done after that run.
    """
    if task_of(folder) == MeasureInside.task:
        WAITING.append(folder)
        return str(os.getpid())
    _in_its_log(folder)
    while WAITING:
        _in_its_log(WAITING.pop())
    return str(os.getpid())


def _in_its_log(folder: RunFolder) -> None:
    with open(folder.log, "a", encoding="utf-8") as log:
        with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
            _work(folder)


def stopped_here(folder: RunFolder) -> None:
    """A worker that sees the wish to stop at once."""
    request_stop(folder)
    write_state(folder, State.STOPPED)


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("commands")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(folder / "store"))
        patch.setenv("HF_TOKEN", "hf_not_a_token")
        patch.setattr(Local, "submit", worked_here)
        patch.setattr("embedlab.jobs.runner.stop", stopped_here)
        patch.setattr("embedlab.cli.running._gather_ahead", lambda: None)  # in a thread that outlives its test
        patch.setattr("embedlab.tasks.import_embeddings.submit", lambda *_: None)  # t-SNE of what was imported
        yield built(World(folder))


def built(world: World) -> World:
    texts, labels = toy_texts(per_class=10)
    world.stored = store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels))
    lines = "".join(f'{row},"{text}",{label}\n' for row, (text, label) in enumerate(zip(texts, labels, strict=True)))
    (world.folder / "toy.csv").write_text(f"id,text,label\n{lines}")
    (world.folder / "pairs.csv").write_text("sentence1,sentence2,score\nstar,comet,4\nflour,judge,0\nkeel,anchor,5\n")
    (world.folder / "matching.csv").write_text("anchor,positive\nstar,comet\nflour,bread\nkeel,mast\n")
    (world.folder / "answers.txt").write_text("embedlab longer-is-not-closer abcd: 1=0.7 2=20 3C\n")
    vectors = np.random.default_rng(0).standard_normal((40, 8))
    vectors[3] = 0
    np.save(world.folder / "vectors.npy", vectors)
    assert main(["train", "--corpus", world.corpus, "--recipe", "crops", *TINY, "--quiet"]) == 0
    (run,) = (folder for folder in (world.folder / "store" / "runs").iterdir() if folder.is_dir())
    world.run = run.name
    submit(DrawMaps(run=world.run, method="pca"))
    study = ["study", "run", "temperature", "--corpus", world.corpus, "--values", "0.05", "--seeds", "0", *TINY]
    assert main([*study, "--quiet"]) == 0
    (made,) = (folder for folder in (world.folder / "store" / "studies").iterdir() if folder.is_dir())
    world.study = made.name
    return world


@dataclass(frozen=True)
class Case:
    """What is asked of a command that it can do, and what it must refuse; each is made anew for each call."""

    asked: Callable[[World], list[str]] = lambda world: []
    mistake: Callable[[World], list[str]] = lambda world: ["--no-such-option"]
    code: str = "E-COMMAND"  # of the mistake


def of_run(*more: str, out: str | None = None) -> Case:
    """``COMMAND RUN``; a run that there is not is the mistake."""

    def arguments(world: World, run: str) -> list[str]:
        return [run, *more, *(["--out", world.new(out)] if out else [])]

    return Case(lambda w: arguments(w, w.run), lambda w: arguments(w, NOTHING), "E-UNKNOWN-RUN")


def by_run(*more: str) -> Case:
    """``COMMAND --run RUN``."""
    return Case(lambda w: ["--run", w.run, *more], lambda w: ["--run", NOTHING, *more], "E-UNKNOWN-RUN")


def reading_file(*more: str) -> Case:
    """``COMMAND FILE``; a file that there is not is the mistake."""
    return Case(lambda w: [w.file("toy.csv"), *more], lambda w: [w.file("nowhere.csv"), *more], "E-PATH")


IMPORT = Case(
    lambda w: ["--corpus", w.file("toy.csv"), "--before", w.file("vectors.npy")],
    lambda w: ["--corpus", w.file("toy.csv"), "--before", w.file("nowhere.npy")],
    "E-PATH",
)
CASES = {
    "demo": Case(mistake=lambda w: ["--on", "the-moon"], code="E-EXECUTOR"),
    "corpus check": reading_file(),
    "corpus summarise": reading_file("--by", "extractive", "--limit", "5"),
    "corpus delete": Case(lambda w: [w.another_corpus()], lambda w: [NOTHING], "E-CORPUS"),
    "corpus subset": Case(lambda w: [w.corpus, "--class", "law"], lambda w: [w.corpus, "--class", "Law"], "E-CLASS"),
    "train": Case(
        lambda w: ["--corpus", w.file("toy.csv"), *TINY, "--set", "max_steps=2"],
        lambda w: ["--corpus", w.corpus, "--recipe", "crop"],
        "E-UNKNOWN-RECIPE",
    ),
    "embed": Case(
        lambda w: ["--run", w.run, "--corpus", w.corpus, "--out", w.new(".npy")],
        lambda w: ["--run", w.run, "--corpus", w.corpus, "--out", w.new(".csv")],
        "E-OUT",
    ),
    "pairs mine": Case(
        lambda w: [w.file("matching.csv"), "--run", w.run, "--out", w.new(".parquet"), "--negatives", "1"],
        lambda w: [w.file("matching.csv"), "--run", w.run, "--out", w.new(".csv")],
        "E-OUT",
    ),
    "evaluate": Case(
        lambda w: ["--embeddings", w.file("vectors.npy"), "--corpus", w.file("toy.csv")],
        lambda w: ["--embeddings", w.file("nowhere.npy"), "--corpus", w.file("toy.csv")],
        "E-PATH",
    ),
    "benchmark": Case(
        lambda w: ["--run", w.run, "--set", "useb", "--needs", "--folder", str(w.folder)],
        lambda w: ["--run", w.run, "--set", "nothing"],
        "E-UNKNOWN-BENCHMARK",
    ),
    "map": Case(
        lambda w: ["--run", w.run, "--method", "pca", "--out", w.new(".parquet")],
        lambda w: ["--embeddings", w.file("nowhere.npy"), "--out", w.new(".parquet")],
        "E-PATH",
    ),
    "import": IMPORT,
    "bring": IMPORT,  # its former name
    "figure": Case(
        lambda w: ["--run", w.run, "--method", "pca", "--out", w.new(".svg")],
        lambda w: ["--run", w.run, "--method", "pca", "--out", w.new(".docx")],
        "E-SETTING",
    ),
    "selections list": Case(),
    "selections show": Case(lambda w: [w.selection()], lambda w: [NOTHING], "E-SELECTION"),
    "selections delete": Case(lambda w: [w.selection()], lambda w: [NOTHING], "E-SELECTION"),
    "selections export": Case(
        lambda w: [w.selection(), "--out", w.new(".csv")], lambda w: [w.selection(), "--out", w.new(".npy")], "E-OUT"
    ),
    "layers": by_run(),
    "diagnose": by_run("--only", "effective-rank,hubness"),
    "length": by_run("--copies", "3"),
    "runs list": Case(),
    "runs show": of_run(),
    "runs stop": Case(lambda w: [w.waiting()], lambda w: [w.over()], "E-RUN-OVER"),
    "runs resume": Case(lambda w: [w.over(State.INTERRUPTED)], lambda w: [NOTHING], "E-UNKNOWN-RUN"),
    "runs rename": of_run("A name"),
    "runs tag": of_run("lecture"),
    "runs delete": Case(lambda w: [w.over()], lambda w: [NOTHING], "E-UNKNOWN-RUN"),
    "runs export": of_run(out=".zip"),
    "runs log": of_run(),
    "runs push": of_run("--to", "anna/docs-encoder"),
    "runs replay": Case(lambda w: [w.run, "--out", w.new(".html")], lambda w: [w.run, "--out", w.new(".htm")], "E-OUT"),
    "storage show": Case(),
    "storage adopt": Case(lambda w: ["runs"], lambda w: ["nothing"], "E-ROOM"),
    "storage restore": Case(lambda w: [w.deleted()], lambda w: [NOTHING], "E-TRASH"),
    "storage trash": Case(lambda w: []),
    "storage prune": Case(mistake=lambda w: ["--kinds", "runs"], code="E-STORAGE-KIND"),
    "study list": Case(),
    "study run": Case(
        lambda w: ["temperature", "--corpus", w.corpus, "--values", "0.05", "--seeds", "0", *TINY],
        lambda w: ["temprature", "--corpus", w.corpus],
        "E-UNKNOWN-STUDY",
    ),
    "study show": Case(lambda w: [w.study], lambda w: [NOTHING], "E-UNKNOWN-STUDY"),
    "study resume": Case(lambda w: [w.study], lambda w: [NOTHING], "E-UNKNOWN-STUDY"),
    "study stop": Case(mistake=lambda w: [w.study], code="E-RUN-OVER"),
    "study export": Case(
        lambda w: [w.study, "--out", w.new(".csv")], lambda w: [w.study, "--out", w.new(".doc")], "E-OUT"
    ),
    "study delete": Case(
        lambda w: [Study.create(asked_of(Study.open(w.study))).id], lambda w: [NOTHING], "E-UNKNOWN-STUDY"
    ),
    "find list": Case(),
    "find run": Case(
        lambda w: ["--corpus", w.corpus, "--minutes", "0.1"], lambda w: ["--corpus", w.unlabelled()], "E-FIND-UNJUDGED"
    ),
    "find label": Case(
        lambda w: ["--corpus", w.unlabelled(), "--out", w.new(".csv")],
        lambda w: ["--corpus", w.corpus, "--out", w.new(".csv")],
        "E-LABELLED",
    ),
    "find show": Case(lambda w: [w.find()], lambda w: [NOTHING], "E-UNKNOWN-FIND"),
    "find resume": Case(lambda w: [w.find()], lambda w: [NOTHING], "E-UNKNOWN-FIND"),
    "find stop": Case(mistake=lambda w: [w.find()], code="E-RUN-OVER"),
    "find export": Case(
        lambda w: [w.find(), "--out", w.new(".csv")], lambda w: [w.find(), "--out", w.new(".doc")], "E-OUT"
    ),
    "find delete": Case(lambda w: [w.find()], lambda w: [NOTHING], "E-UNKNOWN-FIND"),
    "methods": of_run(),
    "classes": of_run(),
    "moves": by_run("--most", "3"),
    "compare": of_run(),
    "executors": Case(),
    "learn list": Case(),
    "learn check": Case(lambda w: ["longer-is-not-closer"], lambda w: ["longer"], "E-LESSON-KEY"),
    "learn export": Case(
        lambda w: ["longer-is-not-closer", "--out", w.new(".html")],
        lambda w: ["longer-is-not-closer", "--run", f"token={w.run}", "--out", w.new(".html")],
        "E-LESSON-RUN",
    ),
    "learn delete": Case(lambda w: [w.own_lesson()], lambda w: [NOTHING], "E-LESSON-KEY"),
    "learn tally": Case(lambda w: [w.file("answers.txt")], lambda w: [w.file("nowhere.txt")], "E-LESSON-PATH"),
    "learn pack": Case(),
    "parts": Case(),
} | {name: Case() for name in "recipes encoders corpora metrics diagnostics baselines sets".split()}
# what stop needs is at work in another process (tests/cli/test_study_commands.py); pack measures for an hour
ONLY_REFUSED = {"find stop", "study stop", "learn pack"}
SEARCHING = {"find run", "find resume"}  # their budgets are seconds by the clock, twice


def commands(of: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every command that the parser takes, as it is typed."""
    inner = [action for action in of._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        yield " ".join(path)
    for action in inner:
        for name, made in action.choices.items():
            yield from commands(made, (*path, name))


@pytest.fixture
def said(capfd, world, monkeypatch):
    """``said("runs list", [...])``: exit code, standard output and standard error."""
    monkeypatch.setattr("embedlab.cli.running.submit", lambda request, **how: _submitted(world, request, how))

    def called(name: str, arguments: list[str]) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([*name.split(), *arguments])
        written = capfd.readouterr()
        assert "Traceback" not in written.out + written.err
        return code, written.out, written.err

    return called


def _submitted(world: World, request: Request, how: dict) -> RunFolder:
    """The demo takes minutes: the run that is there stands in for it."""
    return open_run(world.run) if how.get("name") == "demo" else submit(request, **how)


def test_every_command_of_the_parser_is_tried():
    assert sorted(CASES) == sorted(commands(parser()))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in SEARCHING)) for name in sorted(set(CASES) - ONLY_REFUSED)],
)
def test_a_command_prints_one_object_or_lines_for_a_person(said, world, name):
    code, out, err = said(name, [*CASES[name].asked(world), "--json"])
    assert code == 0, out
    result = json.loads(out, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))
    assert isinstance(result, dict) and result and result.get("error") is None
    code, out, err = said(name, CASES[name].asked(world))
    assert code == 0, err
    assert out.strip() and not out.lstrip().startswith(("{", "[")), out
    assert "None" not in out.split() and "object at 0x" not in out


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_mistake_is_one_sentence_with_its_code(said, world, name):
    case = CASES[name]
    code, out, _ = said(name, [*case.mistake(world), "--json"])
    assert code == 2, out
    error = json.loads(out)["error"]
    assert set(error) >= {"code", "message"} and error["code"] == case.code, error
    code, out, err = said(name, [*case.mistake(world), "--quiet"])
    assert code == 2 and out == ""
    assert err.strip().endswith((".", "?", "--help")) and len(err.strip().splitlines()) == 1, err


@pytest.mark.parametrize("state", [State.FAILED, State.INTERRUPTED])
def test_a_run_that_has_nothing_is_refused_in_one_sentence_that_names_it(said, world, state):
    run = world.over(state)
    asked = {name: CASES[name].asked(world) for name in sorted(set(CASES) - ONLY_REFUSED - SEARCHING)}
    asked |= {"evaluate": ["--run", world.run], "train": ["--corpus", world.corpus, "--encoder", f"run:{world.run}"]}
    refused = set()
    for name, arguments in asked.items():
        if not any(world.run in each for each in arguments):
            continue
        code, _, err = said(name, [each.replace(world.run, run) for each in arguments] + ["--quiet"])
        if code:
            refused.add(name)
            assert code == 2 and run in err and len(err.strip().splitlines()) == 1 and err.strip().endswith("."), err
    assert refused >= {"embed", "evaluate", "layers", "length", "map", "methods", "moves", "runs replay", "train"}
    code, _, err = said("moves", ["--run", world.run, "--against", run, "--quiet"])
    advice = "Choose another run" if state is State.FAILED else "Resume it or choose another run"
    assert (code, err.strip()) == (2, f"This needs embeddings, but run {run} is {state} and has none. {advice}.")


def test_a_resumed_run_ends_in_the_lines_of_a_trained_one(said, world):
    run = world.over(State.INTERRUPTED)
    code, out, err = said("runs resume", [run])
    assert code == 0, err
    assert out.splitlines()[-1].startswith(f"Run {run}; encoder in ") and "kNN accuracy " in out
    assert not any("{" in line for line in out.splitlines())
