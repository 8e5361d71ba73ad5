/*
 * gpu_kernel.c - kernels of all processes by name, and their regions; see
 * merge_gpu.h.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/device.h"
#include "base/log.h"
#include "merge/gpu/gpu_kernel.h"
#include "merge/write_defs.h"

#define CUT_MOST 160 /* characters of a name that nothing demangles */

/* Where a name of the mangled text begins that `*n` characters belong to, from `at` on; NULL: nowhere. */
static const char *part_next(const char *at, size_t *n)
{
	size_t digits;
	char *end;

	while (*at && !isdigit((unsigned char)*at)) {
		digits = strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (strchr("ST", *at) && at[1 + digits] == '_') /* S1_, T0_: what stood before */
			at += digits + 2;
		else if (*at == 'L' && islower((unsigned char)at[1])) /* Li12E: a literal */
			at += 2 + strspn(at + 2, "0123456789");
		else
			at++;
	}
	*n = strtoul(at, &end, 10);
	if (*n > strlen(end)) /* the name was cut */
		*n = strlen(end);
	return *n ? end : NULL;
}

/*
 * Where nothing demangles (cuDNN has such names): the name with what it is in, and of template
 * arguments the names, which tell a convolution from others: "cutlass::Kernel<conv kernel Implicit…>".
 */
static char *name_cut(const char *name)
{
	const char *at = name + 2, *part;
	char text[CUT_MOST + 1] = "";
	bool inside = false;
	size_t n, length = 0;

	while (*at && strchr("NKVLr", *at))
		at++;
	for (; (part = part_next(at, &n)) && length < CUT_MOST - 4; at = part + n) {
		const char *between = !length ? "" : inside ? " " : *at == 'I' ? "<" : "::";

		inside |= *between == '<';
		snprintf(text + length, sizeof(text) - length - 3, "%s%.*s", between, (int)n, part);
		length = strlen(text);
		if (!inside && (part[n] == 'E' || part[n] == 'v'))
			break;
	}
	if (inside)
		strcpy(text + length, part ? "…" : ">");
	return length ? strdup(text) : strdup(name);
}

/* A kernel's name as people write it; to be freed. NULL without memory. */
static char *kernel_readable(const char *name)
{
	char *text = kernel_name(name);

	if (!text || strncmp(text, "_Z", 2) != 0)
		return text;
	free(text);
	return name_cut(name);
}

/* Kernels by name, with open addressing. */
struct kernel_names {
	struct kernel {
		const char *name;
		uint32_t ref;
	} * at;
	uint32_t n, room;
	uint32_t *slots; /* number + 1, 0 = empty */
	uint32_t size;
	uint32_t copies; /* region of the first kind of copy */
};

static uint64_t hash(const char *text)
{
	uint64_t h = 14695981039346656037ull;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ull;
	return h ^ h >> 32;
}

static uint32_t *probe(const struct kernel_names *kernels, const char *name)
{
	uint32_t i = hash(name) & (kernels->size - 1);

	while (kernels->slots[i] && strcmp(kernels->at[kernels->slots[i] - 1].name, name) != 0)
		i = (i + 1) & (kernels->size - 1);
	return &kernels->slots[i];
}

static int grow(struct kernel_names *kernels)
{
	uint32_t size = kernels->size ? 2 * kernels->size : 256;
	uint32_t *slots = calloc(size, sizeof(*slots));
	struct kernel *at = realloc(kernels->at, size / 2 * sizeof(*at));

	if (at)
		kernels->at = at;
	if (!slots || !at) {
		free(slots);
		log_error("out of memory");
		return -1;
	}
	free(kernels->slots);
	kernels->slots = slots;
	kernels->size = size;
	for (uint32_t i = 0; i < kernels->n; i++)
		*probe(kernels, kernels->at[i].name) = i + 1;
	return 0;
}

