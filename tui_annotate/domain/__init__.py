"""Values of the program's domain and pure functions on them: texts, spans, annotations, events."""
