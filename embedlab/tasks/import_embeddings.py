"""Imported embeddings or coordinates become a finished run, shown on every page that needs no encoder."""

import os
import shutil
import time

import numpy as np

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.errors import SettingsError
from embedlab.jobs.requests.corpora import BringVectors, ImportedRun, VectorFile
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.jobs.runner import submit
from embedlab.map_methods import OWN_MAP
from embedlab.measurement import Note
from embedlab.metrics.knn import cv10_knn
from embedlab.metrics.split import why_no_knn
from embedlab.progress import Progress
from embedlab.runs.drawn_map import MapFacts, write_map, write_map_facts
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import OWN_ENCODER, OWN_RECIPE
from embedlab.runs.reference_lines import lines_on
from embedlab.runs.result import RunResult, write_result
from embedlab.runs.state import State, now
from embedlab.runs.store import SCHEMA, new_id
from embedlab.session import current_session
from embedlab.store_root import make_folder, store_root, whole_folder, write_json
from embedlab.tasks.fine_tune.results import EncoderAccuracies, corpus_facts, judged_by, knn_of, predict, right_of
from embedlab.tasks.measure.corpus_cache import reference_lines_of
from embedlab.tasks.measure.embedded import labels_of, load_embeddings, measure, split_of
from embedlab.tasks.measure.folds import folds_of, why_no_folds
from embedlab.tasks.measure.line_texts import LineTexts
from embedlab.vectors.faults import VectorFaults, fault_notes, faults_in
from embedlab.vectors.ids import JoinedFile
from embedlab.vectors.laid import lay_in_order, require_places, texts_without_a_place
from embedlab.vectors.opened import COORDINATES, OwnVectors, open_vectors

SIDES = ("before", "after")


def run(folder: RunFolder, files: BringVectors, progress: Progress) -> None:
    """A new run in the store, whole or not at all; the result is its id."""
    began = time.perf_counter()
    _require_some(files)
    corpus = open_corpus(files.corpus)
    opened = {role: _opened(role, getattr(files, role)) for role in files.names}
    room, run_id = store_root() / "runs", new_id()
    with whole_folder(room / run_id) as temporary:
        made = RunFolder(temporary)
        measured, vectors = RunResult(), dict[str, VectorFaults]()
        notes: list[Note] = []
        joined: dict[str, JoinedFile] = {}
        if files.before is not None:
            joined |= _lay_embeddings(made, opened, corpus, files, progress)
            measured = _measured(made, corpus, files, progress)
        if files.coordinates is not None:
            of_coordinates, without = _lay_coordinates(made, opened, corpus, files, progress)
            joined |= of_coordinates
            notes += without
        settings = {"corpus": corpus.fingerprint, "encoder": OWN_ENCODER, "recipe": OWN_RECIPE, "files": files.names}
        if files.before is not None:
            vectors, of_vectors = _faults(made, corpus, files)
            notes += [*measured.warnings, *of_vectors]
        remarks = dict.fromkeys(each.remark for each in opened.values() if each.remark)
        notes += [Note(code="I-STORED-NUMBERS", message=remark) for remark in remarks]
        paths = {f"embeddings_{side}": made.embeddings(side) for side in SIDES}
        paths |= {f"map_{side}": made.map(side, OWN_MAP) for side in SIDES}
        there = {role: room / run_id / path.relative_to(temporary) for role, path in paths.items() if path.exists()}
        about = {
            "run": run_id,
            "name": files.run_name,
            "corpus": corpus_facts(corpus),
            "encoder": OWN_ENCODER,
            "recipe": OWN_RECIPE,
            "files": files.names,
            "joined": joined,
            "vectors": vectors,
            "warnings": tuple(notes),
            "paths": {"run": str(room / run_id)} | {role: str(path) for role, path in there.items()},
            "seconds": round(time.perf_counter() - began, 2),
        }
        result = RunResult(**(vars(measured) | about))  # every key, also of what was not measured
        write_result(made, result)
        head = {"schema": SCHEMA, "task": "bring", "name": files.run_name, "created": now(), "settings": settings}
        head |= {"session": current_session()} if current_session() is not None else {}
        write_json(made.settings, head)
        facts = {"state": str(State.FINISHED), "since": now(), "fingerprint": corpus.fingerprint, "settings": settings}
        write_json(made.state, facts)
    if files.before is not None and files.maps:
        submit(DrawMaps(run=run_id))
    write_json(folder.result, ImportedRun(run=run_id).model_dump())


