"""The views of lessons by the name of their fence; scripts in ``browser/`` draw each under the same name."""

from embedlab.learn.views.base import View
from embedlab.learn.views.charts import Bars, Lines
from embedlab.learn.views.pocket import Pairs, Training, Vote
from embedlab.learn.views.run_maps import Four, Replay

VIEWS: dict[str, type[View]] = {
    "pocket": Training, "vote": Vote, "pairs": Pairs, "bars": Bars, "lines": Lines, "replay": Replay, "four": Four
}  # fmt: skip
