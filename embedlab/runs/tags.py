"""Tags: short words of the user's on runs, by which many runs are found again."""

from collections import Counter
from collections.abc import Iterable, Sequence

from embedlab.errors import RunError
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_settings
from embedlab.store_root import write_json

TAG_CHARACTERS, MOST_TAGS = 30, 12


def tidy_tags(tags: Iterable[str]) -> list[str]:
    """Single blanks, 30 characters each, each once whatever its case, twelve at most; a comma separates two."""
    tidy: dict[str, str] = {}
    for tag in (part for each in tags for part in each.split(",")):
        tag = " ".join(tag.split())[:TAG_CHARACTERS].strip()
        if tag:
            tidy.setdefault(tag.casefold(), tag)
    return list(tidy.values())[:MOST_TAGS]


def tags_of(folder: RunFolder) -> list[str]:
    """The tags of a run; none of one that cannot be read."""
    try:
        tags = read_settings(folder).get("tags", [])
    except RunError:
        return []
    return tidy_tags(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else []


def set_tags(folder: RunFolder, tags: Iterable[str]) -> None:
    """These tags in place of those it had; what the run was asked for stays."""
    write_json(folder.settings, read_settings(folder) | {"tags": tidy_tags(tags)})


def change_tags(runs: Iterable[RunFolder], *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
    """Add tags to each of these runs and take others from them; a run that has them so is not written."""
    added, gone = tidy_tags(add), {tag.casefold() for tag in tidy_tags(remove)}
    for run in runs:
        before = tags_of(run)
        after = tidy_tags([*(tag for tag in before if tag.casefold() not in gone), *added])
        if after != before:
            set_tags(run, after)


def tags_in_use(tags: Iterable[Sequence[str]]) -> list[str]:
    """Of the tags of many runs each once, the most frequent first, equal ones by the alphabet."""
    sizes = Counter(tag for each in tags for tag in each)
    return sorted(sizes, key=lambda tag: (-sizes[tag], tag.casefold()))


def has_tags(tags: Sequence[str], required: Iterable[str]) -> bool:
    """Whether all wanted tags are among those of a run, whatever their case."""
    present = {tag.casefold() for tag in tags}
    return all(tag.casefold() in present for tag in required)
