"""The draft of the viewer: no key changes anything in it that is stored."""
