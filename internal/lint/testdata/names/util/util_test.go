package util_test // want package name util says nothing