/* Number of the kernel, new or known; NONE without memory. */
static uint32_t kernel_number(struct kernel_names *kernels, const char *name)
{
	uint32_t *slot;

	if (2 * kernels->n >= kernels->size && grow(kernels) < 0)
		return NONE;
	slot = probe(kernels, name);
	if (!*slot) {
		kernels->at[kernels->n] = (struct kernel){ name, NONE };
		*slot = ++kernels->n;
	}
	return *slot - 1;
}

int merge_kernels(struct merge *m)
{
	m->kernels = calloc(1, sizeof(*m->kernels));
	/* the first one is what has no name */
	if (!m->kernels || kernel_number(m->kernels, "unknown kernel") == NONE)
		return -1;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct spool_process *s = m->processes[i].spool;

		for (uint32_t id = 1; s && id < s->kernels.n; id++) {
			struct spool_kernel *kernel = &s->kernels.at[id];

			kernel->global = kernel->name && *kernel->name
				? kernel_number(m->kernels, kernel->name)
				: 0;
			if (kernel->global == NONE)
				return -1;
		}
	}
	return 0;
}

void merge_kernels_free(struct merge *m)
{
	if (!m->kernels)
		return;
	free(m->kernels->at);
	free(m->kernels->slots);
	free(m->kernels);
}

/* Any process with streams may have them all; a run without any gets none. */
void kernel_regions_number(struct merge *m)
{
	bool any = false;

	for (uint32_t i = 0; i < m->nprocesses && !any; i++)
		any = m->processes[i].gpu && m->processes[i].gpu->nactivities;
	if (!any)
		return;
	for (uint32_t i = 0; i < m->kernels->n; i++)
		m->kernels->at[i].ref = m->nregions++;
	m->kernels->copies = m->nregions;
	m->nregions += SPOOL_COPY_COUNT + 1;
	m->has_activities = true;
}

uint32_t kernel_region(const struct merge *m, const struct process *p, uint32_t id)
{
	const struct spool_process *s = p->spool;

	return m->kernels->at[id < s->kernels.n ? s->kernels.at[id].global : 0].ref;
}

uint32_t nccl_copy_region(const struct merge *m)
{
	return m->kernels->copies + SPOOL_COPY_COUNT;
}

uint32_t copy_region(const struct merge *m, unsigned op)
{
	return m->kernels->copies + (op < SPOOL_COPY_COUNT ? op : SPOOL_COPY_OTHER);
}

/* Names as other tools have them. */
static const char *const copy_names[SPOOL_COPY_COUNT] = {
	[SPOOL_COPY_OTHER] = "[CUDA memcpy]",
	[SPOOL_COPY_H2D] = "[CUDA memcpy HtoD]",
	[SPOOL_COPY_D2H] = "[CUDA memcpy DtoH]",
	[SPOOL_COPY_D2D] = "[CUDA memcpy DtoD]",
	[SPOOL_COPY_P2P] = "[CUDA memcpy PtoP]",
	[SPOOL_COPY_MEMSET] = "[CUDA memset]",
};

static void define(struct strings *s, uint32_t ref, const char *name, const char *mangled,
	OTF2_RegionRole role)
{
	s->error |= OTF2_GlobalDefWriter_WriteRegion(s->out, ref, string_ref(s, name),
		string_ref(s, mangled), string_ref(s, ""), role, OTF2_PARADIGM_CUDA,
		OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
}

void kernel_regions_define(struct merge *m, struct strings *s)
{
	if (!m->has_activities)
		return;
	for (uint32_t i = 0; i < m->kernels->n; i++) {
		const char *name = m->kernels->at[i].name;
		char *text = kernel_readable(name);

		define(s, m->kernels->at[i].ref, text ? text : name, name,
			OTF2_REGION_ROLE_FUNCTION);
		free(text);
	}
	for (uint32_t i = 0; i < SPOOL_COPY_COUNT; i++)
		define(s, m->kernels->copies + i, copy_names[i], copy_names[i],
			OTF2_REGION_ROLE_DATA_TRANSFER);
	define(s, nccl_copy_region(m), "ncclCopy", "ncclCopy", OTF2_REGION_ROLE_DATA_TRANSFER);
}
