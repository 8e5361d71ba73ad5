/* family.c - see family.h. */
#include "config.h"

#include <stdlib.h>

#include "model/family.h"

uint32_t family_find(uint32_t *of, uint32_t process)
{
	while (of[process] != process)
		process = of[process] = of[of[process]];
	return process;
}

static void family_join(uint32_t *of, uint32_t a, uint32_t b)
{
	a = family_find(of, a);
	b = family_find(of, b);
	of[a > b ? a : b] = a < b ? a : b;
}

/* Joins relatives, and processes that share a device. */
void families_join(const struct model *model, uint32_t *of)
{
	for (uint32_t i = 0; i < model->processes.n; i++)
		of[i] = i;
	for (uint32_t i = 0; i < model->processes.n; i++)
		if (model->processes.at[i].parent != MODEL_NONE)
			family_join(of, i, model->processes.at[i].parent);
	for (size_t d = 0; d < model->devices.n; d++) {
		const struct device *device = &model->devices.at[d];

		for (size_t i = 1; i < device->uses.n; i++)
			if (device->uses.at[0].process != MODEL_NONE &&
				device->uses.at[i].process != MODEL_NONE)
				family_join(of, device->uses.at[0].process,
					device->uses.at[i].process);
	}
}

uint32_t *families_of(const struct model *model)
{
	uint32_t *by = calloc(model->processes.n + 1, sizeof(*by));
	uint32_t *of = by ? calloc(model->locations.n + 1, sizeof(*of)) : NULL;

	if (of)
		families_join(model, by);
	for (size_t i = 0; of && i < model->locations.n; i++) {
		uint32_t process = model->locations.at[i].process;

		of[i] = process == MODEL_NONE ? (uint32_t)model->processes.n
					      : family_find(by, process);
	}
	free(by);
	return of;
}

uint32_t process_ancestor(const struct model *model, uint32_t process)
{
	for (size_t depth = 0; depth < model->processes.n; depth++) {
		if (model->processes.at[process].parent == MODEL_NONE)
			break;
		process = model->processes.at[process].parent;
	}
	return process;
}
