"""Read VINs, quotes, logos, photos and signatures from untrusted files, in sandboxed child processes.

    reader.py           the VIN reader: one image at a time, within a deadline
    documents.py        the document reader, likewise
    logo.py             the logo reader, likewise
    pictures.py         the reader for photos and signatures of jobs, likewise
    one_shot.py         a process for a single logo or picture
    concurrency.py      how many files the machine reads at once
    child.py            a child process, as seen by its parent
    files.py            file descriptors to hand to it
    messages.py         the messages between the two
    program.py          the process that reads VINs
    document_program.py the process that reads a document
    logo_program.py     the process that reads a logo
    picture_program.py  the process that reads a photo or signature
    one_shot_program.py what these two share
    process_limits.py   the resource limits of the first two
    validation.py       validating and decoding images
    looks.py            the passes over an image, cheap ones first
    codes.py            bar codes
    print.py            printed text
    rows.py             the rows of printed text
    pdf.py              PDFs

Only the programs and the modules below them import Pillow and the other libraries; the parent never does.
"""
