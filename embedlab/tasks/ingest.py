"""Read a file, a folder or the installed documentation into the store, and check it up."""

from embedlab.augmentations.crop import number_of_crops
from embedlab.config import validated
from embedlab.corpora import Reading, load_corpus
from embedlab.corpora.checkup import kept_checkup
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``reference`` and ``reading`` -> a stored corpus; its fingerprint is the result."""
    corpus = load_corpus(asked["reference"], validated(Reading, asked.get("reading", {})), progress=progress)
    progress(f"Checking {corpus.info.texts:,} texts for copies, lengths and crops", 0, 0)
    kept_checkup(corpus, crops_of=number_of_crops)
    write_json(folder.result, {"fingerprint": corpus.info.fingerprint, "corpus": corpus.info.model_dump(mode="json")})
