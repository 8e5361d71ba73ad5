/*
 * torch.h - PyTorch's process groups, their operations and what they carry, seen from outside of
 * libtorch: C++ called with C's conventions, so that nothing of it is needed to build.
 *
 * RATIONALE: of x86-64's calling convention a method is a function whose first argument is
 * `this`, a reference is a pointer, and an object that is returned lies where a pointer before
 * `this` says. Nothing is called of which the layout would have to be known; what is read of
 * objects (torch_tensor.c) is checked against itself first.
 */
#ifndef COLLECTOR_TORCH_H
#define COLLECTOR_TORCH_H

#include "core/real.h"
#include "core/source.h"
#include "mpi/mpi_map.h"

/* A word in a register or on the stack. */
typedef void *torch_word;

/* This process's membership in a process group. */
struct torch_group {
	_Atomic uint32_t id; /* number of its DEF_COMM, 0: not defined yet */
	int32_t rank, size;
	uint64_t hash; /* hash of its name, identical on all members */
};

/* Never NULL: of a group that was not seen, one without number. */
struct torch_group *torch_group_find(const void *self) HIDDEN;

/* A group was made with this store. */
void torch_group_add(const void *self, const void *store, int rank, int size) HIDDEN;

/* Defines the group if that is still to be done; its number, or 0. */
uint32_t torch_group_define(struct torch_group *group) HIDDEN;

/*
 * Bytes of a tensor, of a vector of tensors, of a vector of such vectors; 0 where the library's
 * objects have a layout that is not known. Pointers as the C++ references are passed.
 */
uint64_t torch_tensor_bytes(const void *tensor) HIDDEN;
uint64_t torch_list_bytes(const void *list) HIDDEN;
uint64_t torch_parts_bytes(const void *parts) HIDDEN;

/* Whether the objects' common head has two words of counts (until PyTorch 2.8 or so) or one. */
bool torch_counts_are_words(const void *list) HIDDEN;

/* An operation was posted: its Work will be waited for. The request's number in records. */
uint32_t torch_posted(const void *work) HIDDEN;

/* Whether somebody waits for Work that was posted, the first time: then it has a number, else 0. */
uint32_t torch_waited(const void *work) HIDDEN;

/* DDP will wait for it. Whether it has ended already. */
bool torch_keep(const void *work) HIDDEN;

/*
 * Whether somebody has waited for this request; from now on somebody has. Its Work may be gone, and
 * another one be at its address.
 */
bool torch_request_waited(const void *work, uint32_t request) HIDDEN;

/* Where Python looks up the begin of PyTorch's own module, the process joins; never an answer. */
struct dlsym_answer torch_lookup(void *handle, const char *name) HIDDEN;

/*
 * A forked child forgets the parent's operations, which are not the child's to complete, and locks
 * that a thread of the parent held as it forked.
 */
extern const struct source tacho_torch_source HIDDEN;

#endif
