"""The README's ten lines of Python run as they stand there, on a file of 120 texts."""

import ast
import re
from pathlib import Path

import pytest

import embedlab as el

README = Path(__file__).resolve().parents[2] / "README.md"


def the_lines() -> str:
    """What stands in the README's only block of Python."""
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    return code


@pytest.mark.slow
def test_the_lines_of_the_readme_run(store, frame, tmp_path, monkeypatch):
    frame.to_csv(tmp_path / "texts.csv", index=False)
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    code = the_lines()
    assert code.count("\n") <= 11
    for line in ast.parse(code).body:
        source = ast.unparse(line)
        value = eval(source, names) if isinstance(line, ast.Expr) else exec(source, names)
        assert not isinstance(line, ast.Expr) or value is not None, source
        if source == "run":
            assert value._repr_html_().count("<svg") == 2, "a curve and both maps, as soon as the run is over"
    run, other = names["run"], el.list_runs()[0]
    assert run.settings["encoder"] == "mini" and other.settings["encoder"] == "token"
    assert run.settings["epochs"] == 1 and 0 <= run.knn.cosine.after <= 1
    assert (run.path / "layers" / "layers.json").exists() and (run.path / "length" / "length.json").exists()
    assert (run.path / "maps" / "after-umap.parquet").exists()
