"""Given pairs: read from files, and kept to train on."""
