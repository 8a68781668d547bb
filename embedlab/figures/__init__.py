"""Plotly figures from arrays and plain rows; no Streamlit."""
