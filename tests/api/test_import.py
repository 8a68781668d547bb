"""``import embedlab`` costs nothing, offers every function, and is found from another folder as README says."""

import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import embedlab

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"torch", "streamlit", "pandas", "transformers", "sklearn", "scipy", "matplotlib", "umap", "openTSNE"}


def modules_after(code: str, **environment: str) -> set[str]:
    """What a new process has imported after this code."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
        capture_output=True, text=True, cwd=ROOT, check=True, env={"PATH": "", **environment},
    )  # fmt: skip
    return set(done.stdout.split())


def test_the_import_loads_no_library_and_one_file_of_the_package():
    modules = modules_after("import embedlab as el; dir(el); el.__all__")
    # paths are read before a notebook changes its folder
    assert {name for name in modules if name.startswith("embedlab")} == {"embedlab", "embedlab.paths"}
    assert not modules & {*HEAVY, "numpy", "pyarrow", "pydantic", "plotly"}


def test_the_first_function_loads_neither_torch_nor_streamlit_nor_pandas(tmp_path):
    modules = modules_after("import embedlab as el; el.list_runs()", EMBEDLAB_HOME=str(tmp_path))
    assert "embedlab.api.run" in modules and not modules & HEAVY


@pytest.mark.parametrize("name", embedlab.__all__)
def test_every_name_is_there_with_a_docstring_that_says_what_it_raises(name):
    import embedlab.api

    part = getattr(embedlab.api, name)
    assert callable(getattr(embedlab, name)) and name in dir(embedlab)
    assert part.__doc__ and (name in ("EmbedlabError", "Run", "list_runs") or "Raises" in part.__doc__)


def test_both_lists_of_names_are_the_same():
    import embedlab.api

    assert embedlab.__all__ == embedlab.api.__all__


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        embedlab.trian  # noqa: B018


def test_a_notebook_elsewhere_finds_the_package_by_the_line_of_the_readme(tmp_path):
    (line,) = re.findall(r"^(?:pwd|echo) .*embedlab\.pth.*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    venv.create(tmp_path / "env", with_pip=False)
    environment = {"PATH": f"{tmp_path / 'env' / 'bin'}:/usr/bin:/bin"}
    check = [str(tmp_path / "env" / "bin" / "python"), "-c", "import embedlab; print(embedlab.__file__)"]
    before = subprocess.run(check, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "No module named 'embedlab'" in before.stderr
    subprocess.run(["bash", "-ec", line], cwd=ROOT, env=environment, check=True)
    after = subprocess.run(check, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert Path(after.stdout.strip()) == ROOT / "embedlab" / "__init__.py"
