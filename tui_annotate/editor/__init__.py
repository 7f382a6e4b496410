"""The editor of one sample: the table of actions, unsaved work, and texts of the status line.

The modules need no screen: a key handler changes the state of the sample (the draft) and returns
effects, which a screen applies. `review` and `view` extend this for reviewers and for files.
"""
