"""LLM judges: chat models that rank texts, answer questions, score answers, suggest spans."""
