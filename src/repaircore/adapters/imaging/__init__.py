"""Reading VINs in images that strangers send, in a process that may come to harm.

    reader.py     the port: one image at a time, within a deadline
    gate.py       how many images the machine looks at
    child.py      the process, as its parent sees it
    wire.py       what the two say to each other
    program.py    the process itself, and its limits
    opening.py    which images are fit to be looked at
    looks.py      the passes over an image, cheap ones first
    codes.py      bar codes
    print.py      printed text

Only ``program`` and what stands below it know Pillow and the rest; the parent never imports them.
"""
