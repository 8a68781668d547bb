"""Whether the tests catch planted faults: 40 drawn by a seed over all rooms, each in a copy of the working tree.

``python -m tests.benchmarks.mutations`` draws with a new seed and prints it; ``--seed N`` draws the same faults again,
``--list`` only prints them. The README's test command is run once while coverage records which test runs which line;
``--lines FILE`` keeps the record there, or takes it from there. A fault is first tried by the tests that run its line
(where none does, its function or else its file), then by the whole command: a process that a test starts runs lines,
too. ``--first SECONDS`` leaves out the whole command, and what does not fail so soon is to be judged by hand.
``--unrun`` prints the places that no process ran; compiled functions are among them, and processes without packages.
"""

import argparse
import ast
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from copy import copy as shallow_copy
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[2]
COUNT = 40
COMMAND = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-x"]  # the README's, which ends with the first failure
MOST_SECONDS = 1_800  # of a command; a fault that makes a test endless is caught, too
FAILED = {1, 2, 3, 4}  # exit codes of pytest: a test failed, a file could not be imported, …; 5 is that none was there
DEFAULTS = "tests/test_defaults.py"  # every default number, however it is read
DISTANCES = {"cosine": "euclidean", "euclidean": "cosine", "COSINE": "EUCLIDEAN", "EUCLIDEAN": "COSINE"}
SPEAKING = {"doubt", "leave_out", "remark", "say", "warn"}  # methods that tell the user what was noticed
UNORDERED = set(  # functions for which the order of the first two arguments is nothing, or which refuse the other one
    "max min isinstance suppress np.array_equal np.intersect1d np.union1d np.maximum np.minimum pc.equal".split()
)
LISTS = re.compile(r"(warnings|notes|remarks|limits)$")
Change = tuple[ast.AST, ast.AST]  # a node of a file, and what stands there instead
CHANGED = (
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.Slice, ast.Call),
    *(ast.arguments, ast.Name, ast.Attribute, ast.Raise, ast.Expr),
)
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


@dataclass(frozen=True)
class Fault:
    """One change of one expression or statement: ``before`` becomes ``after`` at these places of the source's bytes."""

    path: Path  # in the working tree
    operator: str
    line: int
    begin: int
    end: int
    before: str
    after: str

    @property
    def room(self) -> str:
        """``metrics`` of ``embedlab/metrics/knn.py``; the files beside the rooms are the foundation."""
        parts = self.path.relative_to(ROOT).parts
        if parts[0] != "embedlab":
            return "pages"
        return parts[1] if len(parts) > 2 else "foundation"

    def applied(self, source: bytes) -> bytes:
        """The file with this fault in it."""
        return source[: self.begin] + self.after.encode() + source[self.end :]


