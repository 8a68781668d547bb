"""What a training reads of the store besides its own folder, by the names in it; its worker may have another store."""

from embedlab.corpora.stored.shelf import FINGERPRINT
from embedlab.hub import split_reference
from embedlab.jobs.parts_file import read_parts
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import lineage
from embedlab.runs.store import read_settings
from embedlab.store_root import store_root

_OF_AN_EARLIER_RUN = ("settings.json", "state.json", "result.json")


def needs_of(folder: RunFolder) -> tuple[str, ...]:
    """Folders and files that are there: corpora, pairs, evaluation set, encoder, and what tells its lineage."""
    settings = read_settings(folder)["settings"]
    rooms = (("corpora", "corpus"), ("corpora", "target"), ("pairs", "pairs"), ("sets", "judge"))
    named = [f"{room}/{settings[name]}" for room, name in rooms if FINGERPRINT.fullmatch(settings.get(name) or "")]
    named += _of_encoder(settings.get("encoder") or "")
    return tuple(dict.fromkeys(name for name in named if (store_root() / name).exists()))


def _of_encoder(reference: str) -> list[str]:
    of_tokens = reference.removeprefix("token:")
    if of_tokens.startswith("run:"):
        earlier = [phase.run for phase in lineage(of_tokens)]
        facts = [f"runs/{run}/{name}" for run in earlier for name in _OF_AN_EARLIER_RUN]
        return [f"runs/{earlier[0]}/encoder", f"runs/{earlier[0]}/untouched-encoder", *facts]
    name = of_tokens.removeprefix("hf:") if of_tokens.startswith("hf:") else _hub_id(of_tokens)
    found = None if name is None else split_reference(name)
    if found is None:
        return []
    stored = (store_root() / "encoders").glob(f"{found.repository.replace('/', '--')}@*")
    return [f"encoders/{each.name}" for each in stored]


def _hub_id(key: str) -> str | None:
    """Of an encoder of the catalog."""
    return next((each.get("hub_id") for each in (read_parts() or {}).get("encoders", ()) if each["key"] == key), None)
