"""The texts to annotate: datasets with their samples, documents and sentences."""
