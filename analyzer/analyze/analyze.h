/*
 * analyze.h - from an OTF2 archive to the database: `tacho analyze`, also called by `tacho record`.
 */
#ifndef ANALYZER_ANALYZE_H
#define ANALYZER_ANALYZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analyze_options {
	/* NULL: RUN/tacho.db, or ARCHIVE.db next to a bare archive */
	const char *database;
	const char *label; /* NULL: the archive's, else the folder's name */
	/*
	 * Floating-point operations of a sample, of a step of all ranks together, and the peak per
	 * second of a GPU (of a rank without GPUs), as OPTION_FLOPS reads them; NULL: the archive's.
	 */
	const char *flops_per_sample, *flops_per_step, *peak_flops;
	const char *target; /* of the training: NAME=VALUE; NULL: as the archive has it */
	const char *roofs;  /* text of tacho doctor (roofs.h); NULL: none */
	/* gaps of a device up to this are launch latency; 0: 10 µs */
	int64_t launch_latency_ns;
	/*
	 * The network of the ideal run time keeps these shares of the time of transfers:
	 * network_latency for up to network_eager bytes, network_transfer for more; 0: an ideal
	 * network. Faster processors save the share processor_gain of computing.
	 */
	double network_latency, network_transfer, processor_gain;
	uint64_t network_eager;
	/* processes that read; 0: one per core, if there is enough to do */
	int jobs;
	/*
	 * profiles, GPU activity states and idle causes: no replay, no collectives one by one, no
	 * steps
	 */
	bool summary;
};

/*
 * Analyses a run's folder or the anchor file of any OTF2 archive, and writes
 * the database. `options` may be NULL. 0; 1 where the database lacks what could not be read of a
 * damaged archive; or -1 (reported).
 */
int analyze_run(const char *run, const struct analyze_options *options);

/* Whether that is a trace of torch.profiler, or a folder of such. */
bool analyze_is_traces(const char *path);

/*
 * Analyzes traces of torch.profiler, files and folders, of one job. The database is NAME.db next to
 * NAME.json for a single file, else tacho.db in the folder of the first. Returns as analyze_run().
 */
int analyze_traces(char *const *given, size_t n, const struct analyze_options *options);

/*
 * What `work` returns for the archive of such traces, which is in a folder for temporary files meanwhile; -1: they
 * cannot be read (reported).
 */
int analyze_traces_archive(char *const *given, size_t n,
	int (*work)(const char *anchor, void *user), void *user);

#endif
