/*
 * counters_series.h - the counters of an archive (metric events of samplers),
 * taken in while locations are read: values thinned into the table `sample`,
 * and bytes of network and storage added up over time per node.
 */
#ifndef ANALYZER_COUNTERS_SERIES_H
#define ANALYZER_COUNTERS_SERIES_H

#include "model/model.h"
#include "model/states.h"
#include "tables/rate.h"

struct tables;
struct work;

/*
 * One metric as one location recorded it. Another location may continue with it (see merge_metrics).
 */
struct counter_series {
	const struct in_metric_member *member;
	uint32_t node;
	uint32_t process;	 /* MODEL_NONE: of the node */
	int kind;		 /* enum rate_kind that it counts towards, -1: none */
	int64_t first_t, last_t; /* ns; of the values below */
	double first, last;
	int64_t sampled_t; /* of the latest row in `sample` */
	/* growth of a counter; a step back (a device was replaced) counts as none */
	double gained;
	double children; /* of that, what children had gained */
	uint64_t n;
};

struct counters {
	ARRAY_OF(struct counter_series) series;
	struct idmap map;    /* location << 32 | member → series */
	struct rates *rates; /* per node */
	struct counter_node {
		bool physical, infiniband;
		bool seen[RATE_COUNT];
		bool disks; /* block devices are among its storage */
	} * nodes;
};

/* Before the events. 0, or -1 without memory (reported). */
int counters_open(struct tables *tables);

/* A value as it was recorded. */
static inline double metric_number(OTF2_Type type, OTF2_MetricValue value)
{
	return type == OTF2_TYPE_DOUBLE	  ? value.floating_point
		: type == OTF2_TYPE_INT64 ? (double)value.signed_int
					  : (double)value.unsigned_int;
}

/*
 * Handles a metric event of a location, which belongs to `process`; `now`: its present state. Its
 * own counters are added up in `work`.
 */
void counters_take(struct tables *tables, uint32_t location, const struct host_now *now,
	struct work *work, const struct event *event);

/* After the events: last values, and the gaps where one sampler took over from another. */
void counters_finish(struct tables *tables);
void counters_close(struct tables *tables);

#endif
