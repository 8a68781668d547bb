"""Who may import whom: data flows one way, in no circle, and the app's process never loads torch."""

import ast
import graphlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOUNDATION = set(
    "archives baseline_methods config copies counting damage device disk_trouble distance documentation "
    "encoder_catalog errors half_written hub hub_push import_path later limits machine_refusals map_methods "
    "measurement numbers offline own_files palette paths picture plain_text plane private progress prompts "
    "reader_process reader_worker registry scratch sentences session store_root table_files tokenizer_trial "
    "torchrun trash update vectors".split()
)
RANKS = [
    FOUNDATION,
    {"statistics", "neighbors", "postprocessing"},
    {"augmentations"},
    {"corpora", "metrics", "figures"},
    {"runs"},
    {"jobs", "baselines"},
    {"encoders"},
    {"summaries"},
    {"objectives"},
    {"training"},
    {"comparison"},
    {"maps", "diagnostics", "benchmarks", "report", "studies"},
    {"finds"},
    {"learn"},
    {"tasks"},
    {"worker", "cli", "api"},
    {"__main__"},
]
PAGE_FOLDERS = set("corpus train run maps compare learn".split())
UI_RANKS = [{"ui.frame"}, {"ui.components"}, {f"ui.{folder}" for folder in PAGE_FOLDERS}, {"pages", "app"}]
LIGHT = FOUNDATION | set(
    "statistics corpora augmentations metrics figures runs jobs comparison report studies finds learn".split()
)
WITH_CARDS = set("encoders objectives training maps diagnostics postprocessing summaries benchmarks".split())
SEEN_BY_UI = LIGHT | WITH_CARDS  # of these only files that load none of HEAVY
SEEN_BY_THE_PAGES = {"corpora", "runs"}  # besides the rooms of ui, which know all else
MOST_ARROWS = 255
ONLY_IN = {
    "streamlit": {"ui", "pages", "app"},
    "plotly": {"figures"},
    "matplotlib": {"maps", "figures"},
    "torch": {
        "device",
        "encoders",
        "neighbors",
        "postprocessing",
        "summaries",
        "objectives",
        "training",
        "maps",
        "diagnostics",
        "benchmarks",
        "tasks",
    },
    "transformers": {"encoders", "summaries"},
    "peft": {"encoders"},
    "openTSNE": {"maps"},
    "umap": {"maps"},
    "pynndescent": {"neighbors"},
    "mteb": {"benchmarks"},
    "bm25s": {"baselines"},
    "fsspec": {"runs"},
    "huggingface_hub": {"hub", "hub_push", "benchmarks"},
}
LATE = {
    "sklearn",
    "scipy",
    "pandas",
    "matplotlib",
    "openTSNE",
    "umap",
    "huggingface_hub",
}  # inside functions only: they would slow the first paint
LATE_ROOMS = LIGHT | {"ui", "pages", "app"}
HEAVY = LATE | {"torch", "transformers", "peft", "pynndescent", "numba", "mteb", "bm25s"}


