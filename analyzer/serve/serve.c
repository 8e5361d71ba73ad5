/*
 * serve.c - see serve.h. A child process makes each page in FOLDER/N, and the newest is served; a look at
 * the spools between gives the line above it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/log.h"
#include "base/rundir.h"
#include "otf2/otf2_out.h"
#include "record/snapshot.h"
#include "report/report.h"
#include "serve/http.h"
#include "serve/serve.h"
#include "watch/watch_view.h"

enum { LOOK_NS = 2000000000, POLL_MS = 200 };
#define PAGE_SHARE 4 /* a page may take this part of the time: the run has the cores */

struct serve {
	const char *run;
	char folder[64];
	int64_t interval, next_look, next_page, begun;
	struct live live;
	char *line;		  /* what `tacho watch` prints, NULL: nothing */
	unsigned version, making; /* of the page that is served, that is made; 0: none */
	pid_t maker;		  /* 0: none */
	bool goes_on, failed;
	bool is_final; /* of a run that is over: this page, or the one being made */
};

static char *page_folder(const struct serve *serve, unsigned version)
{
	char *path = NULL;

	return asprintf(&path, "%s/%u", serve->folder, version) < 0 ? NULL : path;
}

/* The database of a run that has been analysed, to be freed; NULL: there is none yet. */
static char *database_find(const char *run)
{
	char *path = run_database(run);

	if (path && path_exists(path))
		return path;
	free(path);
	return NULL;
}

/* --- a page --- */

/* Runs in a child process. 0, or -1. */
static int page_make(const struct serve *serve, const char *folder)
{
	char *database = database_find(serve->run), *page = path_join(folder, RUNDIR_REPORT);
	const struct report_options options = { .output = page };
	int ret = -1;

	if (!database)
		ret = snapshot_take(serve->run, folder, true, 1, NULL);
	else if (page && mkdir(folder, 0700) == 0)
		ret = report_run(serve->run, &options);
	free(database);
	free(page);
	return ret;
}

static void page_begin(struct serve *serve, int64_t now)
{
	char *folder = page_folder(serve, serve->version + 1);
	pid_t parent = getpid();

	serve->making = serve->version + 1;
	serve->begun = now;
	serve->maker = folder ? fork() : -1;
	if (serve->maker == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (serve->goes_on && nice(10) == -1)
			log_debug("the page is made at full priority");
		if (!serve->is_final)
			log_level = LOG_QUIET;
		guard_leave(getppid() != parent || page_make(serve, folder) < 0);
	}
	if (serve->maker < 0)
		serve->maker = 0;
	free(folder);
}

static void folder_drop(const struct serve *serve, unsigned version)
{
	char *folder = version ? page_folder(serve, version) : NULL;

	if (folder)
		folder_remove(folder);
	free(folder);
}

/* A page that is complete takes the place of the one before. */
static void page_end(struct serve *serve, int64_t now)
{
	int status;

	if (!serve->maker || waitpid(serve->maker, &status, WNOHANG) != serve->maker)
		return;
	serve->maker = 0;
	serve->next_page = now + PAGE_SHARE * (now - serve->begun);
	if (serve->next_page < serve->begun + serve->interval)
		serve->next_page = serve->begun + serve->interval;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		folder_drop(serve, serve->version);
		serve->version = serve->making;
	} else {
		folder_drop(serve, serve->making);
		serve->failed = serve->is_final; /* reported */
	}
}

/* --- the run --- */

static void look(struct serve *serve)
{
	struct view view;
	size_t size;
	FILE *out;

	if (live_look(&serve->live) < 0 || view_make(&view, &serve->live) < 0)
		return;
	free(serve->line);
	serve->line = NULL;
	out = open_memstream(&serve->line, &size);
	if (out) {
		view_line(&view, out);
		fclose(out);
	}
	view_free(&view);
}

/* Checks for changes, and updates the page if needed. */
static void run_follow(struct serve *serve, int64_t now)
{
	char *database = database_find(serve->run), *ended = run_property(serve->run, "end_ns");

	serve->goes_on = !database && !ended;
	if (serve->goes_on && now >= serve->next_look) {
		look(serve);
		serve->next_look = now + LOOK_NS;
	}
	page_end(serve, now);
	if (!serve->maker && now >= serve->next_page && !serve->is_final) {
		serve->is_final = database != NULL;
		page_begin(serve, now);
	}
	free(database);
	free(ended);
}

