"""``diagnostics/KEY.json`` of a run: what a diagnostic found before and after, in a sentence and in pictures."""

from pydantic import BaseModel, ConfigDict

from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json


class Diagnosed(BaseModel):
    """One diagnostic of one run; what could not be looked at has a ``reason`` in place of values."""

    model_config = ConfigDict(frozen=True)

    before: dict | None = None
    after: dict | None = None
    unit: str = ""
    sentence: str = ""
    reason: str = ""
    pictures: dict[str, list[dict]] = {}  # of each state, as figures/diagnosed.py draws them
    settings: dict = {}
    texts: list[str] = []  # those that were typed
    measured: str = ""

    def number(self, name: str) -> tuple[float | None, float | None]:
        """One value, before and after."""
        return tuple(None if state is None else state.get(name) for state in (self.before, self.after))


def read_diagnosed(run: RunFolder, key: str) -> Diagnosed | None:
    """None while nobody measured it, or where the file is damaged."""
    try:
        return Diagnosed.model_validate(read_json(run.diagnostic(key)))
    except (FileNotFoundError, ValueError):  # a ValidationError is one
        return None


def robustness_of(run: RunFolder) -> tuple[float | None, float | None]:
    """Untouched and fine-tuned: by how many standard deviations repeating texts moves their cosines."""
    try:
        found = read_json(run.length)["robustness"]
        return tuple((found.get(name) or {}).get("change") for name in ("untouched", "tuned"))
    except (FileNotFoundError, ValueError, KeyError):
        return None, None
