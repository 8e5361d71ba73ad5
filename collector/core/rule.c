/* rule.c - see rule.h. */
#include "config.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "core/rule.h"
#include "core/sys.h"

/* Variables by which launchers give a process its place; `needs` must be set too. */
static const struct {
	const char *rank, *size, *local_rank, *local_size, *needs;
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
		"OMPI_COMM_WORLD_LOCAL_SIZE", NULL },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK",
		"MV2_COMM_WORLD_LOCAL_SIZE", NULL },
	{ "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", NULL },
	{ "PMIX_RANK", "PMIX_SIZE", "PMIX_LOCAL_RANK", "PMIX_LOCAL_SIZE", NULL },
	{ "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "WORLD_SIZE" },
	{ "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE",
		"SLURM_STEP_ID" },
};

/* Programs that start others; TACHO_IGNORE adds to them, separated by colons. */
static const char *const ignored[] = {
#define PROGRAM(pattern) pattern,
#define SCRIPT(pattern)
#include "tacho/starters.def"
#undef PROGRAM
#undef SCRIPT
};

static int32_t number(const char *variable)
{
	const char *value = variable ? getenv(variable) : NULL;

	return value && *value ? (int32_t)strtol(value, NULL, 10) : -1;
}

/* Bytes, with K, M or G; 0 = unset. */
static uint64_t size_read(const char *variable)
{
	const char *value = getenv(variable);
	char *end;
	uint64_t size;

	if (!value)
		return 0;
	size = strtoull(value, &end, 10);
	return *end == 'G'    ? size << 30
		: *end == 'M' ? size << 20
		: *end == 'K' ? size << 10
			      : size;
}

/* Seconds, with m for minutes or h for hours; 0 = unset. */
static double time_read(const char *variable)
{
	const char *value = getenv(variable);
	char *end;
	double n = value ? strtod(value, &end) : 0;

	if (!(n > 0))
		return 0;
	return *end == 'h' ? n * 3600 : *end == 'm' ? n * 60 : n;
}

static uint32_t rate_read(const char *variable)
{
	int32_t n = number(variable);

	return n < 0 ? ASKED_NOT : (uint32_t)n;
}

static void asked_read(struct asked *asked, const char *run)
{
	const char *max = getenv("TACHO_MAX_SIZE");

	/* a path that is longer leads nowhere */
	snprintf(asked->run, sizeof(asked->run), "%s", strlen(run) < PATH_MAX ? run : "");
	asked->sample_hz = rate_read("TACHO_SAMPLE_HZ");
	asked->python_hz = rate_read("TACHO_PYTHON_HZ");
	asked->max_spool = size_read("TACHO_MAX_SPOOL");
	asked->max_size = size_read("TACHO_MAX_SIZE");
	asked->max_is_ranks = max && strstr(max, "/rank");
	asked->keep_last = time_read("TACHO_KEEP_LAST");
}

static struct ranks ranks_read(void)
{
	struct ranks none = { -1, -1, -1, -1 };

	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		if (launchers[i].needs && !getenv(launchers[i].needs))
			continue;
		if (number(launchers[i].rank) >= 0)
			return (struct ranks){ number(launchers[i].rank), number(launchers[i].size),
				number(launchers[i].local_rank), number(launchers[i].local_size) };
	}
	return none;
}

static bool listed(const char *list, const char *name)
{
	char pattern[256];
	size_t n;

	for (; list && *list; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		if (n && snprintf(pattern, sizeof(pattern), "%.*s", (int)n, list) > 0 &&
			!fnmatch(pattern, name, 0))
			return true;
	}
	return false;
}

bool program_is_ignored(const char *name)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		if (!fnmatch(ignored[i], name, 0))
			return true;
	return listed(getenv("TACHO_IGNORE"), name);
}

