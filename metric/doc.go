// Package metric counts what happens in a process and writes it in Prometheus'
// text format, version 0.0.4. It is written by hand because the usual libraries
// would make the binary 0.7 to 2.8 MB larger.
//
// Instruments (Counter, Histogram, Vec) belong to whoever uses them and cost an
// atomic addition; nothing is registered. At a scrape, everybody is handed a Page
// and puts on it what there is.
//
// What may come in: the standard library only. Everybody may import it.
package metric