def sign(node: ast.AST) -> Iterator[Change]:
    """``a + b`` becomes ``a - b``, and the other way round; ``-a`` becomes ``a``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and not _joins_texts(node):
        yield node, _changed(node, op=ast.Sub() if isinstance(node.op, ast.Add) else ast.Add())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield node, node.operand


def off_by_one(node: ast.AST) -> Iterator[Change]:
    """``a < b`` becomes ``a <= b``; a bound of a slice or the end of a ``range`` becomes one more."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        yield node, _changed(node, ops=[COMPARISONS[type(node.ops[0])]()])
    if isinstance(node, ast.Slice):
        for bound in (node.lower, node.upper):
            if isinstance(bound, ast.Constant) and isinstance(bound.value, int):
                yield bound, ast.Constant(bound.value + 1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and node.args:
        end = node.args[0] if len(node.args) == 1 else node.args[1]
        yield end, ast.BinOp(end, ast.Add(), ast.Constant(1))


def swapped_arguments(node: ast.AST) -> Iterator[Change]:
    """``f(a, b)`` becomes ``f(b, a)``; functions for which their order is nothing are left out."""
    if not isinstance(node, ast.Call) or len(node.args) < 2 or ast.unparse(node.func) in UNORDERED:
        return
    first, second, *others = node.args
    names = (ast.Name, ast.Attribute, ast.Subscript)
    if isinstance(first, names) and isinstance(second, names) and ast.dump(first) != ast.dump(second):
        yield node, _changed(node, args=[second, first, *others])


def wrong_default(node: ast.AST) -> Iterator[Change]:
    """A parameter's or a setting's default number becomes twice as much and one more, its True becomes False."""
    defaults: list[ast.expr | None] = []
    if isinstance(node, ast.arguments):
        defaults = [*node.defaults, *node.kw_defaults]
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Field":
        defaults = [*node.args[:1]]
    for default in defaults:
        if isinstance(default, ast.Constant) and isinstance(default.value, int | float):
            value = default.value
            yield default, ast.Constant(not value if isinstance(value, bool) else 2 * value + 1)


def wrong_distance(node: ast.AST) -> Iterator[Change]:
    """Euclidean distance where cosine is meant, and the other way round."""
    if isinstance(node, ast.Name) and node.id in DISTANCES and isinstance(node.ctx, ast.Load):
        yield node, ast.Name(DISTANCES[node.id], ast.Load())
    if isinstance(node, ast.Attribute) and node.attr in DISTANCES and isinstance(node.ctx, ast.Load):
        yield node, _changed(node, attr=DISTANCES[node.attr])


def dropped_warning(node: ast.AST) -> Iterator[Change]:
    """A statement that tells the user something, or that refuses what the user gave, does nothing.

    An AssertionError is raised where no input leads.
    """
    refusal = r"(?!AssertionError)\w*Error\("
    if isinstance(node, ast.Raise) and node.exc is not None and re.match(refusal, ast.unparse(node.exc)):
        yield node, ast.Pass()
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        method = node.value.func
        if method.attr in SPEAKING or (method.attr == "append" and LISTS.search(ast.unparse(method.value))):
            yield node, ast.Pass()


OPERATORS: dict[str, Callable[[ast.AST], Iterator[Change]]] = {
    "sign": sign,
    "off by one": off_by_one,
    "swapped arguments": swapped_arguments,
    "wrong default": wrong_default,
    "wrong distance": wrong_distance,
    "dropped warning": dropped_warning,
}


def _changed(node: ast.AST, **fields: object) -> ast.AST:
    """A copy with other fields."""
    other = shallow_copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _joins_texts(node: ast.BinOp) -> bool:
    """Whether texts or lists are joined, which a minus refuses at once."""
    joined = (ast.JoinedStr, ast.List, ast.Tuple)
    parts = list(ast.walk(node))
    return any(isinstance(each, joined) or isinstance(getattr(each, "value", None), str) for each in parts)


def faults_in(path: Path, source: str) -> list[Fault]:
    """Every fault that an operator makes of a file, in the order of its lines; annotations are left out."""
    content, starts, nodes = source.encode(), [0], list(ast.walk(ast.parse(source)))
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    annotations = {id(each) for node in nodes for each in _annotations(node)}
    in_texts = {id(each) for node in nodes if isinstance(node, ast.JoinedStr) for each in ast.walk(node)}
    faults = {}
    for node in (each for each in nodes if isinstance(each, CHANGED)):
        for operator, mutate in OPERATORS.items():
            for old, new in mutate(node) if id(node) not in annotations else ():
                begin = starts[old.lineno - 1] + old.col_offset
                end = starts[old.end_lineno - 1] + old.end_col_offset
                before = content[begin:end].decode(errors="replace")
                if id(old) not in in_texts or _is(before, old):
                    after = ast.unparse(ast.fix_missing_locations(new))
                    after = f"({after})" if isinstance(new, ast.BinOp | ast.Compare) else after
                    faults[operator, begin, end] = Fault(path, operator, old.lineno, begin, end, before, after)
    return sorted(faults.values(), key=lambda fault: (fault.begin, fault.end, fault.operator))


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    for name in ("annotation", "returns"):
        if isinstance(part := getattr(node, name, None), ast.AST):
            yield from ast.walk(part)


def _is(text: str, node: ast.AST) -> bool:
    """Whether this text is the node: inside f-strings Python 3.11 gives places that it is not at."""
    try:
        read = ast.parse(text).body[0] if isinstance(node, ast.stmt) else ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, IndexError):
        return False
    return ast.dump(read) == ast.dump(node)


