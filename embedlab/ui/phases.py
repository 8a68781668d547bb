"""Earlier phases of a run in words."""


def phases(lineage: list[dict]) -> str:
    """``"adapted" (mlm), which started from "first" (tsdae)``; the nearest phase first."""
    return ", which started from ".join(_phase(each) for each in lineage)


def _phase(each: dict) -> str:
    name = f"{each['name']!r}" if each.get("name") else each["run"]
    return f"{name} ({each['recipe']})" if each.get("recipe") else f"{name} (deleted)"
