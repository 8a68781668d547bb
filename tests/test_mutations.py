"""The faults that ``tests/benchmarks/mutations.py`` plants: each operator by hand, the drawing, one fault in a copy."""

import ast
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from benchmarks import mutations
from benchmarks.mutations import COUNT, OPERATORS, ROOT, Fault, all_faults, drawn, faults_in

FILE = ROOT / "embedlab" / "metrics" / "x.py"


def mutants(source: str, operator: str) -> list[str]:
    """What this operator makes of a file."""
    faults = [fault for fault in faults_in(FILE, source) if fault.operator == operator]
    return [fault.applied(source.encode()).decode() for fault in faults]


@pytest.mark.parametrize(
    ("operator", "source", "expected"),
    [
        ("sign", "a + b", ["(a - b)"]),
        ("sign", "x * -y", ["x * y"]),
        ("sign", "name + 'é'", []),
        ("sign", "é = a - b", ["é = (a + b)"]),  # places are bytes
        ("off by one", "a < b", ["(a <= b)"]),
        ("off by one", "a[1:5]", ["a[2:5]", "a[1:6]"]),
        ("off by one", "range(n)", ["range((n + 1))"]),
        ("off by one", "a == b", []),
        ("swapped arguments", "f(a, b.c, 1)", ["f(b.c, a, 1)"]),
        ("swapped arguments", "max(a, b)", []),
        ("swapped arguments", "suppress(OSError, ValueError)", []),
        ("swapped arguments", "np.isin(a, b)", ["np.isin(b, a)"]),
        ("wrong default", "def f(k=10, *, is_on=True): ...", ["def f(k=21, *, is_on=True): ...",
                                                               "def f(k=10, *, is_on=False): ..."]),
        ("wrong default", "k: int = Field(4, ge=1)", ["k: int = Field(9, ge=1)"]),
        ("wrong distance", "by(COSINE)", ["by(EUCLIDEAN)"]),
        ("wrong distance", "x.euclidean.value", ["x.cosine.value"]),
        ("wrong distance", "d: Distance = COSINE", ["d: Distance = EUCLIDEAN"]),
        ("dropped warning", "if a:\n    raise CorpusError('E', 'x')", ["if a:\n    pass"]),
        ("dropped warning", "table.say(\n    'W', 'x'\n)", ["pass"]),
        ("dropped warning", "notes.append(x)\nrows.append(x)", ["pass\nrows.append(x)"]),
        ("dropped warning", "raise", []),
        ("dropped warning", "raise AssertionError('unreachable')", []),
    ],
)  # fmt: skip
def test_an_operator_changes_what_it_says_and_nothing_else(operator, source, expected):
    assert mutants(source, operator) == expected


@pytest.fixture(scope="module")
def faults() -> list[Fault]:
    return all_faults()


def test_forty_faults_are_spread_over_rooms_and_operators_and_the_seed_decides_them(faults):
    chosen = drawn(faults, seed=7)
    assert len(set(chosen)) == COUNT and chosen == drawn(faults, seed=7) != drawn(faults, seed=8)
    rooms, operators = (Counter(getattr(each, name) for each in chosen) for name in ("room", "operator"))
    assert len(rooms) >= 25 and max(rooms.values()) <= 2 and operators.keys() == OPERATORS.keys()
    assert max(operators.values()) - min(operators.values()) <= 10


def test_every_drawn_fault_is_python_and_not_what_was_there(faults):
    original = cache(lambda path: ast.dump(ast.parse(path.read_bytes())))
    for fault in drawn(faults, seed=1, count=80):
        changed = ast.parse(fault.applied(fault.path.read_bytes()).decode())
        assert ast.dump(changed) != original(fault.path), fault


@pytest.mark.slow
def test_a_fault_is_caught_by_a_test_and_the_copy_is_mended(tmp_path, monkeypatch):
    monkeypatch.setattr(mutations, "COMMAND", [mutations.sys.executable, "-m", "pytest", "-q", "-x"])
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # nothing of them is needed, and they take a second
    (tmp_path / "embedlab" / "metrics").mkdir(parents=True)
    (tmp_path / "tests" / "metrics").mkdir(parents=True)
    (tmp_path / ".pytest.ini").write_text("[pytest]\npythonpath = .\n", encoding="utf-8")
    source = "def add(a, b):\n    return a + b\n"
    file = tmp_path / "embedlab" / "metrics" / "x.py"
    file.write_text(source, encoding="utf-8")
    for package in (file.parent, file.parent.parent):
        (package / "__init__.py").touch()
    test = "from embedlab.metrics.x import add\n\ndef test_add():\n    assert add({}, 2) == {}\n"
    caught, missed = (tmp_path / "tests" / "metrics" / f"test_{name}.py" for name in ("a", "b"))
    caught.write_text(test.format(1, 3), encoding="utf-8")
    missed.write_text("def test_nothing():\n    pass\n", encoding="utf-8")
    (fault,) = faults_in(FILE, source)
    monkeypatch.setattr(mutations, "ROOT", tmp_path)
    fault = replace(fault, path=file)
    mutations.record_lines(tmp_path, tmp_path / "lines")
    lines = mutations.Lines(tmp_path / "lines")
    assert lines.is_run(fault) and not lines.is_run(replace(fault, line=9))
    for line in (2, 9):  # of none is known which tests run it: those of its file
        assert lines.tests(replace(fault, line=line), tmp_path) == ["tests/metrics/test_a.py::test_add"]
    assert mutations.caught_by(fault, tmp_path, lines) == "tests/metrics/test_a.py::test_add"
    caught.write_text(test.format(0, 2).replace("add(0, 2)", "abs(add(0, 2))"), encoding="utf-8")
    assert mutations.caught_by(fault, tmp_path, lines) == ""  # |0 − 2| = 0 + 2
    assert file.read_text(encoding="utf-8") == source
