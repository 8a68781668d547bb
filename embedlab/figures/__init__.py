"""Plotly figures from arrays and plain rows, and the palette; no Streamlit."""
