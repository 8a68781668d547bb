"""``storage``: what lies in the store, and pruning what can be made again."""

from typing import Annotated

from embedlab.cli.arguments import Option, Outcome
from embedlab.cli.reading import words_of
from embedlab.cli.terminal import Terminal
from embedlab.jobs.storage import KINDS, PRUNABLE, prune, require_prunable, storage
from embedlab.numbers import in_bytes
from embedlab.store_root import store_root


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
