/*
 * par.h - the processes and threads that share one command's work. Alone there
 * is one process (rank 0 of 1); under mpirun they talk through shared memory on
 * one machine (par_local.c), and on several by tacho-mpi.so, which is loaded
 * only then, so that tacho itself does not need an MPI.
 */
#ifndef ANALYZER_PAR_H
#define ANALYZER_PAR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Joins the other processes when a launcher started more than one. 0, or -1
 * when there are others but no way to talk to them (reported).
 */
int par_start(void);
void par_end(void);

/* The same by calls that are ready, of processes each of which has its machine for itself (par_files.h). */
struct par_mpi;
int par_join(const struct par_mpi *calls);

int par_rank(void);
int par_size(void);
void par_barrier(void);

/*
 * Everybody's `size` bytes (they may differ) one after the other in *all
 * (malloc'ed), on every rank; their sizes in *sizes (malloc'ed). 0, or -1
 * without memory (reported).
 */
int par_allgather(const void *data, size_t size, char **all, size_t **sizes);

/*
 * The same in rank 0 alone, which has *total bytes then; *all is NULL elsewhere. While no messages
 * (par_send()) are on their way.
 */
int par_collect(const void *data, size_t size, char **all, size_t *total);

/*
 * MPI's all-reduce: the sums of n values over all processes, n <= 2^30. -1: there is one process,
 * or all run on one machine without MPI.
 */
int par_allreduce(double *values, size_t n);

/* An all-to-all of MPI's: `each` bytes for every rank of all, each <= 2^30. -1 as for par_allreduce(). */
int par_alltoall(const void *mine, void *all, size_t each);

/* True on every rank when any of them failed. */
int par_any_failed(int failed);

/*
 * Called if memory for messages between the processes runs out; par_lost() reports it. This process
 * then sends and awaits nothing more, and par_any_failed() is true, so that its command fails. The
 * launcher ends the others when one has failed.
 */
void par_lost(void);
bool par_is_lost(void);

/*
 * Messages between two processes, in order. Sending copies and does not wait; par_probe() returns
 * the sender and the length of the next message.
 */
void par_send(int to, const void *data, size_t size);
int par_probe(int *from, size_t *size);
void par_receive(int from, void *data, size_t size);

/*
 * Number of threads to use for `jobs` as given by the user (0: what this process may use of the
 * machine).
 */
int par_jobs(int jobs);

/*
 * Calls work(context, i) for 0 <= i < n from up to `jobs` threads. 0, or -1
 * when any call returned a negative number (the others still ran or were skipped).
 */
int par_for(int jobs, size_t n, int (*work)(void *context, size_t i), void *context);

/*
 * True if mpirun has started all processes on this machine; sets this process's rank and their
 * number.
 */
bool par_is_local(int *rank, int *size);

/* What tacho-mpi.so exports as `tacho_par_mpi`. Where int is returned -1 means: without memory. */
struct par_mpi {
	int (*start)(int *rank, int *size);
	void (*end)(void);
	int (*barrier)(void);
	int (*sizes)(size_t mine, size_t *all);
	int (*gather)(const void *mine, const size_t *sizes, char *all);
	int (*max)(int mine);			    /* maximum of non-negative numbers */
	int (*allreduce)(double *values, size_t n); /* their sums; NULL: there is none */
	int (*alltoall)(const void *mine, void *all, size_t each); /* NULL: there is none */
	int (*send)(int to, const void *data, size_t size);
	int (*probe)(int *from, size_t *size);
	void (*receive)(int from, void *data, size_t size);
};

/* The same without MPI, for processes of one machine (par_local.c). */
extern const struct par_mpi par_local;

#endif
