"""The name of every file in a run folder."""

from dataclasses import dataclass
from pathlib import Path

SCORED = "scored"  # what the pairs of ``scored_similarities`` are called in it


class _Entry:
    """A file or folder with a fixed name in every run folder, and a sentence on what it holds."""

    def __init__(self, name: str, sentence: str):
        self.name, self.__doc__ = name, sentence

    def __get__(self, run: "RunFolder", kind: type) -> Path:
        return run.path / self.name


@dataclass(frozen=True)
class RunFolder:
    """One run or job on disk. It only names files; it neither reads nor writes."""

    path: Path

    @property
    def id(self) -> str:
        """Sortable by time, ``[0-9a-z]``, generated here."""
        return self.path.name

    settings = _Entry("settings.json", "The request; never changes.")
    state = _Entry("state.json", "Written only by the holder of ``run.lock``.")
    lock = _Entry("run.lock", "Held by the worker for its whole life.")
    job = _Entry("job.json", "The executor and its job, for a run on another machine.")
    workers = _Entry(
        "workers", "Its workers, one file each; the newest is touched every few seconds while its worker lives."
    )
    progress = _Entry("progress.json", "Stage, done, total, seconds left.")
    beat = _Entry("beat.json", "What a training computes now, since when, and how long that took before.")
    stages = _Entry("stages.jsonl", "One JSON row for each kind of work that the worker began, with the time.")
    resources = _Entry(
        "resources.jsonl",
        "One JSON row every few seconds of work: time, bytes of memory, cores in use, bytes on the GPU.",
    )
    metrics = _Entry("metrics.jsonl", "One JSON row per evaluation.")
    live = _Entry("live.json", "The texts of the live curve, and the reference lines on them.")
    terms = _Entry("terms.jsonl", "One JSON row per recorded step: loss, its terms, learning rate, texts per second.")
    result = _Entry("result.json", "What the command line prints at the end.")
    log = _Entry("log.txt", "Standard output and error of the worker, and tracebacks.")
    stop = _Entry("control/stop", "Its presence asks the worker to stop after the step.")
    stop_now = _Entry("control/stop-now", "Its presence asks a stopping worker to skip measuring the kept step.")
    stop_signal = _Entry("control/stop-signal", "Its presence says that a stopping worker was sent a signal to leave.")
    give_way = _Entry("control/give-way", "Its presence asks the worker to leave the device and to wait for it again.")
    checkpoints = _Entry("checkpoints", "Folders ``step-000420`` with a ``COMPLETE`` file each.")
    encoder_so_far = _Entry(
        "encoder-so-far",
        "Until the run is measured, the encoder that Stop would keep: ``step-000420``, with ``kept.json``.",
    )
    encoder = _Entry("encoder", "The last encoder, or the best one after Stop.")
    best_encoder = _Entry(
        "best-encoder", "The encoder of the best step on the development texts, if that is not the last one."
    )
    untouched_encoder = _Entry(
        "untouched-encoder",
        "The encoder before training, if it cannot be reproduced otherwise (scratch and token encoders).",
    )

    def embeddings(self, name: str) -> Path:
        """(rows, dim) float32 of the encoder ``before`` or ``after``, one row per corpus row."""
        return self.path / "embeddings" / f"{name}.npy"

    def neighbors(self, name: str, distance: str) -> Path:
        """The exact neighbor graph of those embeddings."""
        return self.path / "neighbors" / f"{name}-{distance}"

    def map(self, name: str, method: str) -> Path:
        """Parquet with columns ``id x y``, in corpus order; how it was drawn is stored beside, as JSON."""
        return self.path / "maps" / f"{name}-{method}.parquet"

    def map_facts(self, name: str, method: str) -> Path:
        """Method, seed, settings used and seconds of that map."""
        return self.map(name, method).with_suffix(".json")

    def map_onto(self, other: str, method: str) -> Path:
        """This run's map after, drawn from the map after of the run ``other`` instead of its own map before."""
        return self.path / "maps" / f"after-{method}-onto-{other}.parquet"

    def trust(self, drawn: Path) -> Path:
        """How far a drawn map can be trusted, text by text: columns ``id true kept``, stored beside that map."""
        return drawn.with_name(f"{drawn.stem}-trust.parquet")

    def moves(self, against: str) -> Path:
        """What moved between the encoder ``against`` (``before``, or another run's id) and this run's after."""
        return self.path / "moves" / f"{against}.parquet"

    def moves_facts(self, against: str) -> Path:
        """The noise floor, the groups, and who neighbors whom."""
        return self.path / "moves" / f"{against}.json"

    def class_neighbors(self, against: str) -> Path:
        """Who neighbors whom, as counts: columns ``class neighbor own before after``, related classes adjacent."""
        return self.path / "moves" / f"{against}-classes.parquet"

    noise_floor = _Entry(
        "moves/noise-floor.json", "How much movement is noise, measured with the untouched encoder in bfloat16."
    )

    def clusters(self, name: str) -> Path:
        """Columns ``id cluster`` for the encoder ``before`` or ``after``, or for a map; keywords are stored beside, as
        JSON.
        """
        return self.path / "clusters" / f"{name}.parquet"

    def lab(self, name: str, experiment: str) -> Path:
        """Four maps ``maps.npy`` of the texts ``rows.npy`` of one encoder, and ``facts.json``."""
        return self.path / "lab" / f"{name}-{experiment}"

    film = _Entry("film", "Maps of the probe texts during training, one frame per evaluation.")
    mined = _Entry(
        "mined.parquet", "In the folder of a job that mines them: pairs with their hard negatives, one row each."
    )
    replay = _Entry("replay.html", "In the folder of a job that writes one: a run as one HTML file.")
    evaluations = _Entry(
        "evaluations.json", "Further metrics, measured on request; read and written by ``runs/evaluations.py``."
    )
    benchmarks = _Entry(
        "benchmarks.json", "The hashes under which its encoders' benchmark scores are stored: ``{before, after}``."
    )
    predictions = _Entry(
        "predictions.parquet",
        "The test texts of the split: label, and the predictions of the untouched and the selected encoder.",
    )
    predictions_by_folds = _Entry(
        "predictions_folds.parquet",
        "Every labeled text over ten folds: label, fold, each encoder's prediction and its votes of ten.",
    )
    layers = _Entry("layers/layers.json", "kNN accuracy after every layer, before and after.")
    layer_maps = _Entry("layers/maps", "A folder with maps of some labeled texts after every layer, before and after.")

    def diagnostic(self, key: str) -> Path:
        """The result of this diagnostic, before and after, with its pictures."""
        return self.path / "diagnostics" / f"{key}.json"

    length = _Entry("length/length.json", "Similarities before and after elongation, untouched and fine-tuned.")
    length_scores = _Entry(
        "length/scores.json", "Spearman on scored pairs before and after elongation, untouched and fine-tuned."
    )
    scored_similarities = _Entry(
        "length/scores.parquet", "The cosines of scored pairs behind it, in the format of ``similarities``."
    )
    similarities = _Entry(
        "length/similarities.parquet",
        "The cosines behind ``length``: columns ``kind encoder before after effective_copies``.",
    )
