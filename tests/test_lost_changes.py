"""No function reads a file and writes it again without its lock: another process may have changed it in between.

The functions of the package are followed through their calls, in the order in which Python runs them. A path is what it
is called where it is read or written. Whatever happens inside ``update`` or ``with changing(…)`` is under a lock.
"""

import ast
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from itertools import takewhile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "embedlab"
READERS = set(
    "read_json read_json_if_whole read_model read_model_if_whole read_array read_arrays read_table read_rows".split()
)
WRITERS = {"write_json", "atomic_write", "whole_folder", "write_parquet"}
LOCKED = {
    "changing",
    "alone",
}  # in a with statement; ``update`` itself is called with functions, which are not followed
FOUNDATION = {"update", "store_root", "damage", "table_files"}  # the readers, the writers and the lock
NOBODY_ELSE = {"temporary"}  # as atomic_write calls a file that only this process knows
SIMILAR = 3  # methods of one name, of which a call may mean each
LONGEST = 200  # characters of a path
DEPTH = 3  # calls followed below a function
ONLY_ONE = "Its only writer is the worker that holds the run's lock."
SAME_AGAIN = "What is read is given back, or made again from other files: nothing that was read is written."
OWN_FOLDER = "A folder of this export's own, which no other process knows."
EXCEPTIONS = {
    "benchmarks.run._score_mteb": SAME_AGAIN,
    "benchmarks.run._score_of_scirepeval_task": SAME_AGAIN,
    "benchmarks.run._score_useb": SAME_AGAIN,
    "benchmarks.run.dataset_folder": SAME_AGAIN,
    "benchmarks.run.run_tasks": SAME_AGAIN,
    "corpora.base.FetchedSource.load": SAME_AGAIN,
    "encoders.pretraining.__main__._documentation": SAME_AGAIN,
    "report.checkup.kept_checkup": SAME_AGAIN,
    "runs.film_files.keep_frames_until": ONLY_ONE,
    "runs.kept.keep_encoder": ONLY_ONE,
    "runs.label_lineage.write_labels_read": "README.md of an encoder is written by the worker that saved the encoder.",
    "runs.store.keep_rows_until": ONLY_ONE,
    "tasks.draw.drawing.MapDrawing.write": SAME_AGAIN,
    "tasks.draw.maps.run_moves": SAME_AGAIN,
    "tasks.draw.movement._floor": SAME_AGAIN,
    "tasks.fine_tune.train._measure_tuned": ONLY_ONE,
    "tasks.fine_tune.train._save_vectors": ONLY_ONE,
    "tasks.fine_tune.listeners.film.Film.restore": ONLY_ONE,
    "tasks.fine_tune.keeping.KeepingBest.before_next_step": OWN_FOLDER,
    "tasks.measure.corpus_cache.keep_untouched": SAME_AGAIN,
    "tasks.measure.corpus_cache.untouched_embeddings": SAME_AGAIN,
    "tasks.onnx_export._write_for_older_readers": OWN_FOLDER,
    "tasks.smaller_encoder._round_weights": OWN_FOLDER,
}


@dataclass
class Touch:
    """A file that is read or written, by the words of its path."""

    is_write: bool
    path: str
    call: int = 0  # the how many-th call of the function it is in: what one call does is not the caller's fault


@dataclass
class Function:
    """A function and what is needed to follow it."""

    name: str  # with its module
    node: ast.FunctionDef
    owner: str | None = None  # the class of a method
    module: str = ""
    imported: dict[str, str] = field(default_factory=dict)


