/* copy.c - see copy.h. */
#include "config.h"

#include <string.h>

#include "tables/tables.h"
#include "tables/copy.h"
#include "tables/copy.def"

static const char *const memories[COPY_MEMORY_COUNT] = {
	[COPY_MEMORY_UNKNOWN] = "",
	[COPY_MEMORY_PAGEABLE] = "pageable",
	[COPY_MEMORY_PINNED] = "pinned",
	[COPY_MEMORY_DEVICE] = "device",
	[COPY_MEMORY_ARRAY] = "array",
	[COPY_MEMORY_MANAGED] = "managed",
};

enum copy_memory copy_memory(const char *name)
{
	for (int i = 1; name && i < COPY_MEMORY_COUNT; i++)
		if (strcmp(name, memories[i]) == 0)
			return i;
	return COPY_MEMORY_UNKNOWN;
}

void copy_add(struct copies *copies, uint32_t copy, enum copy_memory memory, uint64_t n,
	uint64_t ns, uint64_t bytes)
{
	struct copy_sum *sum;

	if (copy >= KERNEL_COPIES)
		return;
	sum = &copies->by[copy][memory];
	sum->n += n;
	sum->bytes += bytes;
	sum->ns += ns;
}

static const struct db_table table = DB_TABLE(copy, "insert", COPY_COLUMNS);

void copies_write(struct tables *tables)
{
	for (size_t device = 0; tables->copies && device < tables->model.devices.n; device++)
		for (uint32_t copy = 0; copy < KERNEL_COPIES; copy++)
			for (int memory = 0; memory < COPY_MEMORY_COUNT; memory++) {
				const struct copy_sum *sum = &tables->copies[device]
								      .by[copy][memory];

				if (sum->n)
					db_put_row(&tables->db, &table, DB_ROW(COPY_COLUMNS));
			}
}
