"""A run as one HTML file that replays it offline: verdict, curves, film and maps, with or without texts."""

from embedlab.runs.replay.content import replay_content
from embedlab.runs.replay.page import replay_page
from embedlab.runs.replay.texts import TEXTS, texts_in_replay

__all__ = ["TEXTS", "replay_content", "replay_page", "texts_in_replay"]
