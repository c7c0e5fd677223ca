package unknown // want-dir ARCHITECTURE.md does not name this directory