class Package:
    """The functions of some files, and which files each reads and writes."""

    def __init__(self, sources: dict[str, str]):
        self.functions: dict[str, Function] = {}
        self.methods: dict[str, list[Function]] = {}
        for module, source in sources.items():
            self._learn(module, ast.parse(source))

    def _learn(self, module: str, tree: ast.Module) -> None:
        imported = {
            alias.asname or alias.name: f"{(node.module or '').removeprefix('embedlab.')}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in tree.body:
            inner = node.body if isinstance(node, ast.ClassDef) else [node]
            owner = node.name if isinstance(node, ast.ClassDef) else None
            for each in inner:
                if isinstance(each, ast.FunctionDef):
                    name = ".".join(part for part in (module, owner, each.name) if part)
                    function = Function(name, each, owner, module, imported)
                    self.functions[name] = function
                    if owner is not None:
                        self.methods.setdefault(each.name, []).append(function)

    def faults(self) -> dict[str, str]:
        """The functions that may lose a change, with the path."""
        return {name: fault for name in self.functions if (fault := self._fault(name)) is not None}

    def _fault(self, name: str) -> str | None:
        read_by: dict[str, set[int]] = {}  # path -> the calls that read it
        for touch in self.touches(name, DEPTH):
            if not touch.is_write:
                read_by.setdefault(touch.path, set()).add(touch.call)
            elif read_by.get(touch.path, set()) - {touch.call} and touch.path not in NOBODY_ELSE:
                return touch.path
        return None

    @cache  # noqa: B019 (it lives as long as the test)
    def touches(self, name: str, depth: int) -> tuple[Touch, ...]:
        """Which files a function reads and writes, in order."""
        function = self.functions[name]
        values = _values(function.node)
        touches: list[Touch] = []
        for number, call in enumerate(_calls(function.node)):
            of_call = self._of_call(call, function, values, depth)
            touches += [Touch(each.is_write, each.path, number) for each in of_call]
        return tuple(touches)

    def _of_call(self, call: ast.Call, function: Function, values: dict[str, ast.expr], depth: int) -> list[Touch]:
        called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if called in READERS | WRITERS and call.args:
            return [Touch(called in WRITERS, _path(call.args[0], values))]
        if called in ("read_text", "read_bytes", "write_text", "write_bytes") and isinstance(call.func, ast.Attribute):
            return [Touch(called.startswith("write"), _path(call.func.value, values))]
        if depth == 0:
            return []
        touches = []
        for target in self._targets(call, function):
            given = _given(call, target)
            for touch in self.touches(target.name, depth - 1):
                touches.append(Touch(touch.is_write, _path(_substituted(touch.path, given), values)))
        return touches

    def _targets(self, call: ast.Call, function: Function) -> list[Function]:
        """The functions that a call may mean; a method of another object is known by its name alone."""
        if isinstance(call.func, ast.Name):
            names = [f"{function.module}.{call.func.id}", function.imported.get(call.func.id, "")]
        elif isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in ("self", "cls"):
            names = [f"{function.module}.{function.owner}.{call.func.attr}"]
        elif isinstance(call.func, ast.Attribute):
            known = self.methods.get(call.func.attr, [])
            return known if len(known) <= SIMILAR and not hasattr(BytesIO, call.func.attr) else []
        else:
            return []
        return [self.functions[name] for name in names if name in self.functions]


@cache
def _values(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """What stands for a name that is set once, by a plain assignment."""
    values: dict[str, list[ast.expr]] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Assign):
            for target in each.targets:
                pairs = [(target, each.value)]
                if isinstance(target, ast.Tuple) and isinstance(each.value, ast.Tuple):
                    pairs = list(zip(target.elts, each.value.elts, strict=False))
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        values.setdefault(name.id, []).append(value)
    return {name: each[0] for name, each in values.items() if len(each) == 1}


@cache
def _calls(node: ast.AST) -> list[ast.Call]:
    """The calls of a function in the order in which they are made, without what is under a lock or only passed on."""
    calls: list[ast.Call] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Lambda | ast.FunctionDef):
            continue
        if isinstance(child, ast.With) and any(_is_lock(item.context_expr) for item in child.items):
            continue
        calls += _calls(child)
    if isinstance(node, ast.Call):
        calls.append(node)
    return calls


