/* flight.c - see flight.h: finds the files of dumps, and prints the result. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/log.h"
#include "base/path_list.h"
#include "base/rundir.h"
#include "flight/flight.h"
#include "flight/flight_verdict.h"

enum { DUMP_MOST = 1 << 30 };

/* How files begin: a pickle, JSON, ncclras. */
static bool begins_so(const char *path)
{
	char head[64] = "";
	struct stat state;
	FILE *file = stat(path, &state) == 0 && S_ISREG(state.st_mode) ? fopen(path, "r") : NULL;
	size_t n = file ? fread(head, 1, sizeof(head) - 1, file) : 0;

	if (file)
		fclose(file);
	return n > 1 &&
		((unsigned char)head[0] == 0x80 || head[0] == '{' || strstr(head, "NCCL version") ||
			strstr(head, "Job summary"));
}

bool flight_is_dump(const char *path)
{
	path_list paths = { 0 };
	bool any;

	if (!path_is_folder(path))
		return begins_so(path);
	if (run_folder_is(path))
		return false;
	path_list_read(&paths, path, begins_so);
	any = paths.n;
	path_list_free(&paths);
	return any;
}

/* The file with a 0 behind it. NULL (reported). */
static char *file_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *data = NULL;
	struct stat state;

	if (file && fstat(fileno(file), &state) == 0 && state.st_size < DUMP_MOST)
		data = malloc((size_t)state.st_size + 1);
	*size = data ? fread(data, 1, (size_t)state.st_size, file) : 0;
	if (data)
		data[*size] = '\0';
	else
		log_error("cannot read %s: %s", path, file ? "it is too large" : strerror(errno));
	if (file)
		fclose(file);
	return data;
}

static void rank_json(struct json *json, const struct flight_job *job, size_t i)
{
	json_object(json, NULL, JSON_INLINE);
	json_integer(json, "rank", job->dumps.at[i].rank);
	json_integer(json, "waits", job->dumps.at[i].waits);
	json_array(json, "groups", JSON_INLINE);
	for (size_t g = 0; g < job->groups.n; g++)
		for (size_t k = 0; k < job->groups.at[g].members.n; k++) {
			const struct flight_member *member = &job->groups.at[g].members.at[k];

			if (member->dump != i)
				continue;
			json_object(json, NULL, JSON_INLINE);
			json_text(json, "group", job->groups.at[g].name);
			json_integer(json, "begun", member->begun);
			if (member->stuck)
				json_integer(json, "in", member->stuck);
			json_end(json);
		}
	json_end(json);
	json_end(json);
}

static void print_json(const struct flight_job *job, const char *text, enum flight_verdict verdict,
	FILE *out)
{
	static const char *const names[] = { "goes on", "late rank", "deadlock", "mismatch",
		"all in one operation" };
	struct json json = { .out = out };

	json_object(&json, NULL, JSON_LINES);
	json_text(&json, "verdict", names[verdict]);
	json_text(&json, "text", text);
	json_array(&json, "ranks", JSON_LINES);
	for (size_t i = 0; i < job->dumps.n; i++)
		rank_json(&json, job, i);
	json_end(&json);
	json_end(&json);
}

static void print_table(const struct flight_job *job, const char *text, FILE *out)
{
	fprintf(out, "%s\n\n%6s  %-24s  %s\n", text, "rank", "group", "collectives");
	for (size_t i = 0; i < job->groups.n; i++)
		for (size_t k = 0; k < job->groups.at[i].members.n; k++) {
			const struct flight_group *group = &job->groups.at[i];
			const struct flight_member *member = &group->members.at[k];

			fprintf(out, "%6" PRId64 "  %-24.24s  ", member->rank,
				*group->description ? group->description : group->name);
			if (member->dump == UINT32_MAX)
				fputs("no dump", out);
			else
				fprintf(out, "%" PRId64 " begun", member->begun);
			if (member->stuck)
				fprintf(out, ", in #%" PRId64, member->stuck);
			fputc('\n', out);
		}
}

static int print(struct flight_job *job, bool as_json, FILE *out)
{
	enum flight_verdict verdict;
	char *text = flight_groups(job) == 0 ? flight_text(job, &verdict) : NULL;

	if (text && as_json)
		print_json(job, text, verdict, out);
	else if (text)
		print_table(job, text, out);
	free(text);
	return text ? 0 : -1;
}

/* Each file by how it begins. 1: it was ncclras's, and is printed. */
static int file_take(struct flight_job *job, const char *path, bool as_json, FILE *out)
{
	size_t size;
	char *data = file_read(path, &size);
	bool is_dump = data && ((unsigned char)data[0] == 0x80 || data[0] == '{');
	int ret = !data	  ? -1
		: is_dump ? flight_dump_read(job, path, (const unsigned char *)data, size)
			  : (flight_ras(path, data, as_json, out) < 0 ? -1 : 1);

	free(data);
	return ret;
}

int flight_where(char *const *paths, size_t n, bool as_json, FILE *out)
{
	struct flight_job job = { 0 };
	path_list files = { 0 };
	int ret = 0;

	for (size_t i = 0; i < n; i++) {
		char **at;

		if (path_is_folder(paths[i]))
			path_list_read(&files, paths[i], begins_so);
		else if ((at = ARRAY_ADD(&files)))
			*at = strdup(paths[i]);
	}
	for (size_t i = 0; ret >= 0 && i < files.n; i++)
		ret = file_take(&job, files.at[i], as_json, out);
	if (ret >= 0 && job.dumps.n)
		ret = print(&job, as_json, out);
	flight_job_free(&job);
	path_list_free(&files);
	return ret < 0 ? -1 : 0;
}
