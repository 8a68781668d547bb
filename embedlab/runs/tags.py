"""Tags: a user's short words on runs, for finding them again."""

from collections import Counter
from collections.abc import Iterable, Sequence

from embedlab.plain_text import clean_name
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import StoredRequest, label_run, request_if_readable

TAG_CHARACTERS, MOST_TAGS = 30, 12


def tidy_tags(tags: Iterable[str]) -> list[str]:
    """Normalised tags: single spaces, at most 30 characters, unique regardless of case, at most twelve; separated by
    commas.
    """
    tidy: dict[str, str] = {}
    for tag in (part for each in tags for part in each.split(",")):
        tag = " ".join(clean_name(tag).split())[:TAG_CHARACTERS].strip()
        if tag:
            tidy.setdefault(tag.casefold(), tag)
    return list(tidy.values())[:MOST_TAGS]


def tags_of(folder: RunFolder) -> list[str]:
    """The tags of a run; empty if it cannot be read."""
    stored = request_if_readable(folder)
    return [] if stored is None else tidy_tags(stored.tags)


def set_tags(folder: RunFolder, tags: Iterable[str]) -> None:
    """Replace a run's tags; its request stays unchanged."""
    tidy = tidy_tags(tags)
    label_run(folder, lambda stored: {"tags": tidy})


def change_tags(runs: Iterable[RunFolder], *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
    """Add tags to each of these runs and remove others; runs without a change are not written."""
    added, gone = tidy_tags(add), {tag.casefold() for tag in tidy_tags(remove)}

    def changed(stored: StoredRequest) -> dict[str, list[str]]:
        before = tidy_tags(stored.tags)
        after = tidy_tags([*(tag for tag in before if tag.casefold() not in gone), *added])
        return {} if after == before else {"tags": after}

    for run in runs:
        label_run(run, changed)


def tags_in_use(tags: Iterable[Sequence[str]]) -> list[str]:
    """The distinct tags of many runs, the most frequent first, ties in alphabetical order."""
    sizes = Counter(tag for each in tags for tag in each)
    return sorted(sizes, key=lambda tag: (-sizes[tag], tag.casefold()))


def has_tags(tags: Sequence[str], required: Iterable[str]) -> bool:
    """Whether a run has all these tags, regardless of case."""
    present = {tag.casefold() for tag in tags}
    return all(tag.casefold() in present for tag in required)
