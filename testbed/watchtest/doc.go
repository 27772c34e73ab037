// Package watchtest runs the engine's watches against a real API server through a
// faulty proxy. After each fault the engine must know exactly what the API server
// has, with what changed meanwhile, and must not have taken anything for gone that
// was there.
package watchtest
