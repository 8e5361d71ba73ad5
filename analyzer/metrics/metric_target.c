/* metric_target.c - when a training reached its target: time to quality. See metric.h. */
#include "config.h"

#include <stdio.h>

#include "engine/engine.h"
#include "metrics/metric.h"

static const char target_sql[] =
	"create temp table target as select ?1 as name, case ?2 when '=' then coalesce((select case falls "
	"when 1 then -1 end from training where run_id = 1 and name = ?1), 1) when '<' then -1 else 1 end "
	"as sign, ?3 as value";

/* Where several values come at one time the first one counts. */
static const char met_sql[] =
	"create temp table target_met as select t_ns, step + 1 as steps from training_point p join "
	"temp.target t on t.name = p.name where p.run_id = 1 and p.value * t.sign >= t.value * t.sign "
	"order by p.nth limit 1";

static const char best_sql[] =
	"create temp table target_best as select max(p.value * t.sign) * t.sign as value, count(*) as n "
	"from training_point p join temp.target t on t.name = p.name where p.run_id = 1";

static const char metric_sql[] =
	"insert into metric (run_id, \"window\", model, name, subject, value, unit, flag) select 1, 'run', "
	"'training', k.column1, '', case k.column2 when 0 then m.t_ns else m.steps end, k.column3, case "
	"when b.n = 0 then 'the program gave no value of ' || t.name || ': tacho_metric()' "
	"when m.t_ns is null then t.name || ' was ' || coalesce(printf('%.4g', b.value), 'no number') || "
	"' at best' when k.column2 and m.steps is null then 'no step had begun' end "
	"from temp.target t join temp.target_best b left join temp.target_met m join (values "
	"('time_to_target', 0, 'ns'), ('steps_to_target', 1, 'count')) k";

void metric_target_write(struct engine *engine, const char *target)
{
	const char *const all[] = { met_sql, best_sql, metric_sql, "drop table temp.target",
		"drop table temp.target_met", "drop table temp.target_best" };
	struct db *db = &engine->tables.db;
	char name[256], sign[3];
	double value;

	if (!target || sscanf(target, "%255[^<>=]%2[<>=]%lf", name, sign, &value) != 3)
		return;
	sign[1] = '\0';
	db_put(db, target_sql, "ssd", name, sign, value);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		db_put(db, all[i], "");
}