def sources() -> list[Path]:
    return sorted([*(ROOT / "embedlab").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"])


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str:
    """``corpora`` of ``embedlab.corpora.base``; inside ui the folder too: ``ui.frame``; the package itself has none."""
    parts = module.split(".")
    if parts[0] != "embedlab":
        return parts[0]
    return ".".join(parts[1:3]) if parts[1:2] == ["ui"] else "".join(parts[1:2])


MODULES = {module_of(path): path for path in sources()}
LATER = ROOT / "embedlab" / "later.py"


@cache
def imports(source: str) -> list[tuple[str, bool]]:
    """Every imported module with whether it is imported at the top of the file; also those that are loaded later."""
    tree = ast.parse(source)
    top = set(map(id, tree.body))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            inside = [name for name in whole if name in MODULES]
            found += [(name, id(node) in top) for name in inside]
            if len(inside) < len(whole):
                found += [(node.module, id(node) in top)]
            if node.module == "embedlab.later" and {alias.name for alias in node.names} != {"Later"}:
                found += [("torch", False)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Later":
            found += [(node.args[0].value, False)]
    return found


def rank_of(room: str, ranks: list[set[str]]) -> int | None:
    return next((number for number, rooms in enumerate(ranks) if room in rooms), None)


def is_upward(room: str, other: str) -> bool:
    """Whether an import runs against the order: rooms of one rank do not import each other either."""
    if other == room or room == "" or other == "":
        return False
    in_ui = room.split(".")[0] in ("ui", "pages", "app")
    if in_ui and not other.startswith("ui."):
        return other not in (SEEN_BY_UI if room.startswith("ui.") else SEEN_BY_THE_PAGES)
    ranks = UI_RANKS if in_ui else RANKS
    mine, its = rank_of(room, ranks), rank_of(other, ranks)
    if mine is None or its is None or its > mine:
        return True
    return its == mine and mine != 0


def faults(path: Path, source: str) -> list[str]:
    room, found = room_of(module_of(path)), []
    outer = room.split(".")[0]
    for module, at_top in imports(source):
        first, *rest = module.split(".")
        if first == "embedlab" and rest and is_upward(room, room_of(module)):
            found.append(f"{room} imports {room_of(module)}")
        if first == "embedlab" and outer in ("ui", "pages", "app") and (heavy := loaded_with(module) & HEAVY):
            found.append(f"{room} imports {module}, which loads {min(heavy)}")
        if first in ONLY_IN and outer not in ONLY_IN[first] and path != LATER:
            found.append(f"{room} imports {first}")
        if first in LATE and at_top and outer in LATE_ROOMS:
            found.append(f"{room} imports {first} at the top of {path.name}")
    return found


@cache
def imports_of(module: str) -> list[tuple[str, bool]]:
    """Those of one of our files."""
    return imports(MODULES[module].read_text(encoding="utf-8"))


@cache
def loaded_with(module: str) -> frozenset[str]:
    """The packages that are imported where one of our modules is, by what stands at the top of files."""
    seen, left, found = set(), [module], set()
    while left:
        name = left.pop()
        parents = [name.rpartition(".")[0]] if "." in name else []
        if name in MODULES and name not in seen:
            left += parents + [each for each, at_top in imports_of(name) if at_top]
        elif name not in MODULES:
            found.add(name.partition(".")[0])
        seen.add(name)
    return frozenset(found)


@cache
def import_graph() -> dict[str, set[str]]:
    """Each file of the package with those that it imports, also inside functions."""
    return {module: {name for name, _ in imports_of(module) if name in MODULES} for module in MODULES}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Files that import each other in a loop, or nothing."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_imports_only_what_lies_below_it(path):
    assert faults(path, path.read_text(encoding="utf-8")) == []


def test_no_files_import_each_other_in_a_circle():
    assert circle(import_graph()) == []
    assert circle({**import_graph(), "embedlab.errors": {"embedlab.cli"}})  # it would be seen


def test_the_arrows_between_rooms_are_counted(capsys):
    rooms = {(room_of(a), room_of(b)) for a, seen in import_graph().items() for b in seen}
    above = {(a, b) for a, b in rooms if a != b and a and b and a not in FOUNDATION}
    arrows = {(a, "foundation" if b in FOUNDATION else b) for a, b in above}
    with capsys.disabled():
        print(f"\n{len(arrows)} arrows between {len({room for arrow in arrows for room in arrow})} rooms")
    assert not [arrow for arrow in above if is_upward(*arrow)]
    assert len(arrows) <= MOST_ARROWS


def test_no_folder_holds_more_files_than_one_reads():
    folders = [path for path in (ROOT / "embedlab").rglob("*") if path.is_dir() and path.name != "__pycache__"]
    crowded = {folder.name: len([each for each in folder.iterdir() if each.is_file()]) for folder in folders}
    assert {name: files for name, files in crowded.items() if files > 25} == {}


def test_no_function_is_longer_than_one_reads():
    texts = {path: path.read_text(encoding="utf-8") for path in sources()}
    functions = {
        f"{path.name}:{node.name}": node.end_lineno - node.lineno + 1
        for path, text in texts.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    }
    assert {name: lines for name, lines in functions.items() if lines > 80} == {}


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("embedlab/corpora/x.py", "import torch"),
        ("embedlab/corpora/x.py", "from embedlab.metrics.knn import share"),
        ("embedlab/metrics/x.py", "import sklearn"),
        ("embedlab/figures/x.py", "from matplotlib.figure import Figure"),
        ("embedlab/ui/x.py", "from embedlab.training.loop import train"),
        ("embedlab/ui/x.py", "def ask():\n    from embedlab.encoders.load import load_encoder"),
        ("pages/x.py", "from embedlab import tasks"),
        ("pages/x.py", "from embedlab.studies.store import Study"),
        ("embedlab/neighbors/x.py", "from embedlab.encoders.embed import embed"),
        ("embedlab/postprocessing/x.py", "from embedlab.neighbors import nearest"),
        ("embedlab/cli/x.py", "from embedlab.worker.work import main"),
        ("embedlab/metrics/x.py", "from embedlab.later import torch"),
        ("embedlab/figures/x.py", "transformers = Later('transformers')"),
        ("embedlab/runs/x.py", "import streamlit as st"),
        ("embedlab/tasks/x.py", "import plotly.graph_objects"),
        ("embedlab/encoders/x.py", "from embedlab.tasks import TASKS"),
        ("embedlab/training/x.py", "import transformers"),
        ("embedlab/comparison/x.py", "from embedlab.report.methods import methods_of"),
        ("embedlab/ui/frame/x.py", "from embedlab.ui.components.form import config_form"),
        ("embedlab/ui/maps/x.py", "from embedlab.ui.run.result_view import show_result"),
    ],
)
def test_the_rule_bites(place, line):
    assert faults(ROOT / place, line)


def test_the_pages_never_load_torch_nor_what_is_heavy():
    seen = {each for name, path in MODULES.items() if name.split(".")[0] == "pages" for each in import_graph()[name]}
    modules = sorted(
        seen | {name for name in MODULES if room_of(name).startswith("ui.") and name != "embedlab.ui.frame.main"}
    )
    assert loaded_from(modules) == set()


def test_every_part_is_known_without_what_it_computes_with():
    listed = sorted(import_graph()["embedlab.cli.parts"] - {"embedlab.tasks.fetch"})
    assert loaded_from([*listed, "embedlab.cli.parts", "embedlab.training.settings", "embedlab.tasks"]) == set()
    assert loaded_from(["embedlab.objectives", "embedlab.encoders.encoder"]) >= {"torch"}  # it would be seen


def loaded_from(modules: list[str]) -> set[str]:
    """What is heavy of all that a process has that imports these."""
    code = f"import sys; [__import__(m) for m in {modules!r}]; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(done.stdout.splitlines()[-1].split()) & {*HEAVY - {"matplotlib", "pandas"}, "matplotlib.figure"}


def test_nothing_that_could_run_code_of_a_stranger_is_called():
    forbidden = {"eval", "exec", "compile", "__import__"}
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                dotted = ast.unparse(node.func)
                assert name not in forbidden, f"{path.name}: {name}"
                assert dotted not in {"torch.load", "os.system", "yaml.load", "pickle.load", "pickle.loads"}, path.name
                named = {k.arg: ast.unparse(k.value) for k in node.keywords}
                assert named.get("shell") != "True" and named.get("trust_remote_code") != "True", path.name
                assert named.get("unsafe_allow_html") != "True" and named.get("allow_pickle") != "True", path.name


def test_every_part_that_a_page_draws_again_says_its_errors_itself():
    """Streamlit shows what its own fragments raise before ``errors_shown`` around the page sees it."""
    raw = [path.name for path in sources() if "st.fragment(" in path.read_text(encoding="utf-8")]
    assert raw == ["layout.py"]
