/* snapshot.c - see snapshot.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "analyze/roofs.h"
#include "base/log.h"
#include "base/rundir.h"
#include "merge/merge.h"
#include "record/record_job.h"
#include "record/snapshot.h"
#include "report/report.h"
#include "report/summary.h"

/* Copies tacho doctor's earlier measurements into the snapshot. */
static int roofs_take(const char *run, const char *snap)
{
	char *roofs = roofs_kept(run);
	int ret = roofs ? roofs_keep(snap, roofs) : 0;

	free(roofs);
	return ret;
}

static int parts_make(const char *run, const char *snap, int jobs, FILE *out)
{
	char *trace = path_join(snap, RUNDIR_TRACE), *database = path_join(snap, RUNDIR_DATABASE),
	     *report = path_join(snap, RUNDIR_REPORT);
	const struct merge_options merge = { .output = trace,
		.jobs = jobs,
		.goes_on = true,
		.snapshot = true };
	const struct analyze_options analyze = { .jobs = jobs };
	bool written;
	int ret = -1;

	if (!trace || !database || !report || merge_run(run, &merge) < 0 ||
		roofs_take(run, snap) < 0 || analyze_run(snap, &analyze) < 0)
		goto out;
	written = report_run(snap, &(struct report_options){ 0 }) == 0;
	ret = written ? 0 : -1;
	if (out &&
		summary_print(database, out,
			&(struct summary_options){ .report = written ? report : NULL }) < 0)
		ret = -1;
out:
	free(trace);
	free(database);
	free(report);
	return ret;
}

int snapshot_take(const char *run, const char *snap, bool force, int jobs, FILE *out)
{
	return record_folder_make(snap, force) < 0 ? -1 : parts_make(run, snap, jobs, out);
}

int control_add(const char *run, int64_t ahead, const char *text)
{
	char *path = path_join(run, RUNDIR_CONTROL), *line = NULL;
	struct timespec t;
	int fd = -1, n, ret = -1;

	clock_gettime(CLOCK_REALTIME, &t);
	n = asprintf(&line, "%lld %s\n",
		(long long)(t.tv_sec * INT64_C(1000000000) + t.tv_nsec + ahead), text);
	if (path && n > 0)
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* in one call, so that it is whole */
	if (fd >= 0 && write(fd, line, (size_t)n) == n)
		ret = 0;
	if (fd >= 0 && close(fd) < 0)
		ret = -1;
	if (ret < 0)
		log_error("cannot write %s: %s", path ? path : run, strerror(errno));
	free(path);
	free(line);
	return ret;
}
