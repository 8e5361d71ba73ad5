/*
 * tacho/nvtx_names.h - recognises names of NVTX ranges: steps, and names with a varying part. The
 * library applies it to ranges as they arrive, analyze to exports of Nsight Systems.
 */
#ifndef TACHO_NVTX_NAMES_H
#define TACHO_NVTX_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What frameworks call a step, before its number. */
static const char *const step_names[] = {
	"ProfilerStep",
	"step",
	"iteration",
	"iter",
	"train_step",
	"training_step",
	"train step",
	"training step",
	"train_iteration",
	"training_iteration",
	"train_iter",
	"global_step",
	"train_batch",
	"training_batch",
};

/* After the name, "17", " 17", "#17", ": 17", "=17", "(17)" or nothing: then it is UINT64_MAX. */
static inline bool step_name_number(const char *rest, uint64_t *number)
{
	const char *at = rest + strspn(rest, " #:=_-([");
	char *end;

	if (!*rest) {
		*number = UINT64_MAX;
		return true;
	}
	if (*at < '0' || *at > '9')
		return false;
	*number = strtoull(at, &end, 10);
	return !end[strspn(end, ")] ")] && at - rest <= 3;
}

/* 1 + the place of a step's name in the list; `used`: only that one, 0: any. 0: no step. */
static inline unsigned step_name_find(const char *name, unsigned used, uint64_t *number)
{
	for (unsigned i = 0; i < sizeof(step_names) / sizeof(*step_names); i++) {
		size_t n = strlen(step_names[i]);

		if ((!used || used == i + 1) && strncasecmp(name, step_names[i], n) == 0 &&
			step_name_number(name + n, number))
			return i + 1;
	}
	return 0;
}

/*
 * PyTorch's emit_nvtx gives every call of an operator its own name: "aten::mm, seq = 17, sizes
 * = …". The part that is the same each time is left.
 */
static inline void nvtx_name_cut(char *name)
{
	char *comma = strstr(name, ", seq = ");

	if (!comma)
		comma = strstr(name, ", op_id = ");
	if (!comma)
		comma = strstr(name, ", sizes = ");
	if (comma)
		*comma = '\0';
}

#endif