def sources() -> list[Path]:
    """Every file of the package and of the pages; the lessons' and the example's data is none."""
    return sorted([*(ROOT / "embedlab").rglob("*.py"), *(ROOT / "pages").glob("*.py")])


def all_faults() -> list[Fault]:
    """Of every file."""
    return [fault for path in sources() for fault in faults_in(path, path.read_text(encoding="utf-8"))]


def drawn(faults: list[Fault], *, seed: int, count: int = COUNT) -> list[Fault]:
    """So many of them: the rooms in turns, in each the operator that was drawn least, then by chance."""
    rng, used = random.Random(seed), Counter()
    rooms: dict[str, dict[str, list[Fault]]] = defaultdict(lambda: defaultdict(list))
    for fault in faults:
        rooms[fault.room][fault.operator].append(fault)
    order = rng.sample(sorted(rooms), len(rooms))
    chosen: list[Fault] = []
    while len(chosen) < min(count, len(faults)):
        for room in order[: count - len(chosen)]:
            operators = [operator for operator in OPERATORS if rooms[room][operator]]
            if operators:
                operator = min(rng.sample(operators, len(operators)), key=lambda each: used[each])
                used[operator] += 1
                pool = rooms[room][operator]
                chosen.append(pool.pop(rng.randrange(len(pool))))
    return chosen


class Lines:
    """Which tests run which lines, as coverage recorded it in a copy."""

    def __init__(self, record: Path):
        self.data = CoverageData(str(record))
        self.data.read()

    def contexts(self, path: Path) -> dict[int, list[str]]:
        """Of each line that was run the tests, as ``test_knn.test_ties``; empty for import and other processes."""
        end = f"/{path.relative_to(ROOT).as_posix()}"
        file = next((each for each in self.data.measured_files() if each.endswith(end)), "")
        return self.data.contexts_by_lineno(file)

    def is_run(self, fault: Fault) -> bool:
        """Whether any process ran its line, at import or later."""
        return fault.line in self.contexts(fault.path)

    def tests(self, fault: Fault, copy: Path) -> list[str]:
        """The tests that run its line, else its function, else its file, as pytest names them."""
        contexts = self.contexts(fault.path)
        functions = [
            range(node.lineno, (node.end_lineno or node.lineno) + 1)
            for node in ast.walk(ast.parse(fault.path.read_bytes()))
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        ]
        inner = [lines for lines in sorted(functions, key=len) if fault.line in lines]
        files = {path.stem: path.relative_to(copy).as_posix() for path in (copy / "tests").rglob("test_*.py")}
        for lines in ([fault.line], *inner, contexts):
            names = dict.fromkeys(name for line in lines for name in contexts.get(line, ()) if name)
            if names:
                tests = [(files.get(file), name) for file, _, name in (each.partition(".") for each in names)]
                return [f"{file}::{name.replace('.', '::')}" for file, name in tests if file is not None]
        return []


SETTINGS = """[run]
source = {0}/embedlab
    {0}/pages
data_file = {1}
parallel = true
patch = subprocess, fork, _exit
sigterm = true
dynamic_context = test_function
"""


def record_lines(copy: Path, record: Path) -> None:
    """Record into this file which test runs which line of the copy.

    A test that fails then, because of coverage, stops nothing.
    """
    with TemporaryDirectory() as folder:
        settings = Path(folder) / "settings"
        settings.write_text(SETTINGS.format(copy, Path(folder) / "lines"), encoding="utf-8")
        coverage, of = [sys.executable, "-m", "coverage"], f"--rcfile={settings}"
        subprocess.run([*coverage, "run", of, *COMMAND[1:], "--maxfail=0"], cwd=copy, stdout=sys.stderr)
        subprocess.run([*coverage, "combine", "-q", of], check=True)
        shutil.copy(Path(folder) / "lines", record)


