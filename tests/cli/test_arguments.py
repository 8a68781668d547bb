"""What is typed becomes the parameters of a typed function, and no command's file is loaded before it is called."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import pytest

from embedlab.cli import _in_full, arguments
from embedlab.cli.arguments import COMMANDS, USUAL, Option, called, given, named, options, parser
from embedlab.cli.running import import_vectors
from embedlab.errors import SettingsError

ROOT = Path(__file__).resolve().parents[2]


@options("how it is read")
class Reading:
    """A group with a title, in it another group."""

    encoding: str | None = None

    @options(only_one=True, required=True)
    class Source:
        """Exactly one of two."""

        run: Annotated[str | None, Option(names="run")] = None
        file: Annotated[str | None, Option("where it lies", "FILE")] = None

    source: Source


def draw(
    terminal,
    corpus: str | None = None,
    *,
    method: Literal["tsne", "pca"] = "tsne",
    width_mm: Annotated[float | None, Option(flag="--width")] = None,
    sets: Annotated[tuple[str, ...], Option(flag="--set")] = (),
    texts: Annotated[tuple[str, ...] | None, Option(takes_several=True)] = None,
    caption: bool = True,
    force: bool = False,
    reading: Reading,
):
    """Hands back what it was called with."""
    return {name: value for name, value in locals().items() if name != "terminal"}


@pytest.fixture
def typed(monkeypatch):
    """``typed("--run", "a")``: what the function is called with."""
    monkeypatch.setattr(arguments, "COMMANDS", {"draw": ("drawing:draw", "draw it")})
    monkeypatch.setattr(arguments, "resolve_name", {"embedlab.cli.drawing:draw": draw}.get)

    def parsed(*words: str) -> dict:
        made = parser().parse_args(["draw", *words])
        assert named("run", draw, made) == [made.run] and named("encoder", draw, made) == []
        return called(made.command, made, None)

    return parsed


def test_every_parameter_is_bound_by_its_type(typed):
    made = typed(
        *["docs", "--method", "pca", "--width", "85.5", "--set", "a=1", "--set", "b=2", "--no-caption", "--force"],
        *["--texts", "one", "two", "--file", "x.csv", "--encoding", "cp1252"],
    )
    reading = Reading(encoding="cp1252", source=Reading.Source(file="x.csv"))
    assert made == {
        "corpus": "docs", "method": "pca", "width_mm": 85.5, "sets": ("a=1", "b=2"), "texts": ("one", "two"),
        "caption": False, "force": True, "reading": reading,
    }  # fmt: skip
    assert given(reading) == {"encoding": "cp1252"} and given(reading.source) == {"file": "x.csv"}


def test_what_is_left_out_is_as_the_function_has_it(typed):
    assert typed("--run", "a") == {
        "corpus": None, "method": "tsne", "width_mm": None, "sets": (), "texts": None,
        "caption": True, "force": False, "reading": Reading(source=Reading.Source(run="a")),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "One of the arguments --run --file is required."),
        (["--run", "a", "--file", "b"], "Argument --file: not allowed with argument --run."),
        (["--run", "a", "--width", "wide"], "Argument --width: invalid float value: 'wide'."),
        (["--run", "a", "--method", "umap"], "Argument --method: invalid choice: 'umap' (choose from 'tsne', 'pca')."),
        (["--run", "a", "b", "c"], "Unrecognized arguments: c."),
        (["--run"], "Argument --run: expected one argument."),
    ],
)
def test_a_wrong_line_is_one_sentence_that_names_the_help(typed, words, said):
    with pytest.raises(SettingsError) as refused:
        typed(*words)
    # newer versions of Python write the choices without quotes
    assert refused.value.message.replace("from tsne, pca", "from 'tsne', 'pca'").startswith(said)
    assert refused.value.message.startswith("See: python -m embedlab", len(said) + 1)


def test_help_loads_no_command_and_parsing_one_never_loads_torch():
    words = [name.split() for name, listed in COMMANDS.items() if not isinstance(listed, str)]
    code = f"""
import contextlib, io, sys
from embedlab.cli.arguments import parser
def helped(*words):
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        parser().parse_args([*words, "--help"])
helped(), helped("runs")
print(sorted(name for name in sys.modules if name.startswith(("embedlab.cli.", "pydantic", "numpy"))))
for words in {words!r}:
    helped(*words)
    assert "torch" not in sys.modules, words
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "['embedlab.cli.arguments', 'embedlab.cli.terminal']"


@pytest.mark.parametrize("place", [listed[0] for listed in COMMANDS.values() if not isinstance(listed, str)])
def test_every_command_of_the_table_is_a_function_that_gives_an_outcome(place):
    function = arguments.resolve_name(f"embedlab.cli.{place}")
    assert function.__annotations__["return"] is arguments.Outcome and "terminal" in function.__annotations__


def test_a_former_name_is_the_same_command_and_stands_once_in_the_help():
    words = ["--corpus", "docs", "--before", "a.npy", "--name", "mine"]
    imported, formerly = (parser().parse_args([name, *words]) for name in ("import", "bring"))
    assert vars(imported) == vars(formerly) and imported.command is import_vectors
    lines = [line.strip() for line in parser().format_help().splitlines()]
    assert [line for line in lines if line.startswith(("import", "bring"))] == ["import (bring)"]


def test_a_command_of_several_may_be_left_out_before_options():
    assert _in_full(["find", "--corpus", "x"]) == ["find", USUAL["find"], "--corpus", "x"]
    for whole in ([], ["find"], ["find", "--help"], ["find", "show", "x"], ["train", "--corpus", "x"]):
        assert _in_full(whole) == whole