def _require_some(files: BringVectors) -> None:
    for first, second in (("before", "after"), ("coordinates", "coordinates_after")):
        if getattr(files, second) is not None and getattr(files, first) is None:
            raise SettingsError("E-SETTING", f"Setting {second!r} is given, but {first!r} is not. Give {first!r} too.")
    if not files.names:
        raise SettingsError(
            "E-SETTING", "A file of embeddings or of coordinates is needed, but none is given. Choose one."
        )


def _opened(role: str, file: VectorFile) -> OwnVectors:
    kind = COORDINATES if role.startswith(COORDINATES) else "embeddings"
    return open_vectors(file.path, kind=kind, column=file.column, name=file.name, as_numbers=file.as_numbers)


def _lay_embeddings(
    made: RunFolder, opened: dict[str, OwnVectors], corpus: Corpus, files: BringVectors, progress: Progress
) -> dict[str, JoinedFile]:
    """Both sides as files, streamed to disk; with one file both sides are equal. -> how each was joined"""
    joined: dict[str, JoinedFile] = {}
    for side in SIDES:
        path = made.embeddings(side)
        make_folder(path.parent)
        if side in opened:
            shape = (corpus.info.rows, opened[side].dim)
            vectors = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
            laid = lay_in_order(opened[side], corpus, vectors, progress=progress, by=getattr(files, side).ids)
            joined[side] = laid.summary
            vectors.flush()
            continue
        try:
            os.link(made.embeddings("before"), path)
        except OSError:  # a disk without hard links
            shutil.copyfile(made.embeddings("before"), path)
    return joined


def _faults(made: RunFolder, corpus: Corpus, files: BringVectors) -> tuple[dict[str, VectorFaults], list[Note]]:
    """Defects of each file's vectors, and their sentences, which name the file."""
    roles = [side for side in SIDES if side in files.names]
    faults = {side: faults_in(load_embeddings(made, side), corpus.kept, corpus.copies) for side in roles}
    notes = fault_notes({files.names[side]: each for side, each in faults.items()})
    return {side: faults.get(side, faults["before"]) for side in SIDES}, notes


def _lay_coordinates(
    made: RunFolder, opened: dict[str, OwnVectors], corpus: Corpus, files: BringVectors, progress: Progress
) -> tuple[dict[str, JoinedFile], list[Note]]:
    """Write the maps ``before`` and ``after`` from the files; with one file both are equal.

    -> how each was joined, and notes on texts without a place
    """
    joined: dict[str, JoinedFile] = {}
    notes: list[Note] = []
    for side, role in zip(SIDES, ("coordinates", "coordinates_after"), strict=True):
        role = role if role in opened else "coordinates"
        vectors = opened[role]
        require_places(vectors)
        places = np.empty((corpus.info.rows, 2), np.float32)
        laid = lay_in_order(vectors, corpus, places, progress=progress, gaps=True, by=getattr(files, role).ids)
        joined[role] = laid.summary
        notes += [each for each in texts_without_a_place(places, corpus, vectors.name) if each not in notes]
        write_map(made.map(side, OWN_MAP), corpus.kept, places[corpus.kept])
        facts = MapFacts(method=OWN_MAP, file=vectors.name)
        if why_no_knn(corpus.labels, corpus.kept) is None and np.isfinite(places[corpus.kept]).all():
            knn = cv10_knn(embeddings=places, labels=labels_of(corpus), rows=corpus.kept, copies=corpus.copies)
            facts |= MapFacts(knn_in_picture=knn.value)
        write_map_facts(made.map_facts(side, OWN_MAP), facts)
    return joined, notes


def _measured(made: RunFolder, corpus: Corpus, files: BringVectors, progress: Progress) -> RunResult:
    """What a run's result says about its embeddings: by the run's protocol, and for two files their difference."""
    split, no_knn = split_of(corpus)
    if split is None:
        return RunResult(warnings=() if no_knn is None else (no_knn,))
    whole = LineTexts.whole(corpus)
    references = reference_lines_of(whole, progress)
    has_two = files.after is not None
    progress("Measuring kNN accuracy")
    before = measure(load_embeddings(made, "before"), corpus, split)
    after = measure(load_embeddings(made, "after"), corpus, split) if has_two else before
    assert before is not None and after is not None, "a split was found"
    tested = EncoderAccuracies(before, after, best=after)
    predict(made, corpus, tested, None)
    result = RunResult(
        knn=knn_of(tested, split),
        references=lines_on(references, after.either.test_rows),
        warnings=tuple(why_no_folds(corpus, split)),
        folds=folds_of(made, corpus, split, progress, trained=has_two, texts=whole),
    )
    if not has_two:
        return result
    right = right_of(before, after, references)
    return result.model_copy(update={"judged": judged_by(right), "judged_against": files.names["before"]})
