"""The outside world, by name: formats and embedders, with what they are made of.

    registry      finds plug-ins, built-in ones and those of other packages
    protocols     what a plug-in promises, and what it is given
    formats       what is read and written
    embedders     what makes vectors
    files         bytes, text and values in and out
    sync          work on its way between workspaces
    account_files accounts in files
    model_hub     models in folders

The other modules are for those who write a format; `docs/formats.md` shows how.
"""