/* --- answers --- */

static int state_answer(const struct serve *serve, struct http_answer *answer)
{
	FILE *out = open_memstream(&answer->bytes, &answer->size);
	struct json json = { .out = out };

	if (!out)
		return -1;
	json_object(&json, NULL, JSON_INLINE);
	json_number(&json, "version", serve->version);
	json_text(&json, "state", serve->goes_on ? "running" : serve->is_final ? "over" : "ended");
	json_text(&json, "line", serve->goes_on && serve->line ? serve->line : "");
	json_end(&json);
	fclose(out);
	answer->type = "application/json";
	return 0;
}

static int data_answer(const char *name, const char *type, struct http_answer *answer)
{
	char *path = report_file(name);

	answer->fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	answer->type = type;
	free(path);
	return answer->fd < 0 ? -1 : 0;
}

static const char *type_of(const char *name)
{
	static const struct {
		const char *end, *type;
	} types[] = { { ".html", "text/html; charset=utf-8" },
		{ ".csv", "text/csv; charset=utf-8" }, { ".svg", "image/svg+xml" },
		{ ".png", "image/png" } };
	const char *end = strrchr(name, '.');

	for (size_t i = 0; end && i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(end, types[i].end) == 0)
			return types[i].type;
	return "text/plain; charset=utf-8";
}

/* Serves report.html or report/NAME of the page: regular files only. */
static int file_answer(const struct serve *serve, const char *name, struct http_answer *answer)
{
	static const char folder[] = "report/";
	bool below = strncmp(name, folder, strlen(folder)) == 0;
	const char *last = below ? name + strlen(folder) : name;
	char *page = page_folder(serve, serve->version),
	     *path = page ? path_join(page, name) : NULL;

	if (path && serve->version && last[0] != '.' && !strchr(last, '/') &&
		(below || strcmp(name, RUNDIR_REPORT) == 0))
		answer->fd = run_file_open(path);
	answer->type = type_of(name);
	free(page);
	free(path);
	return answer->fd < 0 ? -1 : 0;
}

static int serve_answer(void *user, const char *path, struct http_answer *answer)
{
	const struct serve *serve = user;

	if (strcmp(path, "state") == 0)
		return state_answer(serve, answer);
	if (strcmp(path, "") == 0)
		return data_answer("follow.html", "text/html; charset=utf-8", answer);
	if (strcmp(path, "follow.js") == 0)
		return data_answer("follow.js", "text/javascript; charset=utf-8", answer);
	return file_answer(serve, path, answer);
}

static int folder_make(char folder[64])
{
	const char *temporary = getenv("TMPDIR");

	if (!temporary || strlen(temporary) > 40)
		temporary = "/tmp";
	snprintf(folder, 64, "%s/tacho-view.XXXXXX", temporary);
	if (mkdtemp(folder))
		return 0;
	log_error("cannot make a folder in %s: %s", temporary, strerror(errno));
	folder[0] = '\0';
	return -1;
}

int serve_run(const char *run, const struct serve_options *options,
	const volatile sig_atomic_t *stopped)
{
	struct serve serve = { .run = run, .interval = options->interval };
	struct http http = { .fd = -1, .answer = serve_answer, .user = &serve };
	int ret = http_open(&http, options->port);

	if (ret == 0)
		ret = live_open(&serve.live, run);
	if (ret == 0)
		ret = folder_make(serve.folder);
	if (ret == 0) {
		printf("http://127.0.0.1:%d/%s/\n", http.port, http.token);
		fflush(stdout);
	}
	while (ret == 0 && !*stopped && !serve.failed) {
		run_follow(&serve, clock_now_ns(CLOCK_MONOTONIC));
		ret = http_serve(&http, POLL_MS);
	}
	if (serve.maker) {
		kill(serve.maker, SIGKILL);
		waitpid(serve.maker, NULL, 0);
	}
	if (serve.folder[0])
		folder_remove(serve.folder);
	live_close(&serve.live);
	http_close(&http);
	free(serve.line);
	return serve.failed ? -1 : ret;
}
