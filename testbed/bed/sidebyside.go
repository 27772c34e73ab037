package bed

import "flag"

// SideBySide has so many tests of a package run at once, unless the command line
// says how many. It is called before the tests run.
func SideBySide(n string) error {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if chosen {
		return nil
	}
	return flag.Set("test.parallel", n)
}
