package stray // want-dir the import policy does not name this directory
