"""Under what a run was made: every setting, also those left to their default, versions, threads."""

import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

import torch

from embedlab.training.settings import RunSettings

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn", "openTSNE", "umap-learn")


def circumstances(settings: RunSettings, corpus) -> dict:
    """What a later reader needs beside ``settings.json``, whose defaults may differ in another version."""
    fingerprint = corpus.info.fingerprint
    made = corpus.made_summaries
    return {
        "settings": settings.model_dump(mode="json") | {"corpus": fingerprint},
        "fingerprint": fingerprint,
        "summaries": None if made is None else {name: made[name] for name in ("key", "model", "sha256")},
        "versions": {"python": platform.python_version()} | _versions(),
        "threads": torch.get_num_threads(),
    }


def _versions() -> dict[str, str]:
    """Of the packages that are here: a machine that only trains may lack those that draw maps."""
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
