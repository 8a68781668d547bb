"""The rows of a comparison: runs, the untouched encoders they started from, and the baselines of their corpora."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from embedlab.baseline_methods import BASELINE_METHODS, REFERENCE_LINES, baseline_title
from embedlab.corpora.sets.stored import open_set
from embedlab.corpora.stored.shelf import list_corpora, name_of_missing
from embedlab.counting import WORDS, unit_of
from embedlab.distance import DISTANCES
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.encoder_catalog.names import is_made_here
from embedlab.errors import RunError
from embedlab.runs.evaluations import CORPUS, Evaluations, baseline_folder
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import OWN_ENCODER, own_files
from embedlab.runs.label_lineage import UNTOUCHED_RECIPE, lineage, saw_labels, word_of_before
from embedlab.runs.reference_lines import REFERENCES_FILE, read_lines
from embedlab.runs.result import RunResult, accuracy_of, read_result
from embedlab.runs.store import corpus_key, open_run, reads_beginnings, seed_of, settings_of
from embedlab.training.titles import run_title

RUN, UNTOUCHED, BASELINE = "run", "untouched", "baseline"


@dataclass(frozen=True)
class ComparedRow:
    """One line of a comparison: what it is and where its measurements are stored."""

    key: str
    kind: str  # run, untouched or baseline
    name: str
    corpus: str  # fingerprint
    corpus_name: str
    path: Path  # of the run, or of the baseline beside its corpus
    state: str = "after"
    encoder: str | None = None
    recipe: str | None = None
    seed: int | None = None
    trained_on: str | None = None  # all, train_split, labels (here or before); None where nothing was trained
    saw_labels: bool = False  # it, or what it grew from, was trained by labels
    epochs: int | None = None  # as asked
    texts_read: int = 0  # in training
    twins: tuple[Path, ...] = ()  # further runs that began with the same vectors: what they measured before is its too

    @property
    def is_reference(self) -> bool:
        """Whether it is shown only for comparison; an untouched encoder that was requested is not."""
        return self.kind == BASELINE or self.state == "before"

    @property
    def evaluations(self) -> Evaluations:
        """The measurements of this row."""
        return Evaluations(self.path)


def run_names(runs: list[RunFolder]) -> dict[str, str]:
    """Each run's name, otherwise what it trains; with the seed or the end of the id where two names are equal."""
    titles = {run.id: run_title(run) for run in runs}
    by_seed = {run.id: f"{titles[run.id]} · seed {seed_of(run)}" for run in runs}
    counts, with_seed = Counter(titles.values()), Counter(by_seed.values())
    names = {}
    for run, title in titles.items():
        longer = by_seed[run] if with_seed[by_seed[run]] == 1 else f"{title} · {run[-4:]}"
        names[run] = longer if counts[title] > 1 else title
    return names


def compared_rows(
    runs: list[RunFolder], names: dict[str, str] | None = None, source: str = CORPUS
) -> list[ComparedRow]:
    """The rows of these runs, corpus by corpus: baselines, untouched encoders (once each), runs as given.

    Baselines that were measured on an evaluation set (``source``) belong to no corpus and stand first.
    """
    names = names or run_names(runs)
    corpora = {info.fingerprint: info.name for info in list_corpora()}
    run_rows = [_run_row(run, names[run.id], corpora) for run in runs]
    rows = [] if source == CORPUS else baseline_rows("", "", source)
    for corpus in dict.fromkeys(row.corpus for row in run_rows):
        mine = [row for row in run_rows if row.corpus == corpus]
        baselines = baseline_rows(corpus, mine[0].corpus_name) if source == CORPUS else []
        if any(reads_beginnings(RunFolder(row.path)) for row in mine):
            baselines = [replace(row, name=f"{row.name}, whole texts") for row in baselines]
        rows += baselines + untouched_rows(mine)
        rows += [row for row in mine if row.kind == RUN]
    return rows


def not_followed_by(runs: Iterable[RunFolder], names: Mapping[str, str]) -> list[str]:
    """What these runs' encoders request but embedlab does not do, each sentence once, after the runs concerned."""
    by_sentence: dict[str, list[str]] = {}
    for run in runs:
        for sentence in (read_result(run) or RunResult()).not_followed:
            by_sentence.setdefault(sentence, []).append(names[run.id])
    return [f"{', '.join(of)}: {sentence}" for sentence, of in by_sentence.items()]


