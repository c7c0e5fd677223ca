package util // want package name util says nothing
