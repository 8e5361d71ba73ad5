/* kernel.c - see kernel.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"
#include "tables/kernel.h"
#include "base/log.h"
#include "model/comm_kernel.h"
#include "tables/kernel.def"

static const char *const copies[] = { "memcpy_h2d", "memcpy_d2h", "memcpy_d2d", "memcpy_p2p",
	"memset" };

enum { COPIES = sizeof(copies) / sizeof(copies[0]) };
_Static_assert(COPIES == KERNEL_COPIES, "kernel.h counts them, too");

const char *kernel_copy_name(uint32_t copy)
{
	return copies[copy];
}

uint32_t kernel_copy(const char *op)
{
	for (uint32_t i = 0; op && i < COPIES; i++)
		if (strcmp(op, copies[i]) == 0)
			return i;
	return MODEL_NONE;
}

/*
 * The first line with a word that the name holds decides. Random numbers are "normal" and conversions
 * "conv", and compilers (Triton's triton_poi, XLA's reduce_fusion) name all that they fused.
 */
static const struct {
	const char *class, *words[14];
} classes[] = {
	{ "reduction", { "reduce_fusion" } },
	{ "elementwise",
		{ "convert", "distribution_elementwise", "normal_kernel", "curand",
			"triton_poi" } },
	{ "memory",
		{ "memcpy", "memset", "Memcpy", "Memset", "CatArrayBatchedCopy", "copy_kernel",
			"FillFunctor", "transpose", "index_select", "gather_kernel",
			"scatter_kernel" } },
	{ "attention",
		{ "flash_fwd", "flash_bwd", "flash::", "fmha", "attention", "Attention", "sdpa" } },
	{ "optimizer",
		{ "multi_tensor_apply", "Adam", "adam", "sgd", "SGD", "lamb_", "LAMB", "Optimizer",
			"optimizer" } },
	{ "normalisation", { "norm", "Norm", "bn_fw", "bn_bw", "RowwiseMoments" } },
	{ "convolution",
		{ "conv", "Conv", "cudnn::cnn", "wgrad", "dgrad", "fprop", "winograd",
			"implicit" } },
	{ "gemm",
		{ "gemm", "Gemm", "GEMM", "gemv", "cublasLt", "cublas", "matmul", "nvjet",
			"splitKreduce" } },
	{ "reduction",
		{ "reduce", "Reduce", "softmax", "Softmax", "SoftMax", "argmax", "cumsum", "scan",
			"triton_red", "triton_per" } },
	{ "elementwise",
		{ "elementwise", "Elementwise", "pointwise", "relu", "gelu", "dropout",
			"vectorized", "bias", "axpy", "Functor", "loop_", "wrapped_" } },
};

/* Name of a class by the kernel's name. */
static const char *kernel_class(const char *name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		for (size_t k = 0; k < 14 && classes[i].words[k]; k++)
			if (strstr(name, classes[i].words[k]))
				return classes[i].class;
	return "other";
}

static bool is_matrix(const char *class)
{
	return strcmp(class, "gemm") == 0 || strcmp(class, "convolution") == 0 ||
		strcmp(class, "attention") == 0;
}

/* 1: it uses tensor cores, 0: it does not, -1: unknown from its name. */
static int kernel_tensor_core(const char *name, const char *class)
{
	static const char *const yes[] = {
		"tensorop",
		"tensor_op",
		"TensorOp",
		"s884",
		"h884",
		"s1688",
		"h1688",
		"s16816",
		"h16816",
		"i16832",
		"wmma",
		"hmma",
		"imma",
		"mma_",
		"_mma",
		"gmma",
		"tcgen05",
		"nvjet",
		"xmma",
		"flash_fwd",
		"flash_bwd",
	};
	static const char *const no[] = { "sgemm", "dgemm", "simt", "scudnn", "gemv" };

	/*
	 * xmma kernels without tensor cores: their names have this instruction in the place of a
	 * tensor-core one
	 */
	if (strstr(name, "_ffma_") || strstr(name, "_dfma_"))
		return 0;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (strstr(name, yes[i]))
			return 1;
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (strstr(name, no[i]))
			return 0;
	return is_matrix(class) ? -1 : 0;
}

bool kernel_is_plain_matrix(struct tables *tables, uint32_t number)
{
	struct region *region = number < tables->model.regions.n ? &tables->model.regions.at[number]
								 : NULL;
	char *name = region && region->matrix == MATRIX_UNASKED ? kernel_name(region->name) : NULL;

	if (name) {
		const char *class = kernel_class(name);

		region->matrix = is_matrix(class) && kernel_tensor_core(name, class) == 0
			? MATRIX_PLAIN
			: MATRIX_NONE;
		free(name);
	}
	return region && region->matrix == MATRIX_PLAIN;
}

size_t kernel_places(const struct tables *tables)
{
	return tables->model.regions.n + COPIES + 1;
}

