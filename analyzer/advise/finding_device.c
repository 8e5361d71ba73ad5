/*
 * finding_device.c - what the devices that are used at all did in the parts of a run; see
 * finding.h and finding_unit.c, whose walk this is a part of: of many steps device_time has the
 * most rows.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/finding_unit.h"
#include "db/query.h"
#include "base/containers.h"

/*
 * finding_device, of a device in the parts of a phase, added up: ns in which it computed; what
 * devices computed on average, and that of those parts in which this one did more.
 * finding_gpu: shares of an average device, a row per state, none without devices.
 */
static const char tables_sql[] =
	"create temp table finding_device(phase text, device_id integer, compute integer,"
	" mean real, above real, primary key (phase, device_id)) without rowid;"
	"create temp table finding_gpu(state text primary key, ns real) without rowid;";

static const char used_sql[] =
	"select distinct device_id from device_time where run_id = ?1 and \"window\" = 'run' "
	"and state in ('compute', 'nccl_wait', 'nccl_transfer', 'nccl', 'memcpy') and ns > 0 order "
	"by device_id";

/*
 * A host may be many steps ahead: what it queued, and the gaps between, then run after the part
 * that they belong to, some of it after all of them. So time in these states is that of the whole
 * run, but for its setup. A gap for which the host is the cause ends when it launches, in its own
 * part: time in all others is that of all parts together.
 */
static const char *const queued[] = { "compute", "nccl_wait", "nccl_transfer", "memcpy",
	"idle:launch_latency", "idle:queued_other" };

static const char *const starved[] = { "idle:io_wait", "idle:host_compute", "idle:wait" };

/* A device waits for others, or it is not there; all else is its own time. */
static const char *const others[] = { "nccl_wait", "nccl", "idle:mpi_wait", "absent" };

/* A device: what it did in the present part. */
struct used {
	int64_t id, compute, starved, own;
	bool any, seen;
};

struct state {
	char *name;
	bool queued, starved, compute, own;
	int64_t ns;
	bool any;
};

struct sum {
	int64_t compute;
	double mean, above;
	bool any;
}; /* of a device in a phase */

struct finding_devices {
	sqlite3_stmt *device_put, *state_put;
	ARRAY_OF(struct used) used;
	ARRAY_OF(struct state) states;
	ARRAY_OF(struct sum *) phases;
	bool failed;
};

#define IS_ONE_OF(name, list) is_one_of(name, list, sizeof(list) / sizeof((list)[0]))

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

static struct state *state_find(struct finding_devices *devices, const char *name)
{
	struct state *state;

	for (size_t i = 0; i < devices->states.n; i++)
		if (strcmp(devices->states.at[i].name, name) == 0)
			return &devices->states.at[i];
	state = ARRAY_ADD(&devices->states);
	if (!state || !(state->name = strdup(name))) {
		devices->failed = true;
		return NULL;
	}
	state->queued = IS_ONE_OF(name, queued);
	state->starved = IS_ONE_OF(name, starved);
	state->compute = strcmp(name, "compute") == 0;
	state->own = !IS_ONE_OF(name, others);
	return state;
}

/* `sign`: what the window counts for this state. */
static void time_add(struct used *used, struct state *state, int64_t ns, int sign, bool part)
{
	if (sign)
		state->any = true;
	state->ns += sign * ns;
	if (!part)
		return;
	used->any = used->seen = true;
	used->compute += state->compute ? ns : 0;
	used->starved += state->starved ? ns : 0;
	used->own += state->own ? ns : 0;
}

/* The sums of a phase by device; NULL without memory. */
static struct sum *sums_of(struct finding_devices *devices, size_t phase)
{
	while (devices->phases.n <= phase && !devices->failed)
		devices->failed |= !ARRAY_ADD(&devices->phases);
	if (devices->failed)
		return NULL;
	if (!devices->phases.at[phase])
		devices->phases.at[phase] = calloc(devices->used.n + 1, sizeof(struct sum));
	devices->failed |= !devices->phases.at[phase];
	return devices->phases.at[phase];
}

/* Returns by how much all devices would be through earlier if they lacked no input. */
static double part_end(struct finding_devices *devices, size_t phase)
{
	struct sum *sums = sums_of(devices, phase);
	double mean = 0, longest = 0, fed = 0, n = 0;

	for (size_t i = 0; i < devices->used.n; i++) {
		const struct used *used = &devices->used.at[i];

		mean += (double)used->compute;
		longest = fmax(longest, (double)used->own);
		fed = fmax(fed, (double)(used->own - used->starved));
		n += used->any;
	}
	mean /= n;
	for (size_t i = 0; sums && i < devices->used.n; i++) {
		struct used *used = &devices->used.at[i];

		if (!used->any)
			continue;
		sums[i].any = true;
		sums[i].compute += used->compute;
		sums[i].mean += mean;
		sums[i].above += (double)used->compute > mean ? mean : 0;
		*used = (struct used){ .id = used->id, .seen = true };
	}
	return longest - fed;
}

