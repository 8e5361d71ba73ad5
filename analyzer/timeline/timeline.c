/* timeline.c - see timeline.h: the shares of states over the whole run. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tables/tables.h"
#include "timeline/timeline.h"
#include "model/states.h"
#include "tables/timeline.def"

enum {
	BINS_MOST = 512,
	BINS_LEAST = 64,
	BINS_OF_ALL = 1 << 20,	 /* of all ranks and devices together */
	WIDTH_UNKNOWN = 1000000, /* ns, where the archive does not give its length */
};

/* What is drawn of a thread: its states; communication states are split by waiting. */
enum { MPI_WAITED = HOST_STATE_COUNT, GLOO_WAITED, HOST_SHOWN };

int timelines_open(struct timelines *timelines, const struct tables *tables)
{
	const struct model *model = &tables->model;
	const struct archive *archive = &tables->archive;
	size_t rows = model->nranks + model->devices.n;

	timelines->nbins = BINS_MOST;
	while (timelines->nbins > BINS_LEAST && timelines->nbins * rows > BINS_OF_ALL)
		timelines->nbins /= 2;
	timelines->width = WIDTH_UNKNOWN;
	if (archive->length > 1 && (double)archive->length / archive->resolution < 1e9)
		timelines->width = (double)archive->length / archive->resolution * 1e9 /
				timelines->nbins +
			1;
	timelines->devices = calloc(model->devices.n + 1, sizeof(*timelines->devices));
	if (!timelines->devices)
		log_error("out of memory for %zu devices", model->devices.n);
	return timelines->devices ? 0 : -1;
}

void timelines_close(struct timelines *timelines, const struct tables *tables)
{
	for (size_t i = 0; timelines->devices && i < tables->model.devices.n; i++)
		free(timelines->devices[i].ns);
	free(timelines->devices);
}

static int bins_open(const struct timelines *timelines, struct timeline *timeline, uint32_t nstates)
{
	timeline->ns = calloc((size_t)timelines->nbins * nstates, sizeof(*timeline->ns));
	timeline->nstates = nstates;
	timeline->width = timeline->ns ? timelines->width : 0;
	return timeline->ns ? 0 : -1;
}

int64_t timeline_border(const struct timeline *timeline)
{
	return timeline->width ? (timeline->bin + 1) * timeline->width : INT64_MAX;
}

int timeline_open(const struct timelines *timelines, struct timeline *timeline)
{
	return bins_open(timelines, timeline, HOST_SHOWN);
}

/* All bins are full: each two become one. */
static void bins_join(struct timeline *timeline, uint32_t nbins)
{
	for (uint32_t bin = 0; bin < nbins; bin++)
		for (uint32_t state = 0; state < timeline->nstates; state++) {
			float ns = timeline->ns[bin * timeline->nstates + state];

			timeline->ns[bin * timeline->nstates + state] = 0;
			timeline->ns[bin / 2 * timeline->nstates + state] += ns;
		}
	timeline->bin = nbins / 2;
	timeline->width *= 2;
}

/* What was spent since the bin began, up to t, in which the present state has lasted since then. */
static void bin_fill(struct timeline *timeline, const struct host_now *now, int64_t t)
{
	for (int state = 0; state < HOST_STATE_COUNT; state++) {
		int shown = state == HOST_LOST || state == HOST_SUMMED ? HOST_ABSENT : state;
		int64_t spent = now->spent[state] + (state == (int)now->state ? t - now->since : 0);

		timeline->ns[timeline->bin * HOST_SHOWN + shown] += spent - timeline->binned[state];
		timeline->binned[state] = spent;
	}
}

int64_t timeline_cross(const struct timelines *timelines, struct timeline *timeline,
	const struct host_now *now, int64_t t)
{
	int64_t end;

	while ((end = timeline_border(timeline)) <= t) {
		if (end > now->since)
			bin_fill(timeline, now, end);
		if (++timeline->bin == timelines->nbins)
			bins_join(timeline, timelines->nbins);
	}
	return end;
}

void timeline_waited(const struct timelines *timelines, struct timeline *timeline,
	enum host_state state, int64_t from, int64_t to)
{
	uint32_t column = state == HOST_GLOO ? GLOO_WAITED : MPI_WAITED;

	for (int64_t at = from > 0 ? from : 0; timeline->ns && at < to;) {
		int64_t bin = at / timeline->width, end = (bin + 1) * timeline->width;

		if (bin >= timelines->nbins) /* not joined yet: the next one is */
			return;
		timeline->ns[bin * HOST_SHOWN + column] += (end < to ? end : to) - at;
		at = end;
	}
}

