"""The same in two layers of 128, small enough to train in a browser; its card is README.md."""
