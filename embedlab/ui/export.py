"""What pages give away as files: tables as CSV and Parquet."""

from embedlab.runs.text_files import csv_bytes, parquet_bytes, texts_table

__all__ = ["csv_bytes", "parquet_bytes", "texts_table"]
