"""Runs imported as embeddings or coordinates: nothing was trained, and there is no encoder."""

from embedlab.errors import RunError
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import request_if_readable

OWN_ENCODER, OWN_RECIPE = "own embeddings", "none"


def own_files(run: RunFolder) -> dict[str, str]:
    """Role -> name of each file that a run was imported from; empty for a run with an encoder."""
    stored = request_if_readable(run)
    settings = {} if stored is None else stored.settings
    return settings.get("files") or {} if settings.get("encoder") == OWN_ENCODER else {}


def is_own(run: RunFolder) -> bool:
    """Whether the run was imported from files."""
    return bool(own_files(run))


def has_only_places(run: RunFolder) -> bool:
    """Whether the run was imported as coordinates alone, without vectors."""
    return is_own(run) and "before" not in own_files(run)


def lacking(run: RunFolder, code: str, needed: str, lacks: str) -> RunError:
    """The sentence on a run that ended, or has not ended yet, without something: what is needed and what to do."""
    state = read_state(run).state
    here = "Resume it or choose" if state is State.INTERRUPTED else "Choose"
    what_to_do = f"{here} another run." if state.is_over else "Wait until it ends."
    return RunError(code, f"{needed}, but run {run.id} is {state} and has {lacks}. {what_to_do}")


def no_encoder(run: RunFolder) -> RunError:
    """The sentence shown where an encoder is needed and the run has saved none: typed texts, layers, length."""
    files = " and ".join(repr(name) for name in own_files(run).values())
    if not files:
        return lacking(run, "E-NO-ENCODER", "This needs an encoder", "saved none")
    return RunError(
        "E-NO-ENCODER",
        f"This needs an encoder, but the run was only imported from {files}. Choose a run that was fine-tuned here.",
    )


def no_embeddings(run: RunFolder) -> RunError:
    """The sentence shown where vectors are needed but only coordinates were given, or the files are gone."""
    files = own_files(run)
    if "coordinates" not in files:
        return lacking(run, "E-NO-EMBEDDINGS", "This needs embeddings", "none")
    return RunError(
        "E-NO-EMBEDDINGS",
        f"This needs embeddings, but the run was imported from the coordinates {files['coordinates']!r}. "
        "Choose another run, or import its embeddings.",
    )