def rows_of(keys: list[str], source: str = CORPUS) -> list[ComparedRow]:
    """The rows with these keys: ``ID`` a run, ``ID-before`` its untouched encoder, ``baseline-FINGERPRINT-KEY``."""
    corpora = {info.fingerprint: info.name for info in list_corpora()}
    runs = dict.fromkeys(key.partition("-")[0] for key in keys if not key.startswith(BASELINE))
    together = {row.key: row for row in compared_rows([open_run(run) for run in runs], source=source)}
    rows = []
    for key in keys:
        kind, _, rest = key.partition("-")
        if key in together:
            made = [together[key]]
        elif kind == BASELINE:
            fingerprint = rest.partition("-")[0] if source == CORPUS else ""
            made = baseline_rows(fingerprint, corpora.get(fingerprint, fingerprint), source)
        else:
            run = _run_row(open_run(kind), kind, corpora)
            made = [run, _untouched(run)]
        row = next((row for row in made if row.key == key), None)
        if row is None:
            raise RunError("E-ROW", f"A row must be a run's id, ID-before or a measured baseline, but found {key!r}.")
        rows.append(row)
    return rows


def baseline_rows(corpus: str, corpus_name: str, source: str = CORPUS) -> list[ComparedRow]:
    """The baselines measured on a corpus or set; a labelled corpus always has the two reference lines."""
    folder = baseline_folder(corpus, source, "any").parent
    measured = {path.parent.name for path in folder.glob("*/evaluations.json")}
    if source == CORPUS and (folder.parent / REFERENCES_FILE).exists():
        measured |= REFERENCE_LINES.keys()
    keys = [key for key in BASELINE_METHODS.keys() if key in measured] + sorted(measured - set(BASELINE_METHODS.keys()))
    fingerprint = corpus if source == CORPUS else source
    if source == CORPUS:
        lines = read_lines(folder.parent / REFERENCES_FILE)
        counted = next((line.counted for line in lines.values() if line.counted), WORDS)
    else:
        counted = unit_of(open_set(source).first_texts) if keys else WORDS
    return [
        ComparedRow(
            key=f"{BASELINE}-{fingerprint}-{key}",
            kind=BASELINE,
            name=baseline_title(key, counted),
            corpus=corpus,
            corpus_name=corpus_name,
            path=folder / key,
        )
        for key in keys
    ]


def untouched_rows(rows: list[ComparedRow]) -> list[ComparedRow]:
    """The encoders these runs started from, once each; an untouched run represents its own encoder."""
    same: dict[tuple, list[ComparedRow]] = {}  # runs that began with the same vectors
    for row in sorted(rows, key=lambda each: each.kind != UNTOUCHED):
        result = read_result(RunFolder(row.path))
        befores = [None if (accuracy := accuracy_of(result, each)) is None else accuracy.before for each in DISTANCES]
        identity = (row.encoder, *beginning_of(row).values(), *befores, row.seed if None in befores else None)
        same.setdefault(identity, []).append(row)
    apart = _suffixes([first for first, *_ in same.values()])
    untouched = [row for row in rows if row.kind == UNTOUCHED]
    for first, *others in same.values():
        twins = tuple(row.path for row in others)
        if first.kind == UNTOUCHED:
            untouched[untouched.index(first)] = replace(first, twins=twins)
        elif any(_began(row) for row in (first, *others)):
            untouched.append(replace(_untouched(first, apart=apart[first.key]), twins=twins))
    return untouched


def beginning_of(row: ComparedRow) -> dict[str, str | int | None]:
    """Identifies a row's initial encoder: how texts were read, and what its vocabulary was trained on."""
    run = RunFolder(row.path)
    result, settings = read_result(run) or RunResult(), settings_of(run)
    dimensions = settings.get("dimensions") or "all"
    beginning = {"pooling": result.pooling, "tokens_read": result.max_length, "dimensions_kept": dimensions}
    if is_made_here(row.encoder or ""):
        beginning["vocabulary_size"] = settings.get("vocabulary_size")
        beginning["vocabulary_of"] = settings.get("train_on", "all")
    return beginning


