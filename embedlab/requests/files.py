"""Requests for files to take along: a run's neighbors, and the whole run as one HTML file."""

from typing import ClassVar

from pydantic import Field

from embedlab.distance import EUCLIDEAN, Distance
from embedlab.requests.base import Request
from embedlab.requests.drawing import Side


class WriteNeighbors(Request):
    """Write the neighbors of a run's texts as Parquet."""

    task: ClassVar[str] = "neighbors_file"
    run: str = Field(description="The run's id.")
    side: Side = Field(description="By which of its encoders.")
    distance: Distance = Field(EUCLIDEAN, description="By which texts are near.")


class WriteReplay(Request):
    """Write a run as one HTML file that replays it."""

    task: ClassVar[str] = "replay"
    run: str = Field(description="The run's id.")
    with_texts: bool = Field(True, description="Whether the texts of the corpus are in it.")
