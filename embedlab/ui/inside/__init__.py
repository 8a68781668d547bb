"""What training changed inside an encoder: layers, length, diagnostics."""
