/* attach_symbols.c - see attach_symbols.h. */
#include "config.h"

#include <string.h>

#include "attach/attach_image.h"
#include "attach/attach_symbols.h"

struct wanted {
	uint32_t pid;
	const char *part;
	const char *const *names;
	uint64_t *values;
	size_t n;
	uint64_t shift; /* from addresses in the file to those in memory */
};

static bool wanted_take(const struct image_symbol *symbol, void *user)
{
	struct wanted *wanted = user;

	for (size_t i = 0; i < wanted->n; i++)
		if (!wanted->values[i] && !strcmp(wanted->names[i], symbol->name))
			wanted->values[i] = symbol->value + wanted->shift;
	return false;
}

static void file_look(const char *file, uint64_t begin, void *user)
{
	struct wanted *wanted = user;
	struct image image;
	uint64_t base, end;

	if (wanted->values[0] || !strstr(strrchr(file, '/'), wanted->part) ||
		image_of(&image, wanted->pid, file) < 0)
		return;
	base = image_base(&image, &end);
	if (base != UINT64_MAX) {
		wanted->shift = begin - base;
		image_symbols(&image, wanted_take, wanted);
	}
	image_close(&image);
}

void symbols_find(uint32_t pid, const char *part, const char *const *names, uint64_t *values,
	size_t n)
{
	struct wanted wanted = { pid, part, names, values, n, 0 };

	memset(values, 0, n * sizeof(*values));
	files_walk(pid, file_look, &wanted);
}
