/*
 * merge_model.h - what the stages of merge pass on: all processes of the run,
 * put in the order of the archive, with what belongs together across them.
 *
 *	merge_model_read     folders → processes, nodes, clocks
 *	merge_comms          communicators and windows matched across ranks
 *	merge_groups         members of process groups, who know themselves only
 *	merge_scan           first pass over the records: extents, messages counted
 *	merge_clocks         clocks of nodes fitted, then to each other (merge_sync)
 *	merge_model_order    who is rank 3, who its child; numbers of locations
 *	merge_files          files and handles numbered
 *	merge_write          second pass: events
 *	otf2_defs_write      definitions
 */
#ifndef ANALYZER_MERGE_MODEL_H
#define ANALYZER_MERGE_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "merge/clock/clock_solve.h"
#include "merge/merge.h"
#include "merge/clock/clock_ticks.h"
#include "spool/spool_in.h"

#define NONE UINT32_MAX

/*
 * What is known of one location after a pass; plain numbers, so that ranks of a parallel merge can
 * swap them.
 */
struct location_scan {
	uint64_t nrecords;
	uint64_t first, last; /* ticks; first > last: empty */
	uint64_t first_join;  /* start of its first MPI or marker call, UINT64_MAX none */
	uint64_t torn;
	uint32_t has_requests, has_init, has_collectives;
	uint32_t has_steps;
	uint32_t nstep_ends;
	uint32_t has_sums;     /* not all is in detail: merge_sums.h */
	uint32_t has_disorder; /* completes collectives in another order than they were posted */
	/* a bit per region, and one for thread ends */
	uint32_t used[(REGION_COUNT + 1) / 32 + 1];
};

struct location_result {
	uint64_t nevents;
	uint32_t inside; /* region of the outermost call it was in, 0 none */
	uint32_t reserved;
	uint64_t inside_since; /* time of the trace */
	uint64_t nunended;     /* steps that had not ended when the next one began */
	uint64_t end;	       /* time of its last event */
};

struct writer;

/* A launch that CUPTI reported by a record: a call of its thread, as a SPOOL_CUDA without depth. */
struct merge_launch {
	uint64_t rec[4];
	uint32_t thread; /* its gettid() */
};

struct location {
	struct spool_thread *thread; /* NULL: a rank that left no spool */
	struct process *process;
	bool is_main;
	struct location_scan scan;
	struct location_result result;
	struct writer *writer; /* while it is being written */
	/* of streams, that the thread is in during the first pass */
	uint32_t captures;
	/*
	 * the same: the last call that waited for one of several, from and to; 0: what it got is
	 * known
	 */
	uint64_t polled[2];
	/* that its spool does not have, from and up to: on the rank that handles the process only */
	const struct merge_launch *launches, *launches_behind;
};

/* How a process ended. */
enum process_end { PROCESS_FINISHED, PROCESS_KILLED, PROCESS_RUNNING };

/*
 * What ties clocks together: a process's part in the seq-th synchronising
 * collective of a communicator, or in the seq-th message of a channel. Ticks;
 * a sender has no `leave` (UINT64_MAX), a receiver no `enter` (0).
 */
struct sync_point {
	struct sync_event_key key;
	uint64_t enter, leave;
};

struct process {
	struct spool_process *spool; /* NULL: a rank that left no spool */
	uint32_t node;
	uint32_t world; /* which of the run's MPI jobs (0: the one whose ranks are the run's) */
	bool in_world;	/* it has MPI_COMM_WORLD */
	/* of another world than 0, or a descendant of such a process: no rank of the run */
	bool aside;
	int32_t rank;
	uint32_t mpi_number; /* among all of the run's MPI ranks, NONE: it is none */
	/* how often its rank had been started by then, or its job, from 1; 0: once, or not known */
	int attempt;
	bool is_other_attempt; /* than the one that the run's ranks are of */
	bool child;
	uint32_t parent; /* process number, NONE */
	char name[64];
	enum process_end end;
	int64_t start_ns, join_ns; /* since the epoch */
	int64_t lived_ns;	   /* as far as it is recorded */
	int64_t chain_ns;	   /* with the programs that it was before exec */
	uint64_t cut_ticks;   /* its last sign of life: its main thread and open calls end then */
	uint64_t begin_ticks; /* its main thread begins then, if that has no event before */
	struct location *locations;
	uint32_t nlocations;
	uint64_t first_location; /* its number in the archive */
	/* pairs found among the records; dense from 0 */
	SPOOL_TABLE(struct spool_def_clock) clocks;
	uint32_t nclocks_room;
	SPOOL_TABLE(struct sync_point) syncs; /* in runs of several nodes; dense from 0 */
	uint32_t nsyncs_room, sync_stride;
	struct socket_scan *sockets; /* in the first pass */
	struct stream_scan *streams; /* NULL: it has moved nothing through sockets */
	uint32_t *sync_seq;	     /* [communicator] = collectives met in the first pass */
	uint32_t *coll_seq;	     /* … and in the second, where they are numbered */
	uint32_t *mark_of;	     /* [name id * 4 + kind] = number of the mark */
	bool has_unmatched;
	struct gpu *gpu; /* NULL: it left no spool at all */
	/* NULL: no call of NCCL, or another rank of the merge handles it */
	struct nccl *nccl;
	int par; /* rank of the parallel merge that handles it */
};

