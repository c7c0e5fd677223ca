package known
