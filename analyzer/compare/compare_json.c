/* compare_json.c - tacho compare for programs: the same figures as one JSON object. */
#include "config.h"

#include <stdio.h>

#include "base/json.h"
#include "compare/compare.h"

static void change_put(struct json *json, const char *key, const struct compare *compare,
	const struct change *change)
{
	struct computing computing;

	json_object(json, key, JSON_INLINE);
	json_text(json, "of", compare->unit);
	json_number(json, "base_ns", change->base_ns);
	json_number(json, "new_ns", change->new_ns);
	json_number(json, "share", change->share);
	json_number(json, "low", change->low);
	json_number(json, "high", change->high);
	json_number(json, "runs_differ_by", compare->apart.share);
	json_integer(json, "base_blocks", change->nbase);
	json_integer(json, "new_blocks", change->nnew);
	json_number(json, "threshold", compare->threshold);
	json_bool(json, "decided",
		compare_computing_is_slower(compare, &computing) ||
			(!change_is_open(change, compare->threshold) &&
				!compare_disturbed(compare, true)));
	json_end(json);
}

static void gate_put(struct json *json, const struct gate *gate)
{
	static const char *const states[] = { [GATE_PASSED] = "passed",
		[GATE_OPEN] = "not decided",
		[GATE_FAILED] = "failed" };

	json_object(json, "gate", JSON_INLINE);
	json_text(json, "state", states[gate->state]);
	json_text(json, "failed", gate->failed ? gate->failed : "");
	json_text(json, "not_decided", gate->open ? gate->open : "");
	json_end(json);
}

void compare_json(const struct compare *compare, const struct gate *gate)
{
	struct json json = { .out = stdout };

	json_object(&json, NULL, JSON_LINES);
	result_json_row(&json, "base", &compare->runs, 0);
	result_json_row(&json, "new", &compare->runs, 1);
	change_put(&json, "change", compare, &compare->change);
	change_put(&json, "mean", compare, &compare->mean);
#define PART(name) result_json(&json, #name, &compare->name);
	COMPARE_PARTS(PART)
#undef PART
	if (gate)
		gate_put(&json, gate);
	json_end(&json);
}
