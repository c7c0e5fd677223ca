package holdfast

func inTest(m map[int]int) {
	for range m {
	}
}
