"""Research tools: LLM judges, machine scores, position studies and trained classifiers.

The tools use the layers below; of the other packages, only the plug-in registry imports them.
"""
