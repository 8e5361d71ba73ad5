/* Kernels: the functions that the compiler registered, the host function of each, and launching. */
#include "standin.h"
#include "work.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static CUfunction functions;
static atomic_ullong grids; /* launches of kernels so far */

STANDIN_EXPORT CUfunction standin_function_add(const void *stub, const char *name,
	const void *fatbin)
{
	CUfunction f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->name = name;
	f->stub = stub;
	f->registers = 32;
	f->threads_max = 1024;
	f->shared_max = 49152;
	f->unknown = fatbin && standin_fatbin_params(fatbin, name, &f->sizes, &f->nparams) < 0;
	if (f->unknown)
		fprintf(stderr,
			"stand-in: the parameters of kernel %s are unknown: its launches fail "
			"(compile it with --no-compress, or install libzstd)\n",
			name);
	pthread_rwlock_wrlock(&lock);
	f->next = functions;
	functions = f;
	pthread_rwlock_unlock(&lock);
	return f;
}

/* A handle is the address of the description itself. */
STANDIN_EXPORT CUfunction standin_function(const void *what)
{
	CUfunction f;

	pthread_rwlock_rdlock(&lock);
	for (f = functions; f; f = f->next)
		if (f->stub == what || (const void *)f == what)
			break;
	pthread_rwlock_unlock(&lock);
	return f;
}

/* First where the kernel's stub is: a module may be loaded with RTLD_LOCAL. */
static void host_find(CUfunction f)
{
	char name[1024];
	Dl_info info;
	void *module = NULL, *found = NULL;

	if (f->looked_up)
		return;
	snprintf(name, sizeof(name), "tacho_host_%s", f->name);
	if (f->stub && dladdr(f->stub, &info) && info.dli_fname)
		module = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (module)
		found = dlsym(module, name);
	if (!found)
		found = dlsym(RTLD_DEFAULT, name);
	*(void **)&f->host = found;
	f->looked_up = true;
}

struct kernel_op {
	struct standin_op op;
	CUfunction f;
	void **args; /* into the bytes after them */
};

static void kernel_run(struct standin_op *op)
{
	struct kernel_op *k = (struct kernel_op *)op;

	if (k->f->host)
		k->f->host(k->args, op->act.grid, op->act.block);
}

static size_t aligned(size_t bytes)
{
	return (bytes + 15) & ~(size_t)15;
}

/* The operation with its arguments after it: one piece of memory. */
static struct kernel_op *kernel_op_make(CUfunction f, void **args)
{
	size_t bytes = aligned(sizeof(struct kernel_op)) + aligned(f->nparams * sizeof(void *));
	size_t at = bytes;
	struct kernel_op *k;

	for (unsigned i = 0; i < f->nparams; i++)
		bytes += aligned(f->sizes[i]);
	k = calloc(1, bytes);
	if (!k)
		return NULL;
	k->f = f;
	k->args = (void **)((char *)k + aligned(sizeof(*k)));
	for (unsigned i = 0; i < f->nparams; i++) {
		k->args[i] = (char *)k + at;
		memcpy(k->args[i], args[i], f->sizes[i]);
		at += aligned(f->sizes[i]);
	}
	return k;
}

STANDIN_EXPORT CUresult standin_launch(CUfunction f, const struct standin_launch *shape,
	void **args, CUstream stream)
{
	const struct standin_config *config = standin_config();
	uint64_t begin = standin_monotonic();
	struct kernel_op *k;

	if (!f || (f->nparams && !args))
		return CUDA_ERROR_INVALID_VALUE;
	if (f->unknown)
		return CUDA_ERROR_INVALID_IMAGE;
	if ((uint64_t)shape->block[0] * shape->block[1] * shape->block[2] > f->threads_max ||
		!shape->grid[0] || !shape->block[0])
		return CUDA_ERROR_INVALID_VALUE;
	host_find(f);
	k = kernel_op_make(f, args);
	if (!k)
		return CUDA_ERROR_OUT_OF_MEMORY;
	k->op.run = kernel_run;
	k->op.node_type = CU_GRAPH_NODE_TYPE_KERNEL;
	k->op.least_ns = !f->host || config->kernel_ns_set ? config->kernel_ns : 0;
	k->op.act.kind = STANDIN_ACT_KERNEL;
	k->op.act.grid_number = atomic_fetch_add(&grids, 1) + 1;
	k->op.act.name = f->name;
	memcpy(k->op.act.grid, shape->grid, sizeof(shape->grid));
	memcpy(k->op.act.block, shape->block, sizeof(shape->block));
	k->op.act.shared = (uint32_t)shape->shared;
	k->op.act.registers = f->registers;
	if (config->launch_ns)
		standin_wait_until(begin + config->launch_ns);
	return standin_submit(stream, &k->op, NULL, NULL);
}

/* ---- work of libraries on top (stream.h) ---- */

struct work_op {
	struct standin_op op;
	struct standin_work work;
};

static void work_run(struct standin_op *op)
{
	struct work_op *w = (struct work_op *)op;

	if (w->work.run)
		w->work.run(w->work.arg);
}

static void work_drop(struct standin_op *op)
{
	struct work_op *w = (struct work_op *)op;

	if (w->work.release)
		w->work.release(w->work.arg);
}

CUresult standin_work_submit(CUstream stream, const struct standin_work *work)
{
	struct work_op *w = calloc(1, sizeof(*w));

	if (!w)
		return CUDA_ERROR_OUT_OF_MEMORY;
	w->work = *work;
	w->op.run = work_run;
	w->op.drop = work_drop;
	w->op.node_type = CU_GRAPH_NODE_TYPE_KERNEL;
	w->op.least_ns = work->least_ns;
	w->op.act.kind = STANDIN_ACT_KERNEL;
	w->op.act.grid_number = atomic_fetch_add(&grids, 1) + 1;
	w->op.act.name = work->name;
	w->op.act.registers = 64;
	if (work->copied) {
		w->op.node_type = CU_GRAPH_NODE_TYPE_MEMCPY;
		w->op.act = (struct standin_act){ .kind = STANDIN_ACT_MEMCPY,
			.bytes = work->copied,
			.copy_kind = STANDIN_D2D,
			.src_kind = STANDIN_DEVICE,
			.dst_kind = STANDIN_DEVICE,
			.flags = 1 };
	}
	for (int i = 0; i < 3; i++) {
		w->op.act.grid[i] = work->grid[i] ? work->grid[i] : 1;
		w->op.act.block[i] = work->block[i] ? work->block[i] : 1;
	}
	if (standin_config()->launch_ns)
		standin_wait_until(standin_monotonic() + standin_config()->launch_ns);
	return standin_submit(stream, &w->op, NULL, NULL);
}