/* The name of the program that a process runs: "" when it cannot be known. */
static const char *program_name(const char *link, char *path, size_t size)
{
	ssize_t n = sys_readlink(link, path, size - 1);

	path[n > 0 ? n : 0] = '\0';
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

/* Whether the running program only starts others. */
static bool program_ignored(void)
{
	char path[PATH_MAX];

	return program_is_ignored(program_name("/proc/self/exe", path, sizeof(path)));
}

/* Launchers that an interpreter runs: scripts, and modules after -m (patterns). */
static const char *const launcher_scripts[] = {
#define PROGRAM(pattern)
#define SCRIPT(pattern) pattern,
#include "tacho/starters.def"
#undef PROGRAM
#undef SCRIPT
};

static bool is_launcher_script(const char *argument)
{
	const char *name = strrchr(argument, '/') ? strrchr(argument, '/') + 1 : argument;

	for (size_t i = 0; i < sizeof(launcher_scripts) / sizeof(*launcher_scripts); i++)
		if (!fnmatch(launcher_scripts[i], name, 0))
			return true;
	return program_is_ignored(name);
}

/* Whether an interpreter runs a launcher (torchrun, python -m torch.distributed.run). */
static bool script_ignored(void)
{
	char text[PATH_MAX], *at = text;
	int fd = sys_open("/proc/self/cmdline", O_RDONLY, 0);
	ssize_t n = fd < 0 ? 0 : sys_read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* the first argument that is no option is the script, or the module of -m */
	do {
		at += strlen(at) + 1;
	} while (at < text + n && *at == '-');
	return at < text + n && is_launcher_script(at);
}

bool program_starts_others(void)
{
	return program_ignored() || script_ignored();
}

/*
 * Whether this is the program that `tacho record` started, or that env, nice and others became;
 * timeout and time do not become it, but start it.
 */
static bool is_command(void)
{
	const char *value = getenv("TACHO_COMMAND"), *name;
	unsigned long command = value ? strtoul(value, NULL, 10) : 0;
	char link[64], path[PATH_MAX];

	if (!command || (command != sys_pid() && command != (unsigned long)getppid()) ||
		program_starts_others())
		return false;
	if (command == sys_pid())
		return true;
	snprintf(link, sizeof(link), "/proc/%lu/exe", command);
	name = program_name(link, path, sizeof(path));
	return !strcmp(name, "timeout") || !strcmp(name, "time");
}

/*
 * TACHO_PARENT=<folder>:<kind>:<rank>:<size>:<local rank>:<local size>, set by exec.c for the program
 * that a recorded process starts.
 */
static bool parent_read(void)
{
	struct process *p = &tacho_process;
	const char *value = getenv("TACHO_PARENT"), *colon, *pid;

	if (!value || !(colon = strchr(value, ':')) || (size_t)(colon - value) >= sizeof(p->parent))
		return false;
	/* a launcher's rank that a process without one has started is no child of it */
	if (colon[1] == PARENT_UNRANKED && p->ranks.rank >= 0)
		return false;
	memcpy(p->parent, value, (size_t)(colon - value));
	p->parent[colon - value] = '\0';
	p->is_child = colon[1] == PARENT_CHILD;
	/* a program that was given an environment without the launcher's variables */
	if (p->ranks.rank < 0 && colon[1] && colon[2] == ':')
		sscanf(colon + 3, "%d:%d:%d:%d", &p->ranks.rank, &p->ranks.size,
			&p->ranks.local_rank, &p->ranks.local_size);
	/* <host>.<pid>.<k>: another process's program is a child, the own one's successor is not */
	for (pid = colon; pid > value && pid[-1] != '.'; pid--)
		;
	for (pid -= pid > value; pid > value && pid[-1] != '.'; pid--)
		;
	if (strtoul(pid, NULL, 10) != sys_pid())
		p->is_child = 1;
	return true;
}

enum gate rule_decide(unsigned region)
{
	const char *all = getenv("TACHO_ALL"), *run = getenv("TACHO_DIR");
	bool descends;

	if (!run || !*run)
		return GATE_CLOSED;
	tacho_process.ranks = ranks_read();
	asked_read(&tacho_process.asked, run);
	descends = parent_read();
	if (region_joins(region) || (all && *all == '1'))
		return GATE_OPEN;
	if ((descends || tacho_process.ranks.rank >= 0) && !program_ignored())
		return GATE_OPEN;
	if (is_command())
		return GATE_OPEN;
	return GATE_MPI;
}

void rule_attached(const char *run)
{
	tacho_process.ranks = ranks_read();
	asked_read(&tacho_process.asked, run);
}

bool join_would(void)
{
	return atomic_load(tacho_gate) == GATE_UNDECIDED && !tacho_process.pid &&
		rule_decide(REGION_NONE) == GATE_OPEN;
}
