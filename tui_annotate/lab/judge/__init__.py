"""LLM judges: chat models that sort contexts, answer questions, score answers, suggest spans."""