def beginnings_apart(rows: list[ComparedRow]) -> dict[str, dict[str, str | int | None]]:
    """For each row, the facts that distinguish its untouched encoder from others of that name; of a baseline none."""
    apart: dict[str, dict[str, str | int | None]] = {row.key: {} for row in rows}
    for encoder in {row.encoder for row in rows if row.kind != BASELINE}:
        began = {row.key: beginning_of(row) for row in rows if row.kind != BASELINE and row.encoder == encoder}
        names = differing(began.values())
        apart |= {key: {name: each.get(name) for name in names} for key, each in began.items()}
    return apart


def differing(facts: Iterable[Mapping[str, object]]) -> list[str]:
    """The settings in which these rows differ."""
    facts = list(facts)
    names = dict.fromkeys(name for each in facts for name in each)
    return [name for name in names if len({repr(each.get(name)) for each in facts}) > 1]


def words_of(facts: Mapping[str, object], names: Iterable[str]) -> list[str]:
    """``pooling cls``, ``batch size 64`` for each of these settings."""
    return [f"{name.replace('_', ' ')} {'automatic' if facts.get(name) is None else facts[name]}" for name in names]


def _run_row(run: RunFolder, name: str, corpora: dict[str, str]) -> ComparedRow:
    result, settings = read_result(run), settings_of(run)
    corpus = corpus_key(run)
    files = settings.get("files") if settings.get("encoder") == OWN_ENCODER else None
    is_untouched = settings.get("recipe") == UNTOUCHED_RECIPE or (files is not None and "after" not in files)
    saw = saw_labels(run)
    return ComparedRow(
        key=run.id,
        kind=UNTOUCHED if is_untouched else RUN,
        name=name,
        corpus=corpus,
        corpus_name=corpora.get(corpus, name_of_missing(corpus)) if result is None else result.corpus.name,
        path=run.path,
        encoder=settings.get("encoder"),
        recipe=settings.get("recipe"),
        seed=settings.get("seed", 0),
        trained_on=None if is_untouched or files is not None else "labels" if saw else settings.get("train_on", "all"),
        saw_labels=saw,
        epochs=settings.get("epochs"),
        texts_read=0 if result is None else result.texts_read,
    )


def _suffixes(rows: list[ComparedRow]) -> dict[str, str]:
    """Suffixes for untouched encoders of one name that differ in how they began."""
    suffixes = {
        key: "".join(f", {word}" for word in words_of(began, began)) for key, began in beginnings_apart(rows).items()
    }
    for further in (lambda row: f" (seed {row.seed})", lambda row: f" · {row.path.name[-4:]}"):
        counts = Counter((row.encoder, suffixes[row.key]) for row in rows)
        suffixes |= {
            row.key: suffixes[row.key] + further(row) for row in rows if counts[row.encoder, suffixes[row.key]] > 1
        }
    return suffixes


def _untouched(row: ComparedRow, *, apart: str = "") -> ComparedRow:
    """The row of the encoder before training; for a run that continues another run, the result of that run."""
    run, origin = RunFolder(row.path), lineage(row.encoder or "")
    named = origin[0].name or origin[0].run if origin else encoder_title(row.encoder or "")
    saw = saw_labels(run, "before")
    name = f"{named}, untouched" if not origin else f"{named}, before"
    name = f"{named}, {word_of_before(run)}, before" if saw else name
    name = own_files(run).get("before", name)
    return ComparedRow(
        key=f"{row.path.name}-before",
        kind=UNTOUCHED,
        name=name + apart,
        corpus=row.corpus,
        corpus_name=row.corpus_name,
        path=row.path,
        state="before",
        encoder=row.encoder,
        recipe=word_of_before(run) if saw else UNTOUCHED_RECIPE,
        seed=row.seed,
        saw_labels=saw,
    )


def _began(row: ComparedRow) -> bool:
    """Whether anything was measured of its untouched encoder."""
    if (read_result(RunFolder(row.path)) or RunResult()).knn is not None:
        return True
    measured = row.evaluations.all().get("metrics", {})
    return any("before" in states for values in measured.values() for states in values.values())
