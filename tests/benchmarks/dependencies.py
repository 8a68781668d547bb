"""What the app depends on: the license of each package of tests/requirements.lock, as tests/licences.md.

``python -m tests.benchmarks.dependencies``, after the lock was made anew by
``uv pip compile requirements.txt embedlab/tasks/requirements-onnx.txt --generate-hashes --universal
--python-version 3.11 --no-header --no-annotate --no-emit-index-url --no-emit-find-links -o tests/requirements.lock``.
"""

import importlib.metadata
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ELSEWHERE = "not installed where this list was made: another system, or torch's libraries for a GPU"


def licence_of(name: str) -> tuple[str, str]:
    """Version and licence, as the package states them."""
    try:
        facts = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return "", ELSEWHERE
    classified = [line for line in facts.get_all("Classifier") or [] if line.startswith("License ::")]
    stated = facts.get("License-Expression") or "; ".join(line.split(" :: ")[-1] for line in classified)
    return facts["Version"], stated or (facts.get("License") or "unknown").splitlines()[0][:60]


def main() -> None:
    """Write the table."""
    lock = (TESTS / "requirements.lock").read_text(encoding="utf-8")
    rows = [(name, *licence_of(name)) for name in re.findall(r"^([A-Za-z][\w.-]*)==", lock, re.MULTILINE)]
    lines = ["# Licences of the packages in requirements.lock", "", "| package | version | licence |", "|---|---|---|"]
    lines += [f"| {name} | {version} | {licence} |" for name, version, licence in rows]
    (TESTS / "licences.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
