"""The annotating screen, floor on floor: each class is the one under it and does one thing more.

    screen      `AnnotateScreen`: its actions, and the mouse
    keys        every key, in the order of pressing
    team        news, talks with reviewers, figures
    elsewhere   better evidence in other documents of a report
    items       reports, documents and citations of a collection
    contexts    documents that an answer was retrieved from
    asking      dialogs, the note line, the queue
    readings    practice, and the second reading
    suggesting  what machines propose, and its answers
    doing       what is sent to the store, and what comes back
    again       saves that are done again under changed labels
    samples     from sample to sample
    finding     words that are typed, found in a text
    contrast    what both texts share, and where they differ
    panes       cursors and matches
    heights     how both texts share the rows
    drawing     the widgets, and how a draft is shown on them

The screen of review stands on the whole, that of a file on `finding`. The other modules are pure.
"""
