"""``storage``: what lies in the store, and pruning what can be made again."""

from typing import Annotated

from embedlab.cli.arguments import Command, Json, Option, Outcome
from embedlab.cli.terminal import Terminal
from embedlab.jobs.storage import KINDS, PRUNABLE, prune, require_prunable, storage
from embedlab.numbers import in_bytes
from embedlab.store_root import store_root


def show(terminal: Terminal) -> Outcome:
    """Bytes of each kind, and how many of them pruning would free."""
    terminal("Looking at every file of the store")
    parts = storage()
    kinds = {key: {"bytes": part.size, "prunable": part.prunable} for key, part in parts.items()}
    return {"store": str(store_root()), "bytes": sum(part.size for part in parts.values()), "kinds": kinds}, 0


def show_lines(result: Json) -> list[str]:
    """A line for each kind that there is, the largest first; what pruning would cost below."""
    present = ((key, facts) for key, facts in result["kinds"].items() if facts["bytes"])
    kinds = sorted(present, key=lambda each: -each[1]["bytes"])
    lines = [f"{in_bytes(result['bytes'])} in {result['store']}"] + [
        f"  {in_bytes(facts['bytes']):>9}  {KINDS[key].title}"
        + (f", {in_bytes(facts['prunable'])} can be pruned ({key})" if facts["prunable"] else "")
        for key, facts in kinds
    ]
    if any(facts["prunable"] for _, facts in kinds):
        lines.append("Prune with: python -m embedlab storage prune --yes")
    return lines


def prune_store(
    terminal: Terminal,
    *,
    kinds: Annotated[str, Option(f"only these of {', '.join(PRUNABLE)} (default: all)", "A,B")] = "",
    yes: Annotated[bool, Option("do it; without, only say what would be lost or made again")] = False,
) -> Outcome:
    """Take away what can be made again and nothing at work uses."""
    chosen = tuple(dict.fromkeys(each.strip() for each in kinds.split(",") if each.strip())) or PRUNABLE
    require_prunable(chosen)
    if yes:
        return {"pruned": True, "kinds": prune(chosen)}, 0
    parts = storage()
    return {"pruned": False, "kinds": {key: parts[key].prunable for key in chosen}}, 0


def show_pruned(result: Json) -> list[str]:
    """How much was freed; else what pruning would free and cost."""
    freed = {key: size for key, size in result["kinds"].items() if size}
    if result["pruned"]:
        return [f"Freed {in_bytes(sum(freed.values()))}." if freed else "There was nothing to prune."]
    if not freed:
        return ["There is nothing to prune."]
    lines = [f"{in_bytes(size):>9}  {KINDS[key].after}" for key, size in freed.items()]
    return [*lines, f"Repeat with --yes to free {in_bytes(sum(freed.values()))}."]


COMMANDS = {
    "storage show": Command(show, show_lines),
    "storage prune": Command(prune_store, show_pruned),
}
