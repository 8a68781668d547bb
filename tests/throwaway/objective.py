"""Throw-away: SigLIP's sigmoid loss, every pair of texts a yes-or-no question of its own."""

from embedlab.config import NoSettings
from embedlab.later import F, torch
from embedlab.objectives.base import Objective
from embedlab.objectives.infonce import cosine_matrix


class Sigmoid(Objective):
    """Each pair of views is judged alone: of one text or not."""

    key = "sigmoid"
    title = "Sigmoid loss"
    sentence = "Is this the other view of this text? Every pair in the batch is asked by itself."
    formula = r"-\log \sigma(\pm(t \cos(z_i, z_j^+) + b))"
    paper = "SigLIP"
    cites = ("oord2018cpc",)
    config_class = NoSettings

    def forward(self, encoder, views):
        """The mean over the batch's pairs."""
        anchors, positives = (encoder(tokens).float() for tokens in views)
        signs = 2 * torch.eye(len(anchors), device=anchors.device) - 1
        return {"loss": -F.logsigmoid(signs * (10 * cosine_matrix(anchors=anchors, positives=positives) - 5)).mean()}
