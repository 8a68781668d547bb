"""Options that several commands share: an encoder or a run, settings, where and how long a job works, a distance."""

from typing import Annotated

from embedlab.cli.arguments import Option, options
from embedlab.distance import Distance

VECTORS = "FILE.npy|.npz|.parquet"
RunId = Annotated[str, Option(metavar="ID")]
Sets = Annotated[tuple[str, ...], Option(metavar="SETTING=VALUE", flag="--set")]
Executor = Annotated[str | None, Option("local, ray or slurm; see executors", "EXECUTOR")]
CorpusOrItsRun = Annotated[str | None, Option("required without --run")]
Column = Annotated[str | None, Option("the list column, stem of numbered columns or array that holds the embeddings")]
PrintedBy = Annotated[
    Distance, Option("the distance of kNN accuracy that is printed and drawn (default: cosine); --json has both")
]


@options(only_one=True, required=True)
class RunOrEncoder:
    """What embeds texts."""

    run: RunId | None = None
    encoder: str | None = None


@options(only_one=True)
class Following:
    """Whether a study is followed to its end."""

    wait: Annotated[bool, Option("wait for its end (default)")] = False
    detach: Annotated[bool, Option("return at once; it keeps running")] = False


@options()
class FanningOut:
    """With whom a study's runs are started, and how many at once."""

    on: Executor = None
    at_once: Annotated[
        int | None,
        Option(
            "at most this many runs at once (default: as many as the executor has room for; one on this computer)", "N"
        ),
    ] = None


@options()
class OwnVectors:
    """What in a file of vectors is which."""

    column: Column = None
    vector_ids: Annotated[
        str | None,
        Option(
            "join the vectors with the corpus by this column of their file, by row numbers or by the order (default: "
            "a column of ids that both have, else by row)",
            "COLUMN|row|order",
        ),
    ] = None


StepSettings = Annotated[tuple[str, ...], Option("such as post.flow.epochs=5", "SETTING=VALUE", flag="--set")]


@options()
class Post:
    """The one step that makes other vectors of the finished ones, and its settings."""

    post: Annotated[str, Option("apply this step to the finished vectors", "none|centre|whiten|flow")] = "none"
    sets: StepSettings = ()


@options()
class PostSteps:
    """Steps that each make other vectors of the finished ones, and their settings."""

    post: Annotated[str, Option("also measure after each of these steps", "none|centre,whiten,flow")] = "none"
    sets: StepSettings = ()
