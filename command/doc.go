// Package command is what people type: the table of Mote's commands, their flags, help
// and exit codes, and those commands that look, judge or print. They change nothing in
// a cluster or a cloud. The work of `mote run` is not here; it is handed in, and gets
// its options, which the other commands borrow from.
//
// What may come in: every other room but simulation and cloud/standin. What a command
// says, and how it finds that out, lives there (check, forecast, look, overview, k3s);
// here it is fetched, printed, and made an exit code.
package command
