"""One reader a format: the bytes of a file become rows under column names."""
