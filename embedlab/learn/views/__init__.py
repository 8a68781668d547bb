"""The views of lessons by the name of their fence; ``browser/`` draws each under the same name."""

from embedlab.learn.views.bars import Bars
from embedlab.learn.views.base import View
from embedlab.learn.views.four import Four
from embedlab.learn.views.lines import Lines
from embedlab.learn.views.pocket import Pairs, Training, Vote
from embedlab.learn.views.replay import Replay

VIEWS: dict[str, type[View]] = {
    "pocket": Training, "vote": Vote, "pairs": Pairs, "bars": Bars, "lines": Lines, "replay": Replay, "four": Four
}  # fmt: skip