def caught_by(fault: Fault, copy: Path, lines: Lines, *, first_seconds: int = 0) -> str:
    """The first test that fails with this fault in the copy, or nothing; the copy is as before afterwards.

    ``first_seconds``: only the tests that run its line, for so long.
    """
    file = copy / fault.path.relative_to(ROOT)
    original = file.read_bytes()
    file.write_bytes(fault.applied(original))
    try:
        near = [*lines.tests(fault, copy), *([DEFAULTS] if fault.operator == "wrong default" else [])]
        if first_seconds:
            return failing(copy, near, first_seconds, none_by_then="") if near else ""
        return (failing(copy, near) if near else "") or failing(copy, [])
    finally:
        file.write_bytes(original)


def failing(copy: Path, tests: list[str], seconds: int = MOST_SECONDS, *, none_by_then: str = "no end") -> str:
    """The first failing one of these tests, of the README's command where none are named; nothing where all pass."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # or a file that changes twice a second is not read
    command, output = [*COMMAND, *tests], {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, cwd=copy, env=environment, **output) as process:
        try:
            printed, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # so that it ends what its tests started
            return none_by_then
    if process.returncode not in FAILED:
        return ""
    names = re.findall(r"^(?:FAILED|ERROR) (\S+)", printed, flags=re.MULTILINE)
    return names[0] if names else f"exit code {process.returncode}"


def row(number: int, fault: Fault, *cells: object) -> str:
    """A line of the table."""
    position = f"{fault.path.relative_to(ROOT)}:{fault.line}"
    change = [" ".join(each.split()).replace("|", "\\|")[:60] for each in (fault.before, fault.after)]
    columns = (number, fault.room, position, fault.operator, *(f"`{each}`" for each in change), *cells)
    return f"| {' | '.join(map(str, columns))} |"


def main(arguments: list[str]) -> int:
    """Print the seed and the table; 1 where fewer than 38 of 40 are caught."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--list", action="store_true", help="only draw")
    parser.add_argument("--lines", type=Path, metavar="FILE", help="keeps which test runs which line")
    parser.add_argument("--unrun", action="store_true", help="only what nothing runs")
    parser.add_argument("--first", type=int, default=0, metavar="SECONDS", help="only by the tests that run the line")
    parser.add_argument("--from", type=int, default=1, dest="begin", help="begin with the fault of this number")
    options = parser.parse_args(arguments)
    faults = drawn(all_faults(), seed=options.seed, count=options.count)
    print(f"Seed {options.seed}, {len(faults)} faults\n")
    cells = () if options.list else ("caught by", "seconds")
    print("| no. | room | file | operator | before | after |" + "".join(f" {each} |" for each in cells))
    print("|" + "---|" * (6 + len(cells)), flush=True)
    if options.list:
        print("\n".join(row(number, fault) for number, fault in enumerate(faults, start=1)))
        return 0
    caught = 0
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "embedlab"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache"))
        if not options.first and not options.unrun and (failure := failing(copy, [])):
            print(f"Without any fault {failure} fails. Mend it first.")
            return 1
        record = options.lines or Path(folder) / "lines"
        if not record.exists():
            record_lines(copy, record)
        lines = Lines(record)
        if options.unrun:
            print("\n".join(row(number, each) for number, each in enumerate(all_faults()) if not lines.is_run(each)))
            return 0
        for number, fault in list(enumerate(faults, start=1))[options.begin - 1 :]:
            began = time.monotonic()
            failure = caught_by(fault, copy, lines, first_seconds=options.first)
            caught += bool(failure)
            seconds = f"{time.monotonic() - began:.0f}"
            print(row(number, fault, failure or "**not caught**", seconds), flush=True)
    print(f"\n{caught} of {len(faults)} faults are caught.")
    return 0 if caught >= 0.95 * len(faults) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
