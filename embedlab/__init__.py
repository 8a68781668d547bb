"""embedlab: fine-tune sentence encoders without labels and see what changes."""
