"""Which data sets of the hub lie on this computer already: the Hugging Face cache, looked at without its libraries."""

import os
from pathlib import Path

from embedlab.store_root import read_json, store_root, write_json


def hub_cache() -> Path:
    """Where hub libraries keep what they fetched, by the variables that they obey."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home, "hub")).expanduser()


def snapshot_folder(dataset: str, revision: str) -> Path:
    """The folder of ``owner/name`` at a commit, whether it is there or not."""
    return hub_cache() / f"datasets--{dataset.replace('/', '--')}" / "snapshots" / revision


def cached_dataset(dataset: str, revision: str, under: str = "") -> Path | None:
    """That folder where it holds data: all files of a list that we kept, else whatever others fetched.

    ``under``: one folder of the data set, where no more of it is wanted.
    """
    folder = snapshot_folder(dataset, revision)
    if not (folder / under).is_dir():
        return None
    files = listed_files(dataset, revision, under)
    if files is not None:
        return folder if all((folder / file).exists() for file in files) else None
    found = (path for path in (folder / under).rglob("*") if path.is_file())
    return folder if any(path.name not in ("README.md", ".gitattributes") for path in found) else None


def listed_files(dataset: str, revision: str, under: str = "") -> list[str] | None:
    """The files of a data set that we fetched or began to fetch; None for one that only others fetched."""
    try:
        return read_json(_list(dataset, revision, under))["files"]
    except (FileNotFoundError, ValueError):
        return None


def keep_list(dataset: str, revision: str, files: list[str], under: str = "") -> None:
    """Remember, before a download begins, what belongs to it: half a data set is none."""
    write_json(_list(dataset, revision, under), {"dataset": dataset, "revision": revision, "files": files})


def _list(dataset: str, revision: str, under: str) -> Path:
    part = f"@{under.replace('/', '--')}" if under else ""
    return store_root() / "benchmarks" / "datasets" / f"{dataset.replace('/', '--')}@{revision}{part}.json"
