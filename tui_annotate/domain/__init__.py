"""Domain values and pure functions: texts, spans, samples, annotations, events, labels, errors."""
