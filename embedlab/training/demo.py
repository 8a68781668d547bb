"""What the demo trains; a file of its own, because who only starts it must not load torch."""

DEMO = {"encoder": "token", "recipe": "sentences", "epochs": 6}