struct merge_node {
	const char *hostname, *boot_id;
	struct clock clock;
	/* against node 0; -1: nothing ties them together, or there is one node */
	int64_t clock_residual_ns;
};

/* Whether this machine, in its present boot, is the node. */
bool node_is_here(const struct merge_node *node);

struct merge_channels;
struct gpu;
struct kernel_names;
struct nccl;
struct nccl_merged_comm;
struct unmatched;
struct metrics;

/* A communicator of the archive. */
struct merge_comm {
	uint32_t kind, world;
	uint32_t size, nremote;
	/* size + nremote numbers among all of the run's MPI ranks; NONE: of another world */
	uint32_t *ranks;
	uint32_t parent; /* NONE */
	uint32_t creation;
	bool to_parent; /* inter-communicator to those that spawned the world */
	const char *name;
};

/* One MPI job of the run: an mpirun, or what one MPI_Comm_spawn started. */
struct world {
	uint32_t size;
	uint32_t first; /* number of its rank 0 among all of the run's MPI ranks */
	bool spawned;
	uint32_t spawner;	/* number of the rank that spawned it, NONE: not known */
	uint32_t there, failed; /* processes; those of them that did not end well */
	uint64_t lived;		/* ticks, of the one that lived shortest */
	int attempt;		/* its processes'; of runs of several jobs its number */
	bool is_job;		/* … which is that */
};

/* Takes a SPOOL_CLOCK among the pairs of a process. 0, or -1 without memory (reported). */
int process_clock_add(struct process *p, const uint64_t *rec);

struct window {
	uint32_t comm, nth; /* the nth on that communicator */
};

struct merge_file {
	const char *path;
	uint32_t node, kind;
	uint64_t peer;	    /* of a socket: inode of its other end; 0: not known */
	const char *socket; /* text of DEF_SOCKET, NULL: not known */
	uint32_t other;	    /* the file that is its other end, NONE: not known */
};

/* One archive-wide marker region: kind and name. */
struct merge_mark {
	uint32_t kind;
	const char *name;
	uint32_t ref; /* its region in the archive; NONE: it does not occur */
};

struct merge {
	const char *run;
	const struct merge_options *options;
	uint64_t
		summed; /* bytes of records that were summed at once (merge_whole.h), 0: none were */
	bool is_part;	/* a run in progress, of which spools are on the disks of other nodes */
	struct process *processes;
	/* not only main threads call them, or some end out of order: their order is reported */
	bool numbers_collectives;
	uint32_t nprocesses;
	struct merge_node *nodes;
	uint32_t nnodes;
	struct world *worlds;
	uint32_t nworlds;
	uint32_t njobs;	       /* MPI jobs that a script started, numbered as attempts; 0: one */
	uint32_t *mpi_process; /* [number of an MPI rank] = process number */
	uint32_t nmpi;
	uint32_t *group_ranks; /* members of process groups, one after the other */
	struct merge_comm *comms;
	uint32_t ncomms;
	struct window *windows;
	uint32_t nwindows;
	struct merge_file *files;
	uint32_t nfiles;
	struct merge_mark *marks;
	uint32_t nmarks;
	char *mark_used; /* [mark], found by the scan */
	uint64_t nlocations;
	uint32_t nlost_processes, nmissing_ranks;
	uint32_t silent_crowd; /* process for all ranks beyond those with one each, 0: none */
	uint64_t nunmatched, nlost;
	int64_t start_ns, end_ns; /* epoch: time 0 and the last event */
	uint32_t *region_ref;	  /* [region] = its number in the archive */
	uint32_t nregions;
	struct merge_channels *channels;
	struct unmatched *unmatched;
	struct metrics *metrics;
	struct kernel_names *kernels;
	struct nccl_merged_comm *nccl_comms; /* numbered after `comms` */
	uint32_t nnccl_comms;
	bool has_activities; /* of devices */
};

