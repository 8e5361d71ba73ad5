/*
 * truth.h - what this process really did, counted where it is done: the
 * calls on files by class of file, the MPI calls by function, the steps.
 * Tests compare a trace with it. All functions may be called by any thread.
 */
#ifndef TRAINER_TRUTH_H
#define TRAINER_TRUTH_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Classes of files; the first three are the splits of the data set, in the order of enum split. */
#define FILE_CLASSES(X)                                                                            \
	X(TRAIN, "train")                                                                          \
	X(VALIDATE, "validate")                                                                    \
	X(TEST, "test")                                                                            \
	X(HEADER, "header")                                                                        \
	X(MAKE, "make")                                                                            \
	X(CHECKPOINT, "checkpoint")                                                                \
	X(WEIGHTS, "weights")

enum file_class {
#define X(id, name) FILE_##id,
	FILE_CLASSES(X)
#undef X
		FILE_CLASS_COUNT
};

#define MPI_FUNCTIONS(X)                                                                           \
	X(Init_thread)                                                                             \
	X(Finalize)                                                                                \
	X(Comm_rank)                                                                               \
	X(Comm_size)                                                                               \
	X(Comm_split)                                                                              \
	X(Comm_split_type)                                                                         \
	X(Comm_free)                                                                               \
	X(Bcast)                                                                                   \
	X(Allreduce)                                                                               \
	X(Reduce)                                                                                  \
	X(Iallreduce)                                                                              \
	X(Waitall)

enum mpi_function {
#define X(name) CALL_##name,
	MPI_FUNCTIONS(X)
#undef X
		MPI_FUNCTION_COUNT
};

/* Counts one MPI call that is handed `nbytes` of this rank's data. */
void truth_mpi(enum mpi_function function, size_t nbytes);

/* Counts one training step that processed `samples` on this rank. */
void truth_step(size_t samples);

/*
 * Counted system calls: each returns what the call returned, −1 with errno on
 * failure; the read and write loops continue after short counts and return the
 * bytes moved, less than asked only at the end of the file.
 */
int truth_open(enum file_class class, const char *path, int flags, mode_t mode);
int truth_close(enum file_class class, int fd);
ssize_t truth_read(enum file_class class, int fd, void *buffer, size_t nbytes);
ssize_t truth_pread(enum file_class class, int fd, void *buffer, size_t nbytes, off_t offset);
ssize_t truth_write(enum file_class class, int fd, const void *buffer, size_t nbytes);
int truth_fsync(enum file_class class, int fd);

/* Has `save` add its lines: GPU figures. */
void truth_also(void (*save)(FILE *out));

/*
 * Writes `path`, with ".<rank>" appended, one fact per line:
 *	mpi MPI_Allreduce calls 12 bytes 3456
 *	file train opens 4 closes 4 reads 512 writes 0 fsyncs 0 bytes_read 395264 bytes_written 0
 *	cuda kernel trainer_loss_fp32 launches 12	(and gemm, copy, memset, nccl, graph)
 *	steps 40 samples 1280
 * Returns 0, or -1 having reported why.
 */
int truth_save(const char *path, int rank);

#endif
