"""Built-in embedders: static word vectors, local neural models, remote endpoints."""
