"""Under what a run was made: every setting, also those left to their default, versions, threads."""

import platform
from importlib.metadata import version

import torch

from embedlab.training.settings import RunSettings

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn", "openTSNE", "umap-learn")


def circumstances(settings: RunSettings, fingerprint: str) -> dict:
    """What a later reader needs beside ``settings.json``, whose defaults may differ in another version."""
    return {
        "settings": settings.model_dump(mode="json") | {"corpus": fingerprint},
        "fingerprint": fingerprint,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in PACKAGES},
        "threads": torch.get_num_threads(),
    }
