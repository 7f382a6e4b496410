"""LLM judges: chat models that sort texts, answer questions, score answers, suggest spans."""
