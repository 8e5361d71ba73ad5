/* metric_names.c - the definitions of metrics.def, see metric.h. */
#include "config.h"

#include "metrics/metric.h"

const struct metric_definition metric_definitions[METRIC_COUNT] = {
#define METRIC(model, name, unit, formula, undefined) { #model, #name, unit, formula, undefined },
#include "metrics/metrics.def"
};
