/*
 * finding_device.c - what the devices that are used at all did in the parts of finding_unit; see
 * finding.h. Of many steps device_time has the most rows: this is one walk through it in the order
 * of its key.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "finding_unit.h"
#include "log.h"
#include "table.h"

/*
 * finding_device: ns in which a device computed in a part, and in which it had nothing to do for
 * want of input. finding_gpu: shares of an average device, a row per state, none without devices.
 */
static const char tables_sql[] =
	"create temp table finding_device(unit text, device_id integer, compute integer,"
	" starved integer, primary key (unit, device_id)) without rowid;"
	"create temp table finding_gpu(state text primary key, ns real) without rowid;";

static const char used_sql[] =
	"select distinct device_id from device_time where run_id = ?1 and \"window\" = 'run' "
	"and state in ('compute', 'nccl_wait', 'nccl_transfer', 'nccl', 'memcpy') and ns > 0 order "
	"by device_id";

static const char times_sql[] =
	"select \"window\", device_id, state, ns from device_time where run_id = ?1 order by "
	"\"window\", device_id";

static const char part_sql[] =
	"select 1 from temp.finding_unit where unit = ? and phase not in ('setup', 'init')";

/*
 * A host may be many steps ahead: what it queued, and the gaps between, then run behind the part
 * that they belong to, some of it behind all of them. So time in these states is that of the whole
 * run, but for its setup. A gap for which the host is the cause ends when it launches, in its own
 * part: time in all others is that of all parts together.
 */
static const char *const queued[] = { "compute", "nccl_wait", "nccl_transfer", "memcpy",
	"idle:launch_latency",
	"idle:queued_other" };

static const char *const starved[] = { "idle:io_wait", "idle:host_compute", "idle:wait" };

struct used { int64_t id, compute, starved; bool any, seen; };	/* a device: what it did in the present part */

struct state { char *name; bool queued, starved, compute; int64_t ns; bool any; };

struct devices {
	sqlite3_stmt *is_part, *device_put, *state_put;
	ARRAY_OF(struct used) used;
	ARRAY_OF(struct state) states;
	char *window;
	bool part;			/* the present window is a part */
	/* what it counts for states that are queued: 1 the run, -1 its setup */
	int whole;
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

static struct state *state_find(struct devices *devices, const char *name)
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
	return state;
}

static void window_end(struct devices *devices)
{
	for (size_t i = 0; i < devices->used.n; i++) {
		struct used *used = &devices->used.at[i];

		if (used->any) {
			sqlite3_bind_text(devices->device_put, 1, devices->window, -1,
				SQLITE_STATIC);
			sqlite3_bind_int64(devices->device_put, 2, used->id);
			sqlite3_bind_int64(devices->device_put, 3, used->compute);
			sqlite3_bind_int64(devices->device_put, 4, used->starved);
			finding_row_put(devices->device_put, &devices->failed);
		}
		*used = (struct used){ .id = used->id, .seen = used->seen };
	}
	free(devices->window);
	devices->window = NULL;
}

static void window_begin(struct devices *devices, const char *window)
{
	devices->window = strdup(window);
	devices->failed |= !devices->window;
	devices->whole = strcmp(window, "run") == 0 ? 1 :
		strcmp(window, "phase:setup") == 0 || strcmp(window, "phase:init") == 0 ? -1 : 0;
	sqlite3_bind_text(devices->is_part, 1, window, -1, SQLITE_TRANSIENT);
	devices->part = sqlite3_step(devices->is_part) == SQLITE_ROW;
	sqlite3_reset(devices->is_part);
}

static void time_add(struct devices *devices, struct used *used, struct state *state, int64_t ns)
{
	int sign = state->queued ? devices->whole : devices->part;

	if (sign)
		state->any = true;
	state->ns += sign * ns;
	if (!devices->part)
		return;
	used->any = used->seen = true;
	used->compute += state->compute ? ns : 0;
	used->starved += state->starved ? ns : 0;
}

static void times_read(struct devices *devices, sqlite3_stmt *select)
{
	size_t at = 0;

	while (finding_row_next(select, &devices->failed)) {
		const char *window = (const char *)sqlite3_column_text(select, 0);
		int64_t device = sqlite3_column_int64(select, 1);
		struct state *state;

		if (!devices->window || strcmp(window, devices->window) != 0) {
			window_end(devices);
			window_begin(devices, window);
			at = 0;
		}
		while (at < devices->used.n && devices->used.at[at].id < device)
			at++;
		if (at == devices->used.n || devices->used.at[at].id != device)
			continue;
		state = state_find(devices, (const char *)sqlite3_column_text(select, 2));
		if (state)
			time_add(devices, &devices->used.at[at], state,
				sqlite3_column_int64(select, 3));
	}
	window_end(devices);
}

static void states_write(struct devices *devices, double ndevices)
{
	for (size_t i = 0; i < devices->states.n; i++) {
		const struct state *state = &devices->states.at[i];

		if (!state->any || ndevices == 0)
			continue;
		sqlite3_bind_text(devices->state_put, 1, state->name, -1, SQLITE_STATIC);
		sqlite3_bind_double(devices->state_put, 2, (double)state->ns / ndevices);
		finding_row_put(devices->state_put, &devices->failed);
	}
}

static void used_read(struct devices *devices, sqlite3_stmt *select)
{
	while (finding_row_next(select, &devices->failed)) {
		struct used *used = ARRAY_ADD(&devices->used);

		if (used)
			used->id = sqlite3_column_int64(select, 0);
		devices->failed |= !used;
	}
}

static double devices_seen(const struct devices *devices)
{
	double n = 0;

	for (size_t i = 0; i < devices->used.n; i++)
		n += devices->used.at[i].seen;
	return n;
}

static void devices_free(struct devices *devices)
{
	for (size_t i = 0; i < devices->states.n; i++)
		free(devices->states.at[i].name);
	free(devices->states.at);
	free(devices->used.at);
	free(devices->window);
	sqlite3_finalize(devices->is_part);
	sqlite3_finalize(devices->device_put);
	sqlite3_finalize(devices->state_put);
}

int finding_devices_make(sqlite3 *handle, int64_t run_id)
{
	struct devices devices =
		{ .failed = sqlite3_exec(handle, tables_sql, NULL, NULL, NULL) != SQLITE_OK };
	bool *failed = &devices.failed;
	sqlite3_stmt *used = finding_prepare(handle, used_sql, run_id, failed);
	sqlite3_stmt *times = finding_prepare(handle, times_sql, run_id, failed);

	devices.is_part = finding_prepare(handle, part_sql, 0, failed);
	devices.device_put = finding_prepare(handle,
		"insert into temp.finding_device values (?,?,?,?)", 0, failed);
	devices.state_put = finding_prepare(handle, "insert into temp.finding_gpu values (?,?)", 0,
		failed);
	if (!devices.failed) {
		used_read(&devices, used);
		times_read(&devices, times);
		states_write(&devices, devices_seen(&devices));
	}
	if (devices.failed)
		log_error("cannot look for findings: %s", sqlite3_errmsg(handle));
	sqlite3_finalize(used);
	sqlite3_finalize(times);
	devices_free(&devices);
	return devices.failed ? -1 : 0;
}
