"""One run: at work, its result, its scores, what changed inside the encoder, and what can be exported."""