double finding_devices_read(struct finding_devices *devices, struct finding_times *times,
	const char *window, size_t phase)
{
	bool part = phase != FINDING_NO_PART;
	/* what the window counts for states that are queued: 1 the run, -1 its setup */
	int whole = strcmp(window, "run") == 0						  ? 1
		: strcmp(window, "phase:setup") == 0 || strcmp(window, "phase:init") == 0 ? -1
											  : 0;
	size_t at = 0;

	for (; finding_times_in(times, window); finding_times_next(times)) {
		int64_t device = sqlite3_column_int64(times->select, 1);
		struct state *state;

		while (at < devices->used.n && devices->used.at[at].id < device)
			at++;
		if (at == devices->used.n || devices->used.at[at].id != device)
			continue;
		state = state_find(devices, (const char *)sqlite3_column_text(times->select, 2));
		if (state)
			time_add(&devices->used.at[at], state,
				sqlite3_column_int64(times->select, 3),
				state->queued ? whole : part, part);
	}
	return part && devices->used.n ? part_end(devices, phase) : NAN;
}

void finding_devices_write(struct finding_devices *devices, size_t phase, const char *name)
{
	const struct sum *sums = phase < devices->phases.n ? devices->phases.at[phase] : NULL;

	for (size_t i = 0; sums && i < devices->used.n; i++) {
		if (!sums[i].any)
			continue;
		sqlite3_bind_text(devices->device_put, 1, name, -1, SQLITE_STATIC);
		sqlite3_bind_int64(devices->device_put, 2, devices->used.at[i].id);
		sqlite3_bind_int64(devices->device_put, 3, sums[i].compute);
		sqlite3_bind_double(devices->device_put, 4, sums[i].mean);
		sqlite3_bind_double(devices->device_put, 5, sums[i].above);
		query_row_put(devices->device_put, &devices->failed);
	}
}

static void states_write(struct finding_devices *devices)
{
	double n = 0;

	for (size_t i = 0; i < devices->used.n; i++)
		n += devices->used.at[i].seen;
	for (size_t i = 0; i < devices->states.n; i++) {
		const struct state *state = &devices->states.at[i];

		if (!state->any || n == 0)
			continue;
		sqlite3_bind_text(devices->state_put, 1, state->name, -1, SQLITE_STATIC);
		sqlite3_bind_double(devices->state_put, 2, (double)state->ns / n);
		query_row_put(devices->state_put, &devices->failed);
	}
}

static void used_read(struct finding_devices *devices, sqlite3_stmt *select)
{
	while (query_row_next(select, &devices->failed)) {
		struct used *used = ARRAY_ADD(&devices->used);

		if (used)
			used->id = sqlite3_column_int64(select, 0);
		devices->failed |= !used;
	}
}

struct finding_devices *finding_devices_open(sqlite3 *handle, int64_t run_id, bool *failed)
{
	struct finding_devices *devices = calloc(1, sizeof(*devices));
	sqlite3_stmt *used;

	if (!devices) {
		*failed = true;
		return NULL;
	}
	devices->failed = sqlite3_exec(handle, tables_sql, NULL, NULL, NULL) != SQLITE_OK;
	used = query_prepare(handle, used_sql, run_id, &devices->failed);
	devices->device_put = query_prepare(handle,
		"insert into temp.finding_device values (?,?,?,?,?)", 0, &devices->failed);
	devices->state_put = query_prepare(handle, "insert into temp.finding_gpu values (?,?)", 0,
		&devices->failed);
	if (!devices->failed)
		used_read(devices, used);
	sqlite3_finalize(used);
	*failed |= devices->failed;
	return devices;
}

int finding_devices_close(struct finding_devices *devices)
{
	int ret;

	if (!devices)
		return -1;
	if (!devices->failed)
		states_write(devices);
	ret = devices->failed ? -1 : 0;
	for (size_t i = 0; i < devices->states.n; i++)
		free(devices->states.at[i].name);
	for (size_t i = 0; i < devices->phases.n; i++)
		free(devices->phases.at[i]);
	free(devices->states.at);
	free(devices->phases.at);
	free(devices->used.at);
	sqlite3_finalize(devices->device_put);
	sqlite3_finalize(devices->state_put);
	free(devices);
	return ret;
}
