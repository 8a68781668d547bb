"""What is taken along from Maps: figures, files, the replay."""
