"""Labels given by hand to some texts of a corpus, which stays as it is: they lie beside it, each stored at once.

A corpus without classes of its own is drawn in the colours of theirs.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from embedlab.config import Config, validated
from embedlab.corpora.base import Corpus
from embedlab.corpora.cleaning import LabelCleaning
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.store_root import read_json, write_json
from embedlab.trash import move_to_trash
from embedlab.update import changing, update

LABEL_CHARACTERS = 80


class HandLabels(Config):
    """Which texts are asked for, in which order, and what was answered."""

    format: Literal[1] = 1
    rows: tuple[int, ...] = Field(description="Corpus rows in the order in which they are asked for.")
    labels: dict[int, str] = Field({}, description="The label of each row that has one by now.")
    skipped: tuple[int, ...] = Field((), description="Rows that were passed over.")

    @model_validator(mode="after")
    def _answers_what_was_asked(self) -> Self:
        drawn = set(self.rows)
        if len(drawn) < len(self.rows) or not drawn.issuperset(self.labels) or not drawn.issuperset(self.skipped):
            raise ValueError("rows are asked for once, and only those have answers")
        if any(row < 0 for row in drawn) or not all(self.labels.values()):
            raise ValueError("rows are counted from 0, and a label is not empty")
        return self

    @property
    def open(self) -> list[int]:
        """Rows without an answer, in the order in which they are asked for."""
        return [row for row in self.rows if row not in self.labels and row not in self.skipped]

    @property
    def sizes(self) -> dict[str, int]:
        """The number of texts of each label, the commonest first, then by name."""
        return dict(sorted(Counter(self.labels.values()).items(), key=lambda each: (-each[1], each[0])))


def hand_labels_of(corpus: Corpus) -> HandLabels | None:
    """The labels given by hand to a corpus; None where no text was drawn for labelling yet."""
    return _read(corpus, _file(corpus))


def _read(corpus: Corpus, file: Path) -> HandLabels | None:
    try:
        labels = validated(HandLabels, read_json(file))
    except FileNotFoundError:
        return None
    except (OSError, EmbedlabError):
        raise _damaged(corpus) from None
    if labels.rows and max(labels.rows) >= corpus.info.rows:
        raise _damaged(corpus)
    return labels


def ask_for(corpus: Corpus, rows: Sequence[int]) -> HandLabels:
    """Begin with these rows unless others were drawn before, which then stay with their answers."""
    begun = HandLabels(rows=tuple(map(int, rows)))

    def changed(stored: HandLabels | None) -> HandLabels | None:
        return begun if stored is None else None

    return update(_file(corpus), changed, read=partial(_read, corpus), write=_write) or begun


def give_labels(corpus: Corpus, answers: dict[int, str]) -> HandLabels:
    """Keep these labels, spelled as in a file that is read; one that differs in case alone is the label of before."""

    def changed(begun: HandLabels) -> HandLabels:
        if strange := answers.keys() - set(begun.rows):
            raise CorpusError("E-ROWS", f"Row {min(strange):,} of {corpus.name!r} is not one of the texts to label.")
        cleaned = [label for label in LabelCleaning(None).batch(list(answers.values())) if label]
        if len(cleaned) < len(answers):
            raise CorpusError("E-LABEL", "A label needs at least one visible character, but found none. Type a word.")
        spelled = {label.casefold(): label for label in [*cleaned[::-1], *begun.labels.values()]}
        given = {row: spelled[label.casefold()] for row, label in zip(answers, cleaned, strict=True)}
        skipped = tuple(row for row in begun.skipped if row not in given)
        return begun.model_copy(update={"labels": {**begun.labels, **given}, "skipped": skipped})

    return _change(corpus, changed)


def skip(corpus: Corpus, row: int) -> HandLabels:
    """Keep that this row is passed over."""

    def changed(begun: HandLabels) -> HandLabels:
        labels = {each: label for each, label in begun.labels.items() if each != row}
        skipped = (*dict.fromkeys([*begun.skipped, row]),)
        return begun.model_copy(update={"labels": labels, "skipped": skipped})

    return _change(corpus, changed)


def forget_labels(corpus: Corpus) -> None:
    """Move them to the trash, from which they can be restored for a day."""
    file = _file(corpus)
    with changing(file):
        if file.is_file():
            move_to_trash("labels", f"given by hand to {corpus.name}", [file])


def shown_names(corpus: Corpus) -> list[str]:
    """Their names, by size, the largest first, then by name."""
    if corpus.info.classes:
        return [each.label for each in corpus.info.classes]
    given = _by_hand(corpus)
    return [] if given is None else list(given.sizes)


def shown_numbers(corpus: Corpus) -> np.ndarray:
    """Which of them each row is of  (rows,), -1 for none."""
    if corpus.info.classes or (given := _by_hand(corpus)) is None:
        return corpus.class_numbers
    places = {name: number for number, name in enumerate(given.sizes)}
    numbers = np.full(corpus.info.rows, -1)
    for row, name in given.labels.items():
        numbers[row] = places[name]
    return numbers


def shown_as(corpus: Corpus) -> str:
    """A key of the drawn classes, which changes when a label by hand changes them."""
    given = None if corpus.info.classes else _by_hand(corpus)
    return corpus.fingerprint if given is None else f"{corpus.fingerprint} {sorted(given.labels.items())}"


def _by_hand(corpus: Corpus) -> HandLabels | None:
    try:
        return hand_labels_of(corpus)
    except EmbedlabError:  # damaged, which is said where they are given
        return None


def _change(corpus: Corpus, change: Callable[[HandLabels], HandLabels]) -> HandLabels:
    def begun(file: Path) -> HandLabels:
        labels = _read(corpus, file)
        if labels is None:
            raise CorpusError(
                "E-HAND-LABELS", f"No texts of {corpus.name!r} have been drawn for labeling yet. Draw some first."
            )
        return labels

    return update(_file(corpus), change, read=begun, write=_write)


def _write(file: Path, labels: HandLabels | None) -> None:
    assert labels is not None, "only labels are written"
    write_json(file, labels.model_dump(mode="json"))


def _file(corpus: Corpus) -> Path:
    return corpus.folder / "labels.json"


def _damaged(corpus: Corpus) -> CorpusError:
    return CorpusError(
        "E-HAND-LABELS",
        f"The labels given by hand to {corpus.name!r} cannot be read: labels.json in the folder of this corpus is "
        "damaged. Restore the file, or draw new texts and label those.",
    )
