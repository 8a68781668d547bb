"""What the papers print: their tables as rows, each value with its source, beside which our own are shown."""

from embedlab.published.base import Model, Published
from embedlab.published.crops import CROPS
from embedlab.published.laser3 import LASER3
from embedlab.published.semcse import SEMCSE
from embedlab.published.tsdae import TSDAE
from embedlab.published.unsee import UNSEE

PUBLISHED: tuple[Published, ...] = (*CROPS, *TSDAE, *UNSEE, *SEMCSE, *LASER3)

__all__ = ["PUBLISHED", "Model", "Published", "published_values"]


def published_values(**wanted: str | None) -> list[Published]:
    """The values whose fields are these: ``published_values(corpus="iclr", encoder="mpnet", metric="knn")``.

    In the order of the papers. ``setting=""`` leaves out what a table varies besides its models; a field that
    is not named may be anything, and None means that the paper leaves it open.
    """
    unknown = set(wanted) - set(Published.__dataclass_fields__)
    if unknown:
        raise TypeError(f"A published value has no field {', '.join(sorted(unknown))}.")
    return [row for row in PUBLISHED if all(getattr(row, name) == value for name, value in wanted.items())]
