// Package report shows what was measured: as a table of values and ratios in the
// terminal, as docs/benchmarks.md (between markers, so that what people wrote
// around them stays), and as a picture of memory over the number of objects.
//
// What may come in: the standard library, the benchmark's own result package.
package report
