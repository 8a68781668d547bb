"""From which runs an encoder grew: phase by phase, back to an encoder that no run made."""

from embedlab.errors import EmbedlabError
from embedlab.runs.store import open_run, read_settings

_DEEPEST = 20


def lineage(encoder: str) -> list[dict]:
    """``{run, name, recipe, encoder}`` of each earlier phase, the nearest first; what a deleted run was is None."""
    found: list[dict] = []
    while encoder.startswith("run:") and len(found) < _DEEPEST:
        phase = {"run": encoder.removeprefix("run:"), "name": "", "recipe": None, "encoder": None}
        found.append(phase)
        try:
            asked = read_settings(open_run(phase["run"]))
        except EmbedlabError:
            break
        encoder = asked["settings"].get("encoder", "")
        phase |= {"name": asked["name"], "recipe": asked["settings"].get("recipe"), "encoder": encoder}
    return found
