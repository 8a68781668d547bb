"""One run: at work, its result, its scores, what training changed inside the encoder, and what can be exported."""
