/* call.c - see call.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "log.h"

static struct call *call_of(struct call_table *table, const struct model *model, uint32_t region)
{
	if (!table->by_region)
		table->by_region = calloc(model->regions.n, sizeof(*table->by_region));
	if (table->by_region && !table->by_region[region])
		table->by_region[region] = calloc(1, sizeof(struct call));
	if (!table->by_region || !table->by_region[region]) {
		log_error("out of memory for the statistics of %s", model->regions.at[region].name);
		return NULL;
	}
	return table->by_region[region];
}

/* Numbers below 2 × CALL_BUCKETS have a bucket each, then CALL_BUCKETS for each power of two. */
static void bucket_of(uint64_t ns, int *octave, int *bucket)
{
	int bits = ns ? 63 - __builtin_clzll(ns) : 0;

	*octave = bits < 4 ? 0 : bits - 3;
	*bucket = bits < 4 ? (int)ns : (int)(ns >> (bits - 4) & (CALL_BUCKETS - 1));
}

static double bucket_middle(int octave, int bucket)
{
	if (octave == 0)
		return bucket;
	return ldexp(CALL_BUCKETS + bucket + (octave > 1 ? 0.5 : 0), octave - 1);
}

const uint32_t *call_octave(const struct call *call, int octave)
{
	return octave >= call->first && octave < call->first + call->noctaves ? call->buckets[octave - call->first] : NULL;
}

/* Durations of a call lie close together: octaves are held without gaps, and most calls need two or three. */
uint32_t *call_octave_make(struct call *call, int octave)
{
	int first = call->noctaves && call->first < octave ? call->first : octave;
	int end = call->noctaves && call->first + call->noctaves > octave ? call->first + call->noctaves : octave + 1;
	uint32_t (*grown)[CALL_BUCKETS];

	if (octave >= call->first && octave < call->first + call->noctaves)
		return call->buckets[octave - call->first];
	grown = calloc((size_t)(end - first), sizeof(*grown));
	if (!grown) {
		log_error("out of memory for the statistics of calls");
		return NULL;
	}
	if (call->noctaves)
		memcpy(grown[call->first - first], call->buckets, call->noctaves * sizeof(*grown));
	free(call->buckets);
	call->buckets = grown;
	call->first = (uint8_t)first;
	call->noctaves = (uint8_t)(end - first);
	return call->buckets[octave - first];
}

int call_count(struct call **table, uint64_t ns)
{
	struct call *call = *table ? *table : (*table = calloc(1, sizeof(**table)));
	uint32_t *buckets;
	int octave, bucket;
	double delta;

	bucket_of(ns, &octave, &bucket);
	buckets = call ? call_octave_make(call, octave) : NULL;
	if (!buckets)
		return -1;
	buckets[bucket]++;
	if (!call->n || ns < call->min)
		call->min = ns;
	if (ns > call->max)
		call->max = ns;
	call->n++;
	call->total += ns;
	delta = (double)ns - call->mean;
	call->mean += delta / call->n;
	call->squares += delta * ((double)ns - call->mean);
	return 0;
}

int call_merge(struct call **table, const struct call *from)
{
	struct call *to = *table ? *table : (*table = calloc(1, sizeof(**table)));
	double delta;

	if (!to)
		return -1;
	for (int octave = from->first; octave < from->first + from->noctaves; octave++) {
		uint32_t *buckets = call_octave_make(to, octave);

		if (!buckets)
			return -1;
		for (int bucket = 0; bucket < CALL_BUCKETS; bucket++)
			buckets[bucket] += call_octave(from, octave)[bucket];
	}
	to->min = !to->n || from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	delta = from->mean - to->mean;
	to->squares += from->squares + delta * delta * to->n * from->n / (to->n + from->n);
	to->mean += delta * from->n / (to->n + from->n);
	to->n += from->n;
	to->total += from->total;
	return 0;
}

double call_deviation(const struct call *call)
{
	return call->n > 1 ? sqrt(call->squares / (call->n - 1)) : NAN;
}

void call_free(struct call *call)
{
	if (call)
		free(call->buckets);
	free(call);
}

int call_add(struct call_table *table, const struct model *model, uint32_t region, uint64_t ns)
{
	return call_of(table, model, region) ? call_count(&table->by_region[region], ns) : -1;
}

int call_add_bytes(struct call_table *table, const struct model *model, uint32_t region,
	uint64_t sent, uint64_t received)
{
	struct call *call = call_of(table, model, region);

	if (!call)
		return -1;
	call->sent += sent;
	call->received += received;
	return 0;
}

/* Value of the sample at place `rank` (from 0) of the ordered durations. */
static double call_at(const struct call *call, uint64_t rank)
{
	uint64_t seen = 0;

	for (int octave = call->first; octave < call->first + call->noctaves; octave++)
		for (int bucket = 0; bucket < CALL_BUCKETS; bucket++) {
			seen += call_octave(call, octave)[bucket];
			if (seen > rank)
				return fmin(
					fmax(bucket_middle(octave, bucket), call->min), call->max);
		}
	return call->max;
}

double call_median(const struct call *call)
{
	return call->n ? (call_at(call, (call->n - 1) / 2) + call_at(call, call->n / 2)) / 2 : NAN;
}

/* Medians over all processes, of which the sum of their own tells nothing. */
static void medians_write(struct db *db, const struct model *model, const struct call_table *tables)
{
	for (size_t r = 0; r < model->regions.n; r++) {
		struct call *all = NULL;

		for (size_t p = 0; p < model->processes.n; p++)
			if (tables[p].by_region && tables[p].by_region[r] && tables[p].by_region[r]->n &&
				call_merge(&all, tables[p].by_region[r]) < 0)
				db->failed = true;
		if (all)
			db_put(db, "insert into median values (1,'call',?,?,?) on conflict do update set ns = NULL, stddev = NULL",
				"sdd", model->regions.at[r].name, call_median(all), call_deviation(all));
		call_free(all);
	}
}

void calls_write(struct db *db, const struct model *model, const struct call_table *tables)
{
	for (size_t p = 0; p < model->processes.n; p++)
		for (size_t r = 0; tables[p].by_region && r < model->regions.n; r++) {
			const struct call *call = tables[p].by_region[r];
			const struct region *region = &model->regions.at[r];

			if (!call || !call->n)
				continue;
			db_put(db,
				"insert into call values (1,?,?,?,?,?,?,?,?,?,?,?) on conflict do update set "
				"calls = calls + excluded.calls, total_ns = total_ns + excluded.total_ns, "
				"min_ns = min(min_ns, excluded.min_ns), max_ns = max(max_ns, excluded.max_ns), "
				"median_ns = NULL, stddev_ns = NULL",
				"issiiiiddii", model->processes.at[p].id, region->name,
				region_kind_names[region->kind], (int64_t)call->n,
				(int64_t)call->total, (int64_t)call->min, (int64_t)call->max,
				call_median(call), call_deviation(call),
				(int64_t)call->sent, (int64_t)call->received);
		}
	medians_write(db, model, tables);
}

void calls_free(struct call_table *tables, const struct model *model)
{
	for (size_t p = 0; tables && p < model->processes.n; p++) {
		for (size_t r = 0; tables[p].by_region && r < model->regions.n; r++) {
			call_free(tables[p].by_region[r]);
		}
		free(tables[p].by_region);
	}
	free(tables);
}
