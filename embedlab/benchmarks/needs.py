"""What a set of tasks would fetch: data sets at their commits, how many texts they hold, what is here already."""

from dataclasses import dataclass

from embedlab.benchmarks.base import BenchmarkSet, BenchmarkTask
from embedlab.hub_cache import cached_dataset
from embedlab.numbers import counted

_NAMED = 4  # data sets that a sentence names; the rest are counted


@dataclass(frozen=True)
class Need:
    """One data set of one task."""

    task: str
    type: str
    dataset: str  # owner/name, and the folder where only one is wanted
    revision: str
    texts: int | None
    is_local: bool


def needs_of(tasks: tuple[BenchmarkTask, ...]) -> list[Need]:
    """One row a data set; an aggregate has several. Nothing is fetched, and mteb is not loaded."""
    return [
        Need(
            task=task.key,
            type=task.type,
            dataset=part.place,
            revision=part.revision,
            texts=part.texts,
            is_local=cached_dataset(part.dataset, part.revision, part.under) is not None,
        )
        for task in tasks
        for part in task.datasets
    ]


def needs_json(benchmark: BenchmarkSet, tasks: tuple[BenchmarkTask, ...], folder: str | None = None) -> dict:
    """What ``--needs`` prints."""
    if benchmark.reader == "useb":
        from embedlab.benchmarks.useb_files import WHERE, missing_files

        rows = [
            {"task": task.key, "type": task.type, "files_missing": missing_files(task.key, folder)} for task in tasks
        ]
        return {"set": benchmark.key, "needs": rows, "sentence": WHERE}
    found = needs_of(tasks)
    absent = [need for need in found if not need.is_local]
    return {
        "set": benchmark.key,
        "needs": [need.__dict__ for need in found],
        "texts": sum(need.texts or 0 for need in found),
        "texts_to_fetch": sum(need.texts or 0 for need in absent),
        "sentence": needs_sentence(absent) if absent else f"All {len(found)} data sets are on this computer.",
    }


def needs_sentence(needs: list[Need]) -> str:
    """``2 data sets would be fetched, 15,563 texts in all: mteb/arguana (10,080 texts) and mteb/scifact (…).``"""
    said = [f"{need.dataset} ({need.texts:,} texts)" if need.texts else need.dataset for need in needs[:_NAMED]]
    if len(needs) > _NAMED:
        said.append(f"{len(needs) - _NAMED} more")
    total = sum(need.texts or 0 for need in needs)
    held = (
        f"{total:,} texts in all"
        if all(need.texts for need in needs)
        else "the number of texts is only known from the files"
    )
    sets = counted(len(needs), "data set")
    listed = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
    return f"{sets} would be downloaded, {held}: {listed}."
