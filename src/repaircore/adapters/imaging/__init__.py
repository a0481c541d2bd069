"""Read VINs in untrusted images, in a sandboxed child process.

    reader.py     the port: one image at a time, within a deadline
    concurrency.py how many images the machine reads at once
    child.py      the process, as seen by its parent
    messages.py   the messages between the two
    program.py    the process itself, and its limits
    validation.py validating and decoding images
    looks.py      the passes over an image, cheap ones first
    codes.py      bar codes
    print.py      printed text

Only ``program`` and the modules below it import Pillow and the other libraries; the parent never does.
"""
