"""Every figure and table of the five papers is in the list, its command is one, and the test that it names is there."""

import re
import shlex
from pathlib import Path

import pytest

from embedlab.augmentations import AUGMENTATIONS
from embedlab.benchmarks import BENCHMARKS
from embedlab.cli.arguments import parser
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.metrics import METRICS
from embedlab.studies import STUDIES
from embedlab.training.recipes import recipe_of
from embedlab.training.settings import RunSettings

ROOT = Path(__file__).parents[1]
FILE = ROOT / "tests" / "benchmarks" / "README.md"
IN_THE_PAPERS = {  # as their captions number them
    "Crops": "Table 1-2, Figure 1-5, Table S1-S4, Figure S1-S2",
    "TSDAE": "Table 1-11, Figure 1-7",
    "UNSEE": "Table 1-1, Figure 1-5",
    "SemCSE": "Table 1-7, Figure 1-2",
    "LA(SER)³": "Table 1-5, Figure 1-4",
}


def rows() -> list[list[str]]:
    """``paper number shows made_by test`` of each line."""
    part = FILE.read_text(encoding="utf-8").partition("## Every figure and table of the five papers")[2]
    lines = [line for line in part.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def numbered(spans: str) -> list[str]:
    """``Table 1-2`` is Table 1 and Table 2."""
    found = []
    for kind, mark, first, last in re.findall(r"(Table|Figure) (S?)(\d+)-S?(\d+)", spans):
        found += [f"{kind} {mark}{number}" for number in range(int(first), int(last) + 1)]
    return found


COMMANDS = [command for _, _, _, made_by, _ in rows() for command in re.findall(r"`([^`]+)`", made_by)]


@pytest.mark.parametrize("paper", IN_THE_PAPERS)
def test_none_is_missing_and_none_stands_twice(paper):
    assert sorted(row[1] for row in rows() if row[0] == paper) == sorted(numbered(IN_THE_PAPERS[paper]))


@pytest.mark.parametrize("command", dict.fromkeys(COMMANDS))
def test_its_command_is_one_and_names_parts_that_there_are(command):
    asked = vars(parser().parse_args(shlex.split(command)))
    for key in filter(None, (asked.get("only") or "").split(",")):
        assert key in DIAGNOSTICS
    if asked.get("benchmark"):
        known = {task.key for task in BENCHMARKS[asked["benchmark"]].tasks}
        assert set(filter(None, (asked.get("tasks") or "").split(","))) <= known
    for key in filter(None, (asked.get("metrics") or "").split(",")):
        assert key in METRICS
    recipe = recipe_of(asked["recipe"]) if asked.get("recipe") else None
    if "kind" in asked:
        assert asked["kind"] in STUDIES
    settings = [each.partition("=")[0] for each in asked.get("sets") or []] + [asked.get("setting") or ""]
    for path in filter(None, settings):
        part, dot, name = path.partition(".")
        config = RunSettings if not dot else _part(recipe, part).config_class
        assert (name or part) in config.model_fields


def _part(recipe, part: str):
    from embedlab.objectives import OBJECTIVES

    return OBJECTIVES[recipe.objective] if part == "objective" else AUGMENTATIONS[recipe.augmentation]


@pytest.mark.parametrize("named", dict.fromkeys(row[4].strip("` ") for row in rows()))
def test_the_test_it_names_is_there(named):
    file, _, name = named.partition("::")
    assert re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
