"""Those who are asked for an opinion: chat models behind endpoints, and the prompts they get."""
