"""The views of lessons, in the order in which *Make a lesson* offers them."""

from embedlab.learn.views.bars import Bars
from embedlab.learn.views.four import Four
from embedlab.learn.views.lines import Lines
from embedlab.learn.views.pairs import Pairs
from embedlab.learn.views.pocket import PocketView
from embedlab.learn.views.replay import Replay
from embedlab.learn.views.vote import Vote
from embedlab.registry import Registry

VIEWS = Registry("view of a lesson", [PocketView, Vote, Pairs, Bars, Lines, Replay, Four])
