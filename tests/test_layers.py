"""Who may import whom: data flows one way, and the app's process never loads torch."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOUNDATION = {"config", "registry", "errors", "limits", "store_root", "progress", "sentences", "copies", "plane"}
RANKS = [
    FOUNDATION,
    {"corpora", "augmentations", "metrics", "figures", "published"},
    {"baselines", "runs"},
    {"studies", "example"},
    {"encoders"},
    {"neighbors", "postprocessing", "summaries"},
    {"objectives"},
    {"training"},
    {"maps", "diagnostics", "benchmarks"},
    {"tasks"},
    {"worker", "cli", "__main__"},
]
SEEN_BY_THE_PAGES = FOUNDATION | {
    "corpora",
    "augmentations",
    "metrics",
    "figures",
    "published",
    "runs",
    "studies",
    "example",
    "ui",
}
ONLY_IN = {
    "streamlit": {"ui", "pages", "app"},
    "plotly": {"figures"},
    "matplotlib": {"maps"},
    "torch": {
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
    "openTSNE": {"maps"},
    "umap": {"maps"},
    "pynndescent": {"neighbors"},
    "mteb": {"benchmarks"},
    "bm25s": {"baselines"},
}
LATE = {"sklearn", "scipy", "pandas", "openTSNE", "umap"}  # inside functions only: they would slow the first paint
LATE_ROOMS = {"corpora", "augmentations", "metrics", "figures", "published", "runs", "studies", "ui", "pages", "app"}


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return (parts[1] if parts[0] == "embedlab" and len(parts) > 1 else parts[0]).removesuffix(".py")


def imports(source: str) -> list[tuple[str, bool]]:
    """Every imported module with whether it is imported at the top of the file."""
    tree = ast.parse(source)
    top = set(map(id, tree.body))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found += [(node.module, id(node) in top)]
            found += [
                (f"{node.module}.{alias.name}", id(node) in top) for alias in node.names if node.module == "embedlab"
            ]
    return found


def faults(path: Path, source: str) -> list[str]:
    room, found = room_of(path), []
    rank = next((number for number, rooms in enumerate(RANKS) if room in rooms), None)
    for module, at_top in imports(source):
        first, *rest = module.split(".")
        if first == "embedlab" and rest:
            other = rest[0]
            if room in ("ui", "pages", "app"):
                if other not in SEEN_BY_THE_PAGES:
                    found.append(f"{room} reads {other}")
            elif room != other and room != "__init__":
                other_rank = next((number for number, rooms in enumerate(RANKS) if other in rooms), 99)
                if rank is None or other_rank > rank or (other_rank == rank and rank not in (0, len(RANKS) - 1)):
                    found.append(f"{room} imports {other}")
        if first in ONLY_IN and room not in ONLY_IN[first]:
            found.append(f"{room} imports {first}")
        if first in LATE and at_top and room in LATE_ROOMS:
            found.append(f"{room} imports {first} at the top of {path.name}")
    return found


def sources() -> list[Path]:
    return sorted([*(ROOT / "embedlab").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"])


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_imports_only_what_lies_below_it(path):
    assert faults(path, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("embedlab/corpora/x.py", "import torch"),
        ("embedlab/corpora/x.py", "from embedlab.metrics.knn import share"),
        ("embedlab/metrics/x.py", "import sklearn"),
        ("embedlab/ui/x.py", "from embedlab.training.settings import RunSettings"),
        ("pages/x.py", "from embedlab import encoders"),
        ("embedlab/runs/x.py", "import streamlit as st"),
        ("embedlab/tasks/x.py", "import plotly.graph_objects"),
        ("embedlab/encoders/x.py", "from embedlab.tasks import TASKS"),
        ("embedlab/training/x.py", "import transformers"),
    ],
)
def test_the_rule_bites(place, line):
    assert faults(ROOT / place, line)


def test_the_pages_never_load_torch_nor_what_is_heavy():
    heavy = ["torch", "transformers", "openTSNE", "umap", "sklearn", "numba"]
    names = [
        p.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for p in (ROOT / "embedlab/ui").rglob("*.py")
    ]
    modules = [name.removesuffix(".__init__") for name in names if not name.endswith("ui.main")]
    code = f"import sys; [__import__(m) for m in {modules!r}]; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"


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
