"""Research tools: judges, machine scores, position studies, classifiers, studies of the assist.

The tools use the layers below; of the other packages, only the plug-in registry imports them.
"""
