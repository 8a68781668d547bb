"""``storage``: what lies in the store, and pruning what can be made again."""

from typing import Annotated

from embedlab.cli.arguments import Option, Outcome
from embedlab.cli.reading import words_of
from embedlab.cli.terminal import Terminal
from embedlab.jobs.storage import KINDS, PRUNABLE, adopt_room, prune, require_prunable, storage
from embedlab.numbers import ago, in_bytes
from embedlab.store_root import store_root
from embedlab.trash import empty_trash, find_entry, list_trash
from embedlab.trash import restore as restore_entry


def show(terminal: Terminal) -> Outcome:
    """Bytes of each kind, and how many of them pruning would free: a line each, the largest first."""
    terminal("Looking at every file of the store")
    parts = storage()
    size = sum(part.size for part in parts.values())
    present = sorted((part for part in parts.values() if part.size), key=lambda part: -part.size)
    lines = [f"{in_bytes(size)} in {store_root()}"] + [
        f"  {in_bytes(part.size):>9}  {KINDS[part.kind].title}"
        + (f", {in_bytes(part.prunable)} can be pruned ({part.kind})" if part.prunable else "")
        for part in present
    ]
    if any(part.prunable for part in present):
        lines.append("Prune with: python -m embedlab storage prune --yes")
    kinds = {key: {"bytes": part.size, "prunable": part.prunable} for key, part in parts.items()}
    return Outcome({"store": str(store_root()), "bytes": size, "kinds": kinds}, lines)


def prune_store(
    terminal: Terminal,
    *,
    kinds: Annotated[str, Option(f"only these of {', '.join(PRUNABLE)} (default: all)", "A,B")] = "",
    yes: Annotated[bool, Option("do it; without, only say what would be lost or made again")] = False,
) -> Outcome:
    """Take away what can be made again and nothing at work uses, or say what that would free and cost."""
    chosen = tuple(dict.fromkeys(words_of(kinds))) or PRUNABLE
    require_prunable(chosen)
    if yes:
        freed = prune(chosen)
        size = sum(freed.values())
        line = f"Freed {in_bytes(size)}." if size else "There was nothing to prune."
        return Outcome({"pruned": True, "kinds": freed}, [line])
    parts = storage()
    sizes = {key: parts[key].prunable for key in chosen}
    lines = [f"{in_bytes(size):>9}  {KINDS[key].after}" for key, size in sizes.items() if size]
    total = in_bytes(sum(sizes.values()))
    lines = [*lines, f"Repeat with --yes to free {total}."] if lines else ["There is nothing to prune."]
    return Outcome({"pruned": False, "kinds": sizes}, lines)


def trash(
    terminal: Terminal, *, now: Annotated[bool, Option("remove everything in it for good, now")] = False
) -> Outcome:
    """List what was deleted less than a day ago and can be restored, or remove it for good."""
    if now:
        freed = empty_trash(is_now=True)
        return Outcome({"freed": freed}, [f"Freed {in_bytes(freed)}." if freed else "The trash was empty."])
    entries = list_trash()
    columns = {"id", "kind", "name", "deleted", "places", "bytes"}
    facts = [entry.model_dump(mode="json", include=columns) for entry in entries]
    lines = [f"{each.id}  {ago(each.deleted)}  {in_bytes(each.bytes):>9}  {each.kind} {each.name}" for each in entries]
    hints = [
        "Restore one with: python -m embedlab storage restore ID",
        "Each is removed for good a day after it was deleted, or now with: python -m embedlab storage trash --now",
    ]
    return Outcome({"trash": facts}, [*lines, *hints] if lines else ["The trash is empty."])


def restore(
    terminal: Terminal, entry: Annotated[str, Option("as storage trash lists it, or the id of what was deleted", "ID")]
) -> Outcome:
    """Bring back what was deleted less than a day ago."""
    opened = find_entry(entry)
    restore_entry(opened)
    facts = {"restored": opened.id, "kind": opened.kind, "name": opened.name, "places": list(opened.places)}
    return Outcome(facts, [f"Restored the {opened.kind} {opened.name}."])


def adopt(terminal: Terminal, folder: Annotated[str, Option("runs, corpora, maps, …", "FOLDER")]) -> Outcome:
    """Mark a folder that an earlier version of embedlab made in the store, so that it is counted and pruned again."""
    adopt_room(folder)
    return Outcome({"adopted": folder}, [f"{folder} counts as embedlab's own now."])