int kernels_open(struct tables *tables)
{
	size_t n = tables->model.devices.n, places = kernel_places(tables);

	tables->copies = calloc(n + 1, sizeof(*tables->copies));
	tables->kernels = calloc(n + 1, sizeof(*tables->kernels));
	for (size_t i = 0; tables->kernels && i < n; i++) {
		struct kernels *kernels = &tables->kernels[i];

		kernels->calls = calloc(places, sizeof(*kernels->calls));
		kernels->bytes = calloc(places, sizeof(*kernels->bytes));
		if (!kernels->calls || !kernels->bytes)
			return -1;
	}
	return tables->kernels && tables->copies ? 0 : -1;
}

void kernels_close(struct tables *tables)
{
	for (size_t i = 0; tables->kernels && i < tables->model.devices.n; i++) {
		struct kernels *kernels = &tables->kernels[i];

		for (size_t k = 0; kernels->calls && k < kernel_places(tables); k++)
			free(kernels->calls[k]);
		free(kernels->calls);
		free(kernels->bytes);
	}
	free(tables->kernels);
}

int kernel_add(struct tables *tables, uint32_t device, uint32_t region, uint32_t copy, uint64_t ns,
	uint64_t bytes, const struct call_run *run)
{
	struct kernels *kernels = &tables->kernels[device];
	size_t place = copy != MODEL_NONE ? tables->model.regions.n + copy
		: region != MODEL_NONE	  ? region
					  : kernel_places(tables) - 1;

	kernels->bytes[place] += bytes;
	return call_count_run(&kernels->calls[place], ns, run);
}

static char *name_of(const struct tables *tables, size_t place)
{
	if (place < tables->model.regions.n)
		return kernel_name(tables->model.regions.at[place].name);
	place -= tables->model.regions.n;
	return strdup(place < COPIES ? copies[place] : "(unknown)");
}

static const char *class_of(const struct tables *tables, size_t place, const char *name)
{
	if (place >= tables->model.regions.n)
		return place - tables->model.regions.n < COPIES ? "memory" : "other";
	switch (tables->model.regions.at[place].activity) {
	case ACTIVITY_NCCL:
		return comm_kernel(name) == COMM_KERNEL_OTHER ? "communication" : "nccl";
	case ACTIVITY_MEMCPY: return "memory";
	default: return kernel_class(name);
	}
}

/* Regions and copies that something was counted for, in the order of their names. */
struct named {
	char *name;
	size_t place;
};

static int named_compare(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : a->place < b->place ? -1 : 1;
}

static bool is_counted(const struct tables *tables, size_t place)
{
	for (size_t d = 0; d < tables->model.devices.n; d++)
		if (tables->kernels[d].calls[place])
			return true;
	return false;
}

/* *n of them, to be freed with their names; NULL without memory. */
static struct named *named_sorted(const struct tables *tables, size_t *n)
{
	struct named *named = calloc(kernel_places(tables), sizeof(*named));

	*n = 0;
	for (size_t place = 0; named && place < kernel_places(tables); place++) {
		if (!is_counted(tables, place))
			continue;
		named[*n] = (struct named){ name_of(tables, place), place };
		*n += named[*n].name != NULL;
	}
	if (named)
		qsort(named, *n, sizeof(*named), named_compare);
	return named;
}

static const struct db_table table = DB_TABLE(kernel, "insert", KERNEL_COLUMNS);

static void kernel_write(struct tables *tables, size_t device, const struct named *named,
	const struct call *call, uint64_t bytes)
{
	const char *name = named->name, *class = class_of(tables, named->place, name);
	int tensor = kernel_tensor_core(name, class);

	db_put_row(&tables->db, &table, DB_ROW(KERNEL_COLUMNS));
}

/* The row of a device for the first of `n` that share a name; *all adds the devices up. */
static int name_write(struct tables *tables, size_t device, const struct named *named, size_t n,
	struct call **all)
{
	const struct kernels *kernels = &tables->kernels[device];
	struct call *sum = NULL;
	uint64_t bytes = 0;
	int ret = 0;

	for (size_t i = 0; i < n && ret == 0; i++) {
		bytes += kernels->bytes[named[i].place];
		if (kernels->calls[named[i].place])
			ret = call_merge(&sum, kernels->calls[named[i].place]);
	}
	if (sum && ret == 0) {
		kernel_write(tables, device, named, sum, bytes);
		ret = call_merge(all, sum);
	}
	free(sum);
	return ret;
}

/* Several may share a name: the same kernel of two programs, a copy and a region called so. */
static void names_write(struct tables *tables, const struct named *named, size_t n)
{
	struct call *all = NULL;

	for (size_t d = 0; d < tables->model.devices.n; d++)
		if (name_write(tables, d, named, n, &all) < 0)
			tables->failed = true;
	if (all)
		median_put(&tables->db, "kernel", named->name, all);
	free(all);
}

void kernels_write(struct tables *tables)
{
	struct named *named;
	size_t n, same;

	if (!tables->kernels)
		return;
	named = named_sorted(tables, &n);
	if (!named) {
		log_error("out of memory for the names of kernels");
		tables->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i += same) {
		for (same = 1; i + same < n; same++)
			if (strcmp(named[i + same].name, named[i].name) != 0)
				break;
		names_write(tables, &named[i], same);
	}
	for (size_t i = 0; i < n; i++)
		free(named[i].name);
	free(named);
}
