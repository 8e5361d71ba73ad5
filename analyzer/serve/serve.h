/*
 * serve.h - the page of a run in a browser on the same machine (`tacho view`). For a live run it is
 * updated from snapshots in a temporary folder; the run itself is only read.
 */
#ifndef ANALYZER_SERVE_H
#define ANALYZER_SERVE_H

#include <signal.h>
#include <stdint.h>

struct serve_options {
	int port;	  /* of 127.0.0.1, 0: any */
	int64_t interval; /* ns, minimum between two pages of a live run */
};

/* Serves until `stopped`; prints the address when it can be opened. 0, or -1 (reported). */
int serve_run(const char *run, const struct serve_options *options,
	const volatile sig_atomic_t *stopped);

#endif
