"""What make-corpus writes: seeds of the fuzz targets that need more than an example or a vector."""
