/*
 * regions.h - every call that libtacho can record, as one enumeration made of the *_calls.def
 * tables, so that collector and analyzer cannot disagree. A line of those tables begins with
 * CALL(name, role, …: role is the suffix of OTF2_REGION_ROLE_…; only the collector reads the
 * columns after it.
 */
#ifndef TACHO_REGIONS_H
#define TACHO_REGIONS_H

enum region {
	REGION_NONE,
#define CALL(name, ...) REGION_##name,
	REGION_MPI_FIRST_,
	REGION_MPI_BEFORE = REGION_MPI_FIRST_ - 1,
#include "mpi_calls.def"
	REGION_IO_FIRST_,
	REGION_IO_BEFORE = REGION_IO_FIRST_ - 1,
#include "io_calls.def"
	REGION_WAIT_FIRST_,
	REGION_WAIT_BEFORE = REGION_WAIT_FIRST_ - 1,
#include "wait_calls.def"
	REGION_CUDA_FIRST_,
	REGION_CUDA_BEFORE = REGION_CUDA_FIRST_ - 1,
#include "cuda_calls.def"
	REGION_NCCL_FIRST_,
	REGION_NCCL_BEFORE = REGION_NCCL_FIRST_ - 1,
#include "nccl_calls.def"
	REGION_TORCH_FIRST_,
	REGION_TORCH_BEFORE = REGION_TORCH_FIRST_ - 1,
#include "torch_calls.def"
#undef CALL
	REGION_COUNT
};

/*
 * A system call of a process that tacho is attached to, seen without a function of the tables: a
 * wait for a lock, a condition or a semaphore.
 */
#define REGION_SEEN_FUTEX ((unsigned)REGION_COUNT)

enum region_class {
	REGION_CLASS_NONE,
	REGION_CLASS_MPI,
	REGION_CLASS_IO,
	REGION_CLASS_WAIT,
	REGION_CLASS_CUDA,
	REGION_CLASS_NCCL,
	REGION_CLASS_TORCH,
};

/* Which table a region is in. */
static inline enum region_class region_class(unsigned region)
{
	if (region == REGION_NONE || region >= REGION_COUNT)
		return REGION_CLASS_NONE;
	if (region < REGION_IO_FIRST_)
		return REGION_CLASS_MPI;
	if (region < REGION_WAIT_FIRST_)
		return REGION_CLASS_IO;
	if (region < REGION_CUDA_FIRST_)
		return REGION_CLASS_WAIT;
	if (region < REGION_NCCL_FIRST_)
		return REGION_CLASS_CUDA;
	return region < REGION_TORCH_FIRST_ ? REGION_CLASS_NCCL : REGION_CLASS_TORCH;
}

/*
 * Whether an interpreter releases its lock for the call and takes it back: a SPOOL_FOLD before the
 * call may include wakes after it that woke no thread.
 */
static inline int region_is_passed(unsigned region)
{
	enum region_class class = region_class(region);

	return class == REGION_CLASS_IO || class == REGION_CLASS_CUDA ||
		region == REGION_nanosleep || region == REGION_clock_nanosleep;
}

/*
 * Whether a call makes its process part of the job wherever it comes from; REGION_NONE is a marker.
 */
static inline int region_joins(unsigned region)
{
	enum region_class class = region_class(region);

	return class != REGION_CLASS_IO && class != REGION_CLASS_WAIT;
}

#endif
