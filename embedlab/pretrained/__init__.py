"""Encoders that come with the package: the weights, and beside each a card that says what it was trained on."""
