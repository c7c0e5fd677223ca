module github.com/holdfast/holdfast

go 1.26
