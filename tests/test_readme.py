"""The README stays true: its tree, its commands, the parts. ``python tests/test_readme.py`` writes both lists anew."""

import ast
import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README, BESIDE = ROOT / "README.md", ROOT / "embedlab" / "README.md"
MARKS = {"tree": README, "parts": BESIDE}  # what is written by this file, and where
ROWS = 25  # characters of a folder's name


def caption(path: Path) -> str:
    """The first line of a file's docstring, which says its idea."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def tree() -> str:
    """The rooms, each with the caption of its ``__init__.py``, and the folders of ui."""
    lines = [_line("app.py", caption(ROOT / "app.py")), _line("pages/", "One thin file a page.")]
    lines.append(_line("embedlab/", caption(ROOT / "embedlab" / "__init__.py")))
    for room in _folders(ROOT / "embedlab"):
        lines.append(_line(f"  {room.name}/", caption(room / "__init__.py")))
        if room.name == "ui":
            lines += [_line(f"    {folder.name}/", caption(folder / "__init__.py")) for folder in _folders(room)]
    lines.append(_line("tests/", "Mirrors embedlab; benchmarks/ measures and prints, and asserts nothing."))
    return "```\n" + "\n".join(lines) + "\n```\n"


def _folders(room: Path) -> list[Path]:
    return [path for path in sorted(room.iterdir()) if (path / "__init__.py").exists()]


def _line(name: str, said: str) -> str:
    return f"{name:<{ROWS}} {said}".rstrip()


def parts() -> str:
    """Every part by its key, with its title, one row a kind."""
    rows = [f"| {kind} | {' · '.join(keys)} |" for kind, keys in _named_parts()]
    return "| kind | parts |\n|---|---|\n" + "\n".join(rows) + "\n"


def _named_parts():
    from embedlab.cli.parts import registries

    for registry in registries():
        yield registry.kind, [f"`{part.key}` {part.title}" for part in registry]


def between(name: str) -> str:
    """What a README holds between the marks of this name."""
    return (
        MARKS[name]
        .read_text(encoding="utf-8")
        .partition(f"<!-- {name} -->\n")[2]
        .partition(f"<!-- end of {name} -->")[0]
    )


def test_ci_runs_the_tests_that_the_readmes_command_leaves_out():
    settings, ci = ((ROOT / name).read_text(encoding="utf-8") for name in (".pytest.ini", ".ci/run"))
    command = "python -m pytest -n 2"
    assert '-m "not slow"' in settings and "-m slow" in README.read_text(encoding="utf-8")
    assert command in README.read_text(encoding="utf-8")
    assert f"{command}\n" in ci and f"{command} -m slow" in ci


@pytest.fixture
def text() -> str:
    return README.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "made"), [("tree", tree), ("parts", parts)])
def test_what_is_written_is_what_there_is(name, made):
    assert between(name) == made(), "run: python tests/test_readme.py"


def test_it_is_one_that_is_read_to_its_end(text):
    assert text.count("\n") <= 300 and len(text.encode()) <= 20_000


def test_every_file_has_a_caption():
    for path in [*(ROOT / "embedlab").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        assert caption(path), path


def test_the_parts_it_counts_are_as_many():
    counts = {kind: len(keys) for kind, keys in _named_parts()}
    text = README.read_text(encoding="utf-8")
    assert (counts["metric"], counts["diagnostic"], counts["recipe"]) == (13, 20, 24)
    assert all(words in text for words in ("thirteen metrics", "twenty instruments", "24 recipes"))


def test_every_command_of_the_readme_is_understood(text):
    from embedlab.cli.arguments import parser

    beside = BESIDE.read_text(encoding="utf-8")
    commands = re.findall(r"^python -m embedlab (.+)$", text + beside, flags=re.MULTILINE)
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
    sys.path.insert(0, str(ROOT))  # the folder of this file is on the path, that of the package is not
    for name, made in (("tree", tree), ("parts", parts)):
        written = MARKS[name].read_text(encoding="utf-8")
        before, after = written.partition(f"<!-- {name} -->\n")[0], written.partition(f"<!-- end of {name} -->")[2]
        whole = f"{before}<!-- {name} -->\n{made()}<!-- end of {name} -->{after}"
        MARKS[name].write_text(whole, encoding="utf-8")


def test_every_benchmark_is_named_as_a_module():
    """As a script, without the project's root on the path, several failed before their first line."""
    texts = [ROOT / "README.md", *ROOT.glob("embedlab/**/*.md"), *ROOT.glob("tests/benchmarks/*.*")]
    written = "\n".join(path.read_text(encoding="utf-8") for path in texts if path.suffix in (".md", ".py"))
    modules = set(re.findall(r"python3? -m tests\.benchmarks\.(\w+)", written))
    assert "demo" in modules
    assert [name for name in modules if not (ROOT / "tests" / "benchmarks" / f"{name}.py").exists()] == []
    assert re.findall(r"python3? tests/benchmarks/\w+\.py", written) == []
