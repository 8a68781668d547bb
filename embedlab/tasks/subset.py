"""The texts of a selection as a corpus of their own."""

from embedlab.augmentations.crop import number_of_crops
from embedlab.corpora.base import open_corpus
from embedlab.corpora.checkup import kept_checkup
from embedlab.corpora.subset import subset
from embedlab.runs.folder import RunFolder
from embedlab.runs.selections import open_selection, rows_of
from embedlab.store_root import write_json


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``selection`` and ``name`` -> a stored corpus; its fingerprint is the result."""
    selection = open_selection(asked["selection"])
    corpus = open_corpus(selection.corpus)
    progress(f"Storing {selection.texts:,} texts of {corpus.name}", 0, 0)
    chosen_by = f"the selection “{selection.name}”"
    made = subset(corpus, rows_of(selection), name=asked.get("name") or selection.name, chosen_by=chosen_by)
    progress(f"Checking {made.info.texts:,} texts for copies, lengths and crops", 0, 0)
    kept_checkup(made, crops_of=number_of_crops)
    write_json(folder.result, {"fingerprint": made.fingerprint, "corpus": made.info.model_dump(mode="json")})
