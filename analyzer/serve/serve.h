/*
 * serve.h - the page of a run in a browser on the same machine (`tacho view`). Of a run that goes on it is
 * made again and again from snapshots in a temporary folder; the run is only read.
 */
#ifndef ANALYZER_SERVE_H
#define ANALYZER_SERVE_H

#include <signal.h>
#include <stdint.h>

struct serve_options {
	int port;	  /* of 127.0.0.1, 0: any */
	int64_t interval; /* ns, at least, from one page of a run that goes on to the next */
};

/* Serves until `stopped`; prints the address when it can be opened. 0, or -1 (reported). */
int serve_run(const char *run, const struct serve_options *options,
	const volatile sig_atomic_t *stopped);

#endif
