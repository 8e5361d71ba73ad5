/*
 * comm_kernel.h - kernels that communicate, by name: NCCL's, and kernels of other libraries that
 * move data between devices themselves.
 */
#ifndef MODEL_COMM_KERNEL_H
#define MODEL_COMM_KERNEL_H

enum comm_kernel {
	COMM_KERNEL_NONE,
	COMM_KERNEL_NCCL, /* NCCL or RCCL */
	COMM_KERNEL_OTHER /* of another library: the trace has no calls and members of it */
};

/*
 * Adds the user's names of kernels that communicate: a file with the beginning of a name (of a
 * function or its namespace) per line; `#` begins a comment. 0, or -1 (reported).
 */
int comm_kernels_read(const char *path);

/* What the kernel is; `name`: mangled or readable. */
enum comm_kernel comm_kernel(const char *name);

#endif