def _is_lock(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in LOCKED


def _given(call: ast.Call, target: Function) -> dict[str, ast.expr]:
    """The argument of each parameter."""
    names = [each.arg for each in (*target.node.args.posonlyargs, *target.node.args.args)]
    given: dict[str, ast.expr] = {}
    if target.owner is not None and names[:1] in (["self"], ["cls"]):
        if isinstance(call.func, ast.Attribute):
            given[names[0]] = call.func.value
        names = names[1:]
    plain = list(takewhile(lambda each: not isinstance(each, ast.Starred), call.args))
    given |= dict(zip(names, plain, strict=False))
    return given | {each.arg: each.value for each in call.keywords if each.arg is not None}


def _substituted(path: str, given: dict[str, ast.expr]) -> ast.expr:
    class Names(ast.NodeTransformer):
        def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:  # noqa: N802 (named by ast)
            return node  # Python 3.11 cannot write strings within strings

        def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802 (named by ast)
            return given.get(node.id, node) if isinstance(node.ctx, ast.Load) else node

    return Names().visit(ast.parse(path, mode="eval").body)


def _path(node: ast.expr, values: dict[str, ast.expr]) -> str:
    """The words of a path, with names that stand for one expression replaced by it."""
    for _ in range(4):
        replaced = _substituted(ast.unparse(node), values)
        if ast.unparse(replaced) == ast.unparse(node) or len(ast.unparse(replaced)) > LONGEST:
            break
        node = replaced
    return ast.unparse(node)


def sources() -> dict[str, str]:
    """Every file of the package but the foundation's readers and writers, by module."""
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(ROOT.rglob("*.py"))
    }
    return {module: path.read_text(encoding="utf-8") for module, path in files.items() if module not in FOUNDATION}


def test_no_file_is_read_and_written_again_without_its_lock():
    faults = Package(sources()).faults()
    assert {name: path for name, path in faults.items() if name not in EXCEPTIONS} == {}
    assert EXCEPTIONS.keys() <= faults.keys(), "an exception that is none any more"


PLANTED = {
    "in one line": """
def label_run(folder, **labels):
    write_json(folder.settings, read_json(folder.settings) | labels)
""",
    "by a name": """
def add_run(study, run):
    file = study.path / "study.json"
    content = read_json(file)
    content["runs"].append(run)
    write_json(file, content)
""",
    "through readers and writers of its own": """
def read_lines(file):
    return read_model_if_whole(file, dict)

def write_lines(path, lines):
    write_json(path, lines)

def keep_folds(corpus, folds):
    lines = read_lines(corpus.folder / "references.json")
    write_lines(corpus.folder / "references.json", lines | folds)
""",
    "by methods": """
class Evaluations:
    def all(self):
        return read_json_if_whole(self.file) or {}

    def keep(self, key, value):
        content = self.all()
        content[key] = value
        write_json(self.file, content)
""",
    "written by hand": """
def note(path, line):
    text = path.read_text(encoding="utf-8")
    with atomic_write(path) as temporary:
        temporary.write_text(text + line)
""",
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_seen(fault):
    assert Package({"planted": PLANTED[fault]}).faults()


SOUND = {
    "by update": """
def label_run(folder, **labels):
    update(folder.settings, lambda content: content | labels, read=lambda file: read_json(file))
""",
    "under a lock": """
def rename(selection, name):
    with changing(selection.folder):
        stored = read_json(selection.file)
        write_json(selection.file, stored | {"name": name})
""",
    "another file": """
def copy(one, other):
    write_json(other.settings, read_json(one.settings))
""",
    "written first": """
def make(file, content):
    write_json(file, content)
    return read_json(file)
""",
}


@pytest.mark.parametrize("way", SOUND)
def test_what_loses_nothing_is_allowed(way):
    assert Package({"sound": SOUND[way]}).faults() == {}
