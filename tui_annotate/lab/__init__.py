"""Research tools: LLM judges, scores, position studies and probes.

The tools use the layers below; of the other packages, only the plug-in registry imports them.
"""
