"""Under what a run is made: its settings, its corpus, the libraries and the threads."""

import torch

from embedlab.jobs.versions import library_versions
from embedlab.training.settings import RunSettings


def circumstances(settings: RunSettings, corpus) -> dict:
    """What a later reader needs beside ``settings.json``, whose defaults may differ in another version."""
    fingerprint = corpus.info.fingerprint
    made = corpus.made_summaries
    return {
        "settings": settings.model_dump(mode="json") | {"corpus": fingerprint},
        "fingerprint": fingerprint,
        "summaries": None if made is None else {name: made[name] for name in ("key", "model", "sha256")},
        "versions": library_versions(),
        "threads": torch.get_num_threads(),
    }
