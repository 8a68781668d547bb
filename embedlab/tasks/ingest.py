"""Read a file, a folder or the installed documentation into the store, and check it up."""

from embedlab.augmentations.crop import number_of_crops
from embedlab.config import validated
from embedlab.corpora import Reading, load_corpus
from embedlab.corpora.checkup import kept_checkup
from embedlab.corpora.files import FileSource
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``reference`` and ``reading`` -> a stored corpus; its fingerprint is the result.

    ``file_name``: what the user calls a file that is given by its path; an upload's path is a name of ours.
    """
    reading = validated(Reading, asked.get("reading", {}))
    if asked.get("file_name"):
        corpus = FileSource().load(asked["reference"], reading, progress, name=asked["file_name"])
    else:
        corpus = load_corpus(asked["reference"], reading, progress=progress)
    progress(f"Checking {corpus.info.texts:,} texts for copies, lengths and crops", 0, 0)
    kept_checkup(corpus, crops_of=number_of_crops)
    write_json(folder.result, {"fingerprint": corpus.info.fingerprint, "corpus": corpus.info.model_dump(mode="json")})
