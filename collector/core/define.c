/* define.c - see define.h; defs.c has the file of definitions. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/budget.h"
#include "core/clock.h"
#include "core/define.h"
#include "core/defs.h"
#include "core/process.h"
#include "core/sys.h"
#include "tacho/runs.h"

#define CLOCKS 512 /* pairs at equal distances; of a bounded run, half of them then, … */

/* Which definitions are bounded in a run with a budget. The others are few. */
enum bound { BOUND_NOT, BOUND_NAME, BOUND_GROUP };
static const unsigned char bounds[DEF_TYPE_COUNT] = {
	[DEF_NAME] = BOUND_GROUP,
	[DEF_HANDLE] = BOUND_NAME,
	[DEF_HANDLE_LIKE] = BOUND_NAME,
	[DEF_SOCKET] = BOUND_NAME,
	[DEF_KERNEL] = BOUND_NAME,
	[DEF_PYTHON_CODE] = BOUND_NAME,
	[DEF_PYTHON_STACK] = BOUND_NAME,
	[DEF_COMM_NAME] = BOUND_NAME,
	[DEF_COMM] = BOUND_GROUP,
	[DEF_COMM_FREE] = BOUND_GROUP,
	[DEF_WINDOW] = BOUND_GROUP,
	[DEF_NCCL_COMM] = BOUND_GROUP,
	[DEF_METRIC] = BOUND_GROUP,
	[DEF_VALUE] = BOUND_GROUP,
};

static bool has_room(const struct def *def)
{
	uint64_t size = sizeof(struct spool_def) + def->nbody + def->nlist +
		(def->key ? strlen(def->key) : 0) + (def->text ? strlen(def->text) : 0);

	return def->is_needed || bounds[def->type] == BOUND_NOT ||
		budget_names_take(size, bounds[def->type] == BOUND_GROUP);
}

/* process_define in the process that is surely the one that joined. errno states why it fails. */
static int define_here(const struct def *def)
{
	if (!has_room(def)) {
		process_lose(LOSS_NO_NAME);
		errno = EDQUOT;
		return -1;
	}
	if (defs_append(def) == 0)
		return 0;
	process_lose(LOSS_NO_DEFINITION);
	return -1;
}

int process_define(const struct def *def)
{
	int saved = errno, ret;

	/* a forked child that has not joined, or one between vfork and exec, must not define */
	if (tacho_process.pid != sys_pid())
		return -1;
	ret = define_here(def);
	errno = saved;
	return ret;
}

uint32_t process_define_name(const char *name)
{
	struct def def = { .type = DEF_NAME, .id = process_allot(DEF_NAME), .text = name };

	return process_define(&def) < 0 ? 0 : def.id;
}

/* Both ways to define a handle number it alike. */
static uint32_t handle_define(unsigned type, const void *body, size_t nbody, const char *text,
	bool is_needed)
{
	struct def def = { .type = type,
		.id = process_allot(DEF_HANDLE),
		.body = body,
		.nbody = nbody,
		.text = text,
		.is_needed = is_needed };

	return define_here(&def) < 0 ? 0 : def.id;
}

uint32_t process_define_handle(const struct spool_def_handle *handle, const char *path)
{
	return handle_define(DEF_HANDLE, handle, sizeof(*handle), path, false);
}

uint32_t process_define_others(const struct spool_def_handle *handle, const char *path)
{
	return handle_define(DEF_HANDLE, handle, sizeof(*handle), path, true);
}

uint32_t process_define_handle_like(const struct spool_def_handle_like *handle, const char *rest)
{
	return handle_define(DEF_HANDLE_LIKE, handle, sizeof(*handle), rest, false);
}

int process_define_comm(uint32_t id, struct spool_def_comm comm, const uint32_t *world,
	const char *name)
{
	uint32_t n = comm.size + comm.nremote;
	struct spool_run *runs = malloc(sizeof(*runs) * (n / 2 + 1));
	int ret = -1;

	if (runs) {
		comm.nruns = runs_make(runs, world, n);
		ret = process_define(&(struct def){ .type = DEF_COMM,
			.id = id,
			.body = &comm,
			.nbody = sizeof(comm),
			.list = runs,
			.nlist = sizeof(*runs) * comm.nruns,
			.text = name });
	}
	free(runs);
	return ret;
}

void process_define_property(const char *key, const char *value)
{
	process_define(&(struct def){ .type = DEF_PROPERTY,
		.id = process_allot(DEF_PROPERTY),
		.key = key,
		.text = value });
}

/*
 * Within a budget, the interval between pairs grows with the run, so that their number stays small.
 */
static bool clock_is_due(void)
{
	uint32_t n = atomic_fetch_add(&tacho_process.ids[DEF_CLOCK], 1), each = 1;

	while (n / each > CLOCKS)
		each *= 2;
	return !budget_slot_size() || n % each == 0;
}

void process_define_clock(void)
{
	struct spool_def_clock now = clock_read();

	if (!clock_is_due() && !atomic_load(&tacho_process.ended))
		return;
	process_define(&(struct def){ .type = DEF_CLOCK, .body = &now, .nbody = sizeof(now) });
}
