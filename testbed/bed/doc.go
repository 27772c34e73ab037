// Package bed starts and stops the real things as processes: the control plane,
// the cloud's stand-in, and mote; and runs kubectl. Tests and the demo use it.
// No process outlives its parent: ours end with their standard input, mote is
// sent a signal by the kernel.
//
// What may come in: the standard library, client-go for a client, the stand-in's
// control client.
package bed
