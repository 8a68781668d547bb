"""The name of every file in a run folder."""

from dataclasses import dataclass
from pathlib import Path

SCORED = "scored"  # what the pairs of ``scored_similarities`` are called in it


@dataclass(frozen=True)
class RunFolder:
    """One run or job on disk. It only names files; it neither reads nor writes."""

    path: Path

    @property
    def id(self) -> str:
        """Sortable by time, ``[0-9a-z]``, generated here."""
        return self.path.name

    @property
    def settings(self) -> Path:
        """The request; never changes."""
        return self.path / "settings.json"

    @property
    def state(self) -> Path:
        """Written only by the holder of ``run.lock``."""
        return self.path / "state.json"

    @property
    def lock(self) -> Path:
        """Held by the worker for its whole life."""
        return self.path / "run.lock"

    @property
    def job(self) -> Path:
        """The executor and its job, for a run on another machine."""
        return self.path / "job.json"

    @property
    def workers(self) -> Path:
        """Its workers, one file each; the newest is touched every few seconds while its worker lives."""
        return self.path / "workers"

    @property
    def progress(self) -> Path:
        """Stage, done, total, seconds left."""
        return self.path / "progress.json"

    @property
    def stages(self) -> Path:
        """One JSON row for each kind of work that the worker began, with the time."""
        return self.path / "stages.jsonl"

    @property
    def resources(self) -> Path:
        """One JSON row every few seconds of work: time, bytes of memory, cores in use, bytes on the GPU."""
        return self.path / "resources.jsonl"

    @property
    def metrics(self) -> Path:
        """One JSON row per evaluation."""
        return self.path / "metrics.jsonl"

    @property
    def live(self) -> Path:
        """The texts of the live curve, and the reference lines on them."""
        return self.path / "live.json"

    @property
    def terms(self) -> Path:
        """One JSON row per recorded step: loss, its terms, learning rate, texts per second."""
        return self.path / "terms.jsonl"

    @property
    def result(self) -> Path:
        """What the command line prints at the end."""
        return self.path / "result.json"

    @property
    def log(self) -> Path:
        """Standard output and error of the worker, and tracebacks."""
        return self.path / "log.txt"

    @property
    def stop(self) -> Path:
        """Its presence asks the worker to stop after the step."""
        return self.path / "control" / "stop"

    @property
    def stop_now(self) -> Path:
        """Its presence asks a stopping worker to skip measuring the kept step."""
        return self.path / "control" / "stop-now"

    @property
    def checkpoints(self) -> Path:
        """Folders ``step-000420`` with a ``COMPLETE`` file each."""
        return self.path / "checkpoints"

    @property
    def encoder(self) -> Path:
        """The last encoder, or the best one after Stop."""
        return self.path / "encoder"

    @property
    def best_encoder(self) -> Path:
        """The encoder of the best step on the development texts, if that is not the last one."""
        return self.path / "best-encoder"

    @property
    def untouched_encoder(self) -> Path:
        """The encoder before training, if it cannot be reproduced otherwise (scratch and token encoders)."""
        return self.path / "untouched-encoder"

    def embeddings(self, name: str) -> Path:
        """(rows, dim) float32 of the encoder ``before`` or ``after``, one row per corpus row."""
        return self.path / "embeddings" / f"{name}.npy"

    def neighbors(self, name: str, distance: str) -> Path:
        """The exact neighbor graph of those embeddings."""
        return self.path / "neighbors" / f"{name}-{distance}"

    def map(self, name: str, method: str) -> Path:
        """Parquet with columns ``id x y``, in corpus order."""
        return self.path / "maps" / f"{name}-{method}.parquet"

    def map_facts(self, name: str, method: str) -> Path:
        """Method, seed, settings used and seconds of that map."""
        return self.path / "maps" / f"{name}-{method}.json"

    def map_onto(self, other: str, method: str) -> Path:
        """This run's map after, drawn from the map after of the run ``other`` instead of its own map before."""
        return self.path / "maps" / f"after-{method}-onto-{other}.parquet"

    def map_onto_facts(self, other: str, method: str) -> Path:
        """Method, seed, settings used and seconds of that map."""
        return self.path / "maps" / f"after-{method}-onto-{other}.json"

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

    @property
    def noise_floor(self) -> Path:
        """How much movement is noise, measured with the untouched encoder in bfloat16."""
        return self.path / "moves" / "noise-floor.json"

    def clusters(self, name: str) -> Path:
        """Columns ``id cluster`` for the encoder ``before`` or ``after``, or for a map; keywords are stored beside, as
        JSON.
        """
        return self.path / "clusters" / f"{name}.parquet"

    def lab(self, name: str, experiment: str) -> Path:
        """Four maps ``maps.npy`` of the texts ``rows.npy`` of one encoder, and ``facts.json``."""
        return self.path / "lab" / f"{name}-{experiment}"

    @property
    def film(self) -> Path:
        """Maps of the probe texts during training, one frame per evaluation."""
        return self.path / "film"

    @property
    def mined(self) -> Path:
        """In the folder of a job that mines them: pairs with their hard negatives, one row each."""
        return self.path / "mined.parquet"

    @property
    def replay(self) -> Path:
        """In the folder of a job that writes one: a run as one HTML file."""
        return self.path / "replay.html"

    @property
    def evaluations(self) -> Path:
        """Further metrics, measured on request; read and written by ``runs/evaluations.py``."""
        return self.path / "evaluations.json"

    @property
    def benchmarks(self) -> Path:
        """The hashes under which its encoders' benchmark scores are stored: ``{before, after}``."""
        return self.path / "benchmarks.json"

    @property
    def predictions(self) -> Path:
        """The test texts of the split: label, and the predictions of the untouched and the selected encoder."""
        return self.path / "predictions.parquet"

    @property
    def predictions_by_folds(self) -> Path:
        """Every labelled text over ten folds: label, fold, each encoder's prediction and its votes of ten."""
        return self.path / "predictions_folds.parquet"

    @property
    def layers(self) -> Path:
        """kNN accuracy after every layer, before and after."""
        return self.path / "layers" / "layers.json"

    @property
    def layer_maps(self) -> Path:
        """A folder with maps of some labelled texts after every layer, before and after."""
        return self.path / "layers" / "maps"

    def diagnostic(self, key: str) -> Path:
        """The result of this diagnostic, before and after, with its pictures."""
        return self.path / "diagnostics" / f"{key}.json"

    @property
    def length(self) -> Path:
        """Similarities before and after elongation, untouched and fine-tuned."""
        return self.path / "length" / "length.json"

    @property
    def length_scores(self) -> Path:
        """Spearman on scored pairs before and after elongation, untouched and fine-tuned."""
        return self.path / "length" / "scores.json"

    @property
    def scored_similarities(self) -> Path:
        """The cosines of scored pairs behind it, in the format of ``similarities``."""
        return self.path / "length" / "scores.parquet"

    @property
    def similarities(self) -> Path:
        """The cosines behind ``length``: columns ``kind encoder before after effective_copies``."""
        return self.path / "length" / "similarities.parquet"
