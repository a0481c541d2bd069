"""Read VINs and quotes from untrusted images and PDFs, in sandboxed child processes.

    reader.py           the VIN reader: one image at a time, within a deadline
    documents.py        the document reader, likewise
    concurrency.py      how many files the machine reads at once
    child.py            a child process, as seen by its parent
    files.py            file descriptors to hand to it
    messages.py         the messages between the two
    program.py          the process that reads VINs
    document_program.py the process that reads a document
    process_limits.py   the resource limits of both
    validation.py       validating and decoding images
    looks.py            the passes over an image, cheap ones first
    codes.py            bar codes
    print.py            printed text
    rows.py             the rows of printed text
    pdf.py              PDFs

Only the programs and the modules below them import Pillow and the other libraries; the parent never does.
"""
