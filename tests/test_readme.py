"""The README stays true: its tree, its commands, its parts. ``python tests/test_readme.py`` writes the tree anew."""

import ast
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BEGIN, END = "<!-- tree -->\n", "<!-- end of tree -->"


def caption(path: Path) -> str:
    """The first line of a file's docstring, which says its idea."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def tree() -> str:
    """Every folder with its caption, that of its ``__init__.py``; files say theirs in their own first line."""
    lines = [_line("app.py", caption(ROOT / "app.py"), 0), _line("pages/", "One thin file a page.", 0)]
    lines += _room(ROOT / "embedlab", 0)
    lines.append(_line("tests/", "Mirrors embedlab; benchmarks/ measures and prints, and asserts nothing.", 0))
    return "```\n" + "\n".join(lines) + "\n```\n"


def _room(folder: Path, depth: int) -> list[str]:
    lines = [_line(f"{folder.name}/", caption(folder / "__init__.py"), depth)]
    for path in sorted(folder.iterdir()):
        if path.is_dir() and (path / "__init__.py").exists():
            lines += _room(path, depth + 1)
    return lines


def _line(name: str, said: str, depth: int) -> str:
    return f"{'  ' * depth + name:<28} {said}".rstrip()


@pytest.fixture
def text() -> str:
    return README.read_text(encoding="utf-8")


def test_the_tree_is_that_of_the_repository(text):
    assert text.partition(BEGIN)[2].partition(END)[0] == tree(), "run: python tests/test_readme.py"


def test_every_file_has_a_caption():
    for path in [*(ROOT / "embedlab").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        assert caption(path), path


def test_every_part_is_named(text):
    from embedlab.augmentations import AUGMENTATIONS
    from embedlab.baselines import BASELINES
    from embedlab.benchmarks import BENCHMARKS
    from embedlab.encoders.catalog import ENCODERS
    from embedlab.maps import MAPS
    from embedlab.metrics import METRICS
    from embedlab.objectives import OBJECTIVES
    from embedlab.postprocessing import POSTPROCESSING
    from embedlab.studies import STUDIES
    from embedlab.summaries import SUMMARISERS
    from embedlab.training.recipes import RECIPES

    named = (AUGMENTATIONS, BASELINES, BENCHMARKS, ENCODERS, MAPS, METRICS, OBJECTIVES, POSTPROCESSING, RECIPES)
    for registry in (*named, STUDIES, SUMMARISERS):
        for key in registry.keys():
            assert f"`{key}`" in text, f"{registry.kind} {key}"


def test_every_command_of_the_readme_is_understood(text):
    from embedlab.cli.arguments import parser

    commands = re.findall(r"^python -m embedlab (.+)$", text, flags=re.MULTILINE)
    assert any(command.startswith("demo") for command in commands)
    for command in commands:
        parser().parse_args(shlex.split(command, comments=True))


def test_the_files_it_points_to_are_there(text):
    for place in re.findall(r"\]\((?!http|#)([^)]+)\)", text):
        assert (ROOT / place).exists(), place
    for script in re.findall(r"python (tests/\S+\.py)", text):
        assert (ROOT / script).exists(), script


def test_the_top_level_holds_what_it_may():
    allowed = {"app.py", "pages", "embedlab", "tests", "requirements.txt", "README.md", "LICENSE"}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".") and path.name != "__pycache__"}
    assert found == allowed


if __name__ == "__main__":
    written = README.read_text(encoding="utf-8")
    before, after = written.partition(BEGIN)[0], written.partition(END)[2]
    README.write_text(f"{before}{BEGIN}{tree()}{END}{after}", encoding="utf-8")