int timeline_device(struct timelines *timelines, uint32_t device, int64_t start, int64_t ns,
	uint32_t state)
{
	struct timeline *timeline = &timelines->devices[device];
	uint32_t nbins = timelines->nbins;

	if (ns <= 0)
		return 0;
	if (!timeline->ns && bins_open(timelines, timeline, DEVICE_STATE_COUNT) < 0)
		return -1;
	if (start < 0) {
		ns += start;
		start = 0;
	}
	while (ns > 0) {
		int64_t bin = timeline->bin, part = (bin + 1) * timeline->width - start;

		if (part <= 0 || part > timeline->width) { /* mostly it is the one of before */
			bin = start / timeline->width;
			part = (bin + 1) * timeline->width - start;
			timeline->bin = bin < nbins ? (uint32_t)bin : 0;
		}
		if (bin >= nbins) {
			bins_join(timeline, nbins);
			continue;
		}
		part = part < ns ? part : ns;
		timeline->ns[bin * DEVICE_STATE_COUNT + state] += part;
		start += part;
		ns -= part;
	}
	return 0;
}

/* Appends a number from 0 to 1000: there are many, and printf is much slower. */
static char *per_mille(char *at, unsigned n)
{
	if (n >= 1000)
		*at++ = '1', n -= 1000, *at++ = (char)('0' + n / 100),
		*at++ = (char)('0' + n / 10 % 10);
	else if (n >= 100)
		*at++ = (char)('0' + n / 100), *at++ = (char)('0' + n / 10 % 10);
	else if (n >= 10)
		*at++ = (char)('0' + n / 10);
	*at++ = (char)('0' + n % 10);
	return at;
}

/* A JSON array of per mille, without the bins after the last one in use. NULL: never in that
 * state, or no memory. */
static char *shares_text(const struct timeline *timeline, uint32_t nbins, uint32_t state)
{
	char *text = malloc(nbins * 6 + 3), *at = text;
	uint32_t n = 0;

	for (uint32_t bin = 0; bin < nbins; bin++)
		if (timeline->ns[bin * timeline->nstates + state] > 0)
			n = bin + 1;
	for (uint32_t bin = 0; text && bin < n; bin++) {
		float share = timeline->ns[bin * timeline->nstates + state] / timeline->width;

		*at++ = bin ? ',' : '[';
		at = per_mille(at, (unsigned)(1000 * (share < 1 ? share : 1) + 0.5F));
	}
	if (text && n)
		strcpy(at, "]");
	else
		free(text);
	return n ? text : NULL;
}

static const struct db_table table = DB_TABLE(timeline, "insert", TIMELINE_COLUMNS);

static void rows_write(struct db *db, const struct timelines *timelines,
	const struct timeline *timeline, const char *const names[], int64_t location,
	int64_t device)
{
	for (uint32_t state = 0; timeline->ns && state < timeline->nstates; state++) {
		char *shares = shares_text(timeline, timelines->nbins, state);

		if (shares)
			db_put_row(db, &table, DB_ROW(TIMELINE_COLUMNS));
		free(shares);
	}
}

/*
 * Splits waiting from communication time. It may have begun before the call, so it is capped at
 * that time.
 */
static void waiting_split(const struct timelines *timelines, const struct timeline *timeline)
{
	for (uint32_t bin = 0; bin < timelines->nbins; bin++) {
		float *ns = timeline->ns + (size_t)bin * HOST_SHOWN;

		for (int i = 0; i < 2; i++) {
			float *all = ns + (i ? HOST_GLOO : HOST_MPI), *wait = ns + MPI_WAITED + i;

			*wait = *wait < *all ? *wait : *all;
			*all -= *wait;
		}
	}
}

void timeline_write(const struct timelines *timelines, struct timeline *timeline,
	const struct host_now *now, int64_t t, struct db *db, uint32_t location)
{
	const char *shown_names[HOST_SHOWN];

	memcpy(shown_names, host_state_names, sizeof(host_state_names));
	shown_names[MPI_WAITED] = "mpi_wait";
	shown_names[GLOO_WAITED] = "gloo_wait";
	if (timeline->ns && now) {
		timeline_cross(timelines, timeline, now, t);
		bin_fill(timeline, now, t);
		waiting_split(timelines, timeline);
		rows_write(db, timelines, timeline, shown_names, (int64_t)location + 1, 0);
	}
	free(timeline->ns);
	timeline->ns = NULL;
}

void timelines_write(const struct timelines *timelines, struct tables *tables)
{
	for (size_t i = 0; i < tables->model.devices.n; i++)
		rows_write(&tables->db, timelines, &timelines->devices[i], device_state_names, 0,
			(int64_t)i + 1);
}
