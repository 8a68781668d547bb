"""Runs whose embeddings or coordinates came as files: nothing was trained, and there is no encoder behind them."""

from embedlab.errors import EmbedlabError, RunError
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_settings

OWN_ENCODER, OWN_RECIPE = "own embeddings", "none"


def own_files(run: RunFolder) -> dict[str, str]:
    """Role -> name of each file a run was made of; nothing for a run with an encoder."""
    try:
        settings = read_settings(run)["settings"]
    except EmbedlabError:
        return {}
    return settings.get("files") or {} if settings.get("encoder") == OWN_ENCODER else {}


def is_own(run: RunFolder) -> bool:
    """Whether the run was brought as files."""
    return bool(own_files(run))


def has_only_places(run: RunFolder) -> bool:
    """Whether the run was brought as coordinates alone, without vectors."""
    return is_own(run) and "before" not in own_files(run)


def no_encoder(run: RunFolder) -> RunError:
    """What is said where an encoder is needed: typed texts, layers, length, benchmarks."""
    files = " and ".join(repr(name) for name in own_files(run).values())
    return RunError(
        "E-NO-ENCODER",
        f"This needs an encoder, but the run was only imported from {files}. Choose a run that was fine-tuned here.",
    )


def no_embeddings(run: RunFolder) -> RunError:
    """What is said where vectors are needed and only places on a map were given, or the files are gone."""
    files = own_files(run)
    what = (
        f"was imported from the coordinates {files['coordinates']!r}"
        if "coordinates" in files
        else f"{run.id} has none"
    )
    return RunError(
        "E-NO-EMBEDDINGS", f"This needs embeddings, but the run {what}. Choose another run, or import its embeddings."
    )
