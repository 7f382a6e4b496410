"""Chat models behind HTTP endpoints: client, prompt templates and strict parsing of replies."""