/*
 * The stages up to the order of the archive, for who wants to know the run and writes nothing. 0,
 * or
 * -1 (reported).
 */
int merge_look(struct merge *m, const char *spool, int jobs);

/* The same for the spools of a run's folder; what `visit` returns of it, or -1 (reported). */
int merge_visit(const char *run, int jobs, int (*visit)(const struct merge *m));

/* Reads all folders; -1 when nothing can be merged (reported). */
int merge_model_read(struct merge *m, const char *spool_dir);
int merge_comms(struct merge *m);

/* Fills in the members of process groups (merge_groups.c). 0, or -1 (reported). */
int merge_groups(struct merge *m);

/* For qsort: which of two processes began first, else by their folders. */
int process_compare_starts(const void *a, const void *b);

/* The processes' attempts, after their worlds (merge_attempts.c). 0, or -1 without memory. */
int merge_attempts(struct merge *m);

/* Of ranks without worlds: which attempt is the run's. False: the one asked for is not there. */
bool attempt_choose(struct merge *m);

/* The processes' worlds and ranks (merge_worlds.c). 0, or -1 without memory. */
int merge_worlds(struct merge *m);

/* Processes of other worlds than 0 get the rank that they are children of. */
void worlds_rank(struct merge *m);
int merge_files(struct merge *m);
int merge_sockets(struct merge *m);
int merge_marks(struct merge *m);
int merge_clocks(struct merge *m);
int merge_scan(struct merge *m, int jobs);
/*
 * Finds ranks where they are not recorded, before the order is made. 0, or -1 without memory.
 */
int merge_ranks(struct merge *m);
int merge_model_order(struct merge *m);

/*
 * Adds `n` ranks that left no spool, after all others, with the least numbers that nobody has, and
 * says so. 0, or -1 without memory (reported).
 */
int merge_silent_ranks(struct merge *m, uint32_t n);

/*
 * The same for ranks that are too many for a location each: one process, which is returned, stands
 * for `n` of them. NONE without memory (reported).
 */
uint32_t merge_silent_crowd(struct merge *m, uint32_t n);
void merge_model_free(struct merge *m);

/* Whether the location is no thread but a sampler of counters. */
static inline bool location_is_sampler(const struct location *l)
{
	return l->thread && l->thread->head.kind == SPOOL_KIND_SAMPLER;
}

/*
 * The status with which a process that counts as killed left by itself: a rank that exits before
 * MPI_Finalize. -1: something else ended it.
 */
static inline int process_exit_status(const struct process *p)
{
	return p->end == PROCESS_KILLED && p->spool && p->spool->ended ? p->spool->end.status & 0xff
								       : -1;
}

/* "killed", or how else a process that did not come to its end ended; in `text`. */
static inline const char *process_end_text(const struct process *p, char *text, size_t size)
{
	int status = process_exit_status(p);

	if (status < 0)
		return "killed";
	snprintf(text, size, "exited with status %d before MPI_Finalize", status);
	return text;
}

/* A process's tick as time of the trace; before the start is 0. */
static inline uint64_t process_time(const struct merge *m, const struct process *p, uint64_t ticks,
	int *hint)
{
	int64_t ns = clock_ns(&m->nodes[p->node].clock, ticks, hint) - m->start_ns;

	return ns > 0 ? ns : 0;
}

/* The mark of a name in a process, NONE when it was never defined. */
static inline uint32_t process_mark(const struct process *p, uint32_t name, uint32_t kind)
{
	return name < p->spool->names.n && p->mark_of ? p->mark_of[4 * name + kind] : NONE;
}

/* The archive's communicator for a process's id, NONE when it was never defined. */
static inline uint32_t process_comm(const struct process *p, uint32_t id)
{
	return id && id < p->spool->comms.n && p->spool->comms.at[id].ranks
		? p->spool->comms.at[id].global
		: NONE;
}

/* The location that represents a process in communicators. */
static inline uint64_t main_location(const struct process *p)
{
	for (uint32_t k = 0; k < p->nlocations; k++)
		if (p->locations[k].is_main)
			return p->first_location + k;
	return p->first_location;
}

#endif
