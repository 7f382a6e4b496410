"""What is annotated: datasets with their samples, documents and sentences."""
