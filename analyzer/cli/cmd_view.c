/* cmd_view.c - tacho view: the page of a run, served to a browser on this machine. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "serve/serve.h"

static struct {
	int64_t port, interval;
} wanted = { .interval = 10000000000 };

static const struct option option_table[] = {
	{ "port", 'p', "N", "listen on port N of 127.0.0.1 (any)", .number = &wanted.port },
	{ "interval", 'i', "TIME", "least time between two pages of a run in progress (10s)",
		.time = &wanted.interval },
	{ 0 }
};

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static bool has_database(const char *run)
{
	char *path = path_join(run, RUNDIR_DATABASE);
	bool has = path && path_exists(path);

	free(path);
	return has;
}

static int view(int argc, char **argv)
{
	const struct sigaction act = { .sa_handler = stop };
	struct serve_options options = { .port = (int)wanted.port, .interval = wanted.interval };

	(void)argc;
	if (wanted.port < 0 || wanted.port > 65535)
		return usage_error(&command_view, "--port: 0 to 65535");
	if (access(argv[0], F_OK) < 0 && errno == ENOENT) {
		log_error("there is no run %s: begin one with `tacho record -o %s`", argv[0],
			argv[0]);
		return EXIT_FAILED;
	}
	if ((path_is_folder(argv[0]) || access(argv[0], R_OK) < 0) &&
		run_folder_lacks(argv[0], !has_database(argv[0])))
		return EXIT_FAILED;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	return serve_run(argv[0], &options, &stopped) < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_view = {
	.name = "view",
	.summary = "Serve the report page of a finished or running job to a browser",
	.arguments = "RUN",
	.least = 1,
	.most = 1,
	.notes =
		"It prints the address, which has a token, and serves until it is interrupted. Only "
		"programs on\n"
		"this machine can connect. The run is not changed.\n",
	.options = option_table,
	.run = view,
};
