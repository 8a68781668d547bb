"""Requests that draw maps (alone or aligned), experiments and figures, or export files of a run, also to the hub."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import BaseModel, Field, field_validator

from embedlab.config import Request
from embedlab.distance import EUCLIDEAN, Distance
from embedlab.hub_push import repository_name
from embedlab.map_methods import ALL_MAPS, MAP_METHODS
from embedlab.measurement import Difference, ResultPart
from embedlab.numbers import counted
from embedlab.runs.drawn_map import UNTOUCHED

Side = Literal["before", "after"]
DOUBLE_COLUMN = 174.0  # mm


class WrittenFile(BaseModel):
    """What a job that writes one file says of it, besides other things: its name in the job's folder."""

    file: str


class OfRun(Request):
    """A request about one run."""

    run: str = Field(description="The run's id.")


class DrawMaps(OfRun):
    """Draw both maps of a run, aligned."""

    task: ClassVar[str] = "map"
    method: str = Field("tsne", description="The map method.")
    config: dict = Field(default_factory=dict, description="Settings of the method that are not its defaults.")
    dimensions: int | None = Field(None, ge=1, description="Only the first so many of each vector; empty keeps all.")
    onto: str | None = Field(
        None, description="Another run of the corpus: only this run's map after is drawn, from that run's map after."
    )


class DrawMapBefore(Request):
    """Draw the map of the untouched encoder while its run trains."""

    task: ClassVar[str] = "map_before"
    of: str = Field(description="The run's id; not ``run``, during whose training this uses one thread.")


class AlignMaps(Request):
    """Draw the maps after of several runs in the frame of the first."""

    task: ClassVar[str] = "gallery"
    runs: tuple[str, ...] = Field(description="Ids; the first is the frame.")
    method: str = Field("tsne", description="The map method.")


class DrawLab(OfRun):
    """Draw the four maps of an experiment of *Test your reading*."""

    task: ClassVar[str] = "lab"
    side: Side = Field(description="By which of its encoders.")
    experiment: str = Field(description="The experiment's key.")
    texts: int | None = Field(
        None, ge=2, description="At most this many texts; empty takes the experiments' own number."
    )


class MeasureMoves(OfRun):
    """Measure what moved between two encoders, and read their maps."""

    task: ClassVar[str] = "moves"
    against: str = Field(UNTOUCHED, description="The run's own encoder before, or another run's id.")
    again: bool = Field(False, description="Measure again what exists.")


class DrawFigure(Request):
    """The contents and size of a figure for a paper."""

    task: ClassVar[str] = "figure"
    run: str = Field(description="The run whose maps are drawn.")
    method: str = Field("tsne", description="The map method.")
    against: str = Field(
        UNTOUCHED, description="What is shown on the left: the run's own map before, or another run's id."
    )
    maps: Literal["both", "left", "right"] = Field("both", description="Both maps side by side, or one of them.")
    format: Literal["pdf", "svg", "png"] = Field("pdf", description="PDF and SVG keep type as text; PNG is an image.")
    width_mm: float = Field(DOUBLE_COLUMN, ge=30, le=500, description="Millimetres: 85 is one column, 174 two.")
    dpi: int = Field(300, ge=72, le=1200, description="Dots per inch of the points (and of a PNG).")
    names: Literal["map", "legend", "none"] = Field("map", description="Where class names are written.")
    left_title: str = Field("", max_length=300, description="Above the left map; what it is, where nothing is given.")
    right_title: str = Field("", max_length=300, description="Above the right map.")
    title: str = Field("", max_length=300, description="A line above the maps; none by default.")
    caption: bool = Field(True, description="Whether method, seed, texts and the measure are written below.")
    distance: Distance | None = Field(None, description="By which kNN accuracy in the corner is; by default cosine.")
    selection: str = Field("", description="A selection's id: its texts keep their colors, all others turn gray.")

    @field_validator("method")
    @classmethod
    def _is_known(cls, method: str) -> str:
        return method if method in ALL_MAPS else MAP_METHODS[method].key


@dataclass(frozen=True)
class DrawnFigure:
    """What a figure's job says of it."""

    out: str  # its file
    run: str
    method: str
    maps: str
    format: str
    texts: int
    width: int  # pixels
    height: int
    unseen: str  # characters that no font could draw
    bytes: int


class WriteNeighbors(OfRun):
    """Write the neighbors of a run's texts as Parquet."""

    task: ClassVar[str] = "neighbors_file"
    side: Side = Field(description="By which of its encoders.")
    distance: Distance = Field(EUCLIDEAN, description="By which texts are near.")


class WriteReplay(OfRun):
    """Write a run as one HTML file that replays it."""

    task: ClassVar[str] = "replay"
    with_texts: bool = Field(True, description="Whether the texts of the corpus are in it.")


class ExportEncoder(OfRun):
    """Write a run's encoder in another format, or its adapter alone, and compare its vectors."""

    task: ClassVar[str] = "export_encoder"
    format: Literal["fp16", "bf16", "onnx", "onnx-int8", "adapter"] = Field(description="What is written.")
    dimensions: int | None = Field(None, ge=1, description="Only the first so many of each vector; empty keeps all.")


@dataclass(frozen=True)
class Comparison:
    """How the vectors of an export differ from the run's, over some texts of the corpus.

    ``difference``: the largest of two numbers, of the dimensions that both have, as a share of the largest number.
    """

    texts: int  # that have a vector by both
    difference: float
    cosine_lowest: float | None = None  # None of vectors of different widths
    cosine_mean: float | None = None
    knn: Difference | None = None  # the change of kNN accuracy; None without labels

    def sentence(self, what: str) -> str:
        """For the card and the command line; ``what`` is exported."""
        if not self.texts:
            return f"{what} The corpus has no text by which it could be compared."
        if self.cosine_mean is not None:
            what += (
                f" Cosine to the vectors of the run's encoder over {counted(self.texts, 'text')} of the corpus: "
                f"{self.cosine_mean:.6f} on average, {self.cosine_lowest:.6f} at the lowest."
            )
        if self.knn is None:
            return f"{what} Without labels there is no kNN accuracy to compare."
        return f"{what} kNN accuracy (cosine) on {counted(self.knn.n, 'test text')} changes by {self.knn.points}."


class ExportedEncoder(ResultPart):
    """The result: the ZIP, how its encoder compares with the run's, and what was asked for; what was not is unset."""

    run: str
    out: str
    files: int
    bytes: int
    compared: Comparison
    sentence: str
    format: str | None = None
    dimensions: int | None = None
    adapter: str | None = None
    base: str | None = None  # of an adapter: its hub id, or the folder of the ZIP that holds it
    file: str = ""  # in the folder of the job, if one wrote it


class PushRun(OfRun):
    """Push a run's encoder with its model card to the hub."""

    task: ClassVar[str] = "push"
    to: str = Field(description="The repository to create: owner/name.")
    public: bool = Field(False, description="Whether everybody may read it; otherwise its owner alone.")

    @field_validator("to")
    @classmethod
    def _is_name(cls, to: str) -> str:
        return repository_name(to)


class PushedRun(ResultPart):
    """The result: what was pushed, with the bytes of each file, and where it is."""

    run: str
    to: str
    public: bool
    files: dict[str, int]
    url: str
    commit: str
