"""A study as lines that a person reads: its table by one distance, what the errors are, its sentence."""

from embedlab.studies.over_corpora import is_over_corpora, mean_sentence
from embedlab.studies.seen import seen_by
from embedlab.studies.table import column, rows_of


def study_lines(found: dict, distance: str) -> list[str]:
    """Of a study's summary."""
    from embedlab.figures.studies.marks import told as in_words

    seen, runs = seen_by(found, distance), found["runs"]
    swept = found["series"]["setting"] if found["series"] is not None else ""
    with_encoder = "" if swept == "encoder" else f" with {found['encoder']}"
    by_recipe = "" if swept == "recipe" else f", recipe {found['recipe']}"
    head = f"{found['title']} on {found['corpus']['name']}{with_encoder}{by_recipe}"
    lines = [f"{head}: {found['state']}, {runs['finished']} of {runs['planned']} runs", *found["notes"]]
    lines += [f"kNN accuracy {seen['by']}:", *_rows(rows_of(found, distance), distance)]
    if is_over_corpora(seen):
        lines.append(mean_sentence(seen, in_words))
    references = ", ".join(f"{name} {100 * value:.1f} %" for name, value in seen["references"].items())
    return [*lines, *filter(None, (references, seen["errors"], seen["answer"]))]


def _rows(rows: list[dict], distance: str) -> list[str]:
    """A line a point; where there is none, why."""
    lines, wide = [], max(len(row.get("series", "")) for row in rows)
    for row in rows:
        accuracy, error = (row[column(number, distance)] for number in ("accuracy", "error"))
        place = f"  {row['value']:>12}" + (f"  {row['series']:<{wide}}" if wide else "")
        if accuracy is None:
            lines.append(f"{place}  –  {row['gaps']}")
            continue
        told = f"{accuracy:.1f} % ± {error:.1f}, {row['steps']:,} steps"
        lines.append(f"{place}  {told} on {row['usable texts']:,} usable texts  {row['gaps']}".rstrip())
    return lines
