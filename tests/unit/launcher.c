/* launcher.c - which launchers get options to hand on, and how their arguments change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tacho/launcher.h"

static char root[] = "/tmp/tacho-launcher-XXXXXX";
static char path_variable[64];
static char *environment[] = {
	(char *)(uintptr_t) "HOME=/root",
	(char *)(uintptr_t) "LD_PRELOAD=/lib/libtacho.so",
	(char *)(uintptr_t) "TACHO_DIR=/run",
	(char *)(uintptr_t) "TACHO_PARENT=x:0",
	path_variable,
	NULL,
};

static void make(const char *name, const char *target)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (target) {
		assert_int_equal(symlink(target, path), 0);
		return;
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	chmod(path, 0700);
}

/* The arguments that a command line becomes, joined by blanks. */
static const char *launched(const char *line)
{
	static char words[512], result[1024];
	char *argv[32], *room[128];
	size_t n = 0, need;
	char *const *to = argv;

	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[n++] = word;
	argv[n] = NULL;
	need = launcher_room(argv[0], true, argv, environment);
	assert_true(need < 128);
	if (need)
		to = launcher_arguments(room, argv, environment);
	assert_true(!need || launcher_count(to) < need);
	*result = '\0';
	for (size_t i = 0; to[i]; i++)
		sprintf(result + strlen(result), "%s%s", i ? " " : "", to[i]);
	return result;
}

#define GIVEN "-x LD_PRELOAD=/lib/libtacho.so -x TACHO_DIR=/run"

static void open_mpi_is_told_behind_all_links(void **state)
{
	(void)state;
	assert_string_equal(launched("mpirun -n 2 ./a"), "mpirun " GIVEN " -n 2 ./a");
	assert_string_equal(launched("mpiexec ./a"), "mpiexec " GIVEN " ./a");
	assert_string_equal(launched("prterun ./a"), "prterun " GIVEN " ./a");
}

static void what_the_user_hands_on_stays(void **state)
{
	(void)state;
	assert_string_equal(launched("mpirun -x A=1 -n 2 ./a"), "mpirun " GIVEN " -x A=1 -n 2 ./a");
	assert_string_equal(launched("mpirun -x LD_PRELOAD ./a"),
		"mpirun -x TACHO_DIR=/run -x LD_PRELOAD ./a");
	assert_string_equal(launched("mpirun " GIVEN " ./a"), "mpirun " GIVEN " ./a");
}

/* Else ranks would have the user's library and not libtacho. */
static void libtacho_stands_before_the_users_preload(void **state)
{
	char *kept = environment[1];

	(void)state;
	assert_string_equal(launched("mpirun -x LD_PRELOAD=/lib/other.so ./a"),
		"mpirun -x TACHO_DIR=/run -x LD_PRELOAD=/lib/libtacho.so:/lib/other.so "
		"./a");
	assert_string_equal(launched("mpirun -x LD_PRELOAD= ./a : -x LD_PRELOAD=b.so:c.so ./b"),
		"mpirun -x TACHO_DIR=/run -x LD_PRELOAD=/lib/libtacho.so ./a : -x "
		"TACHO_DIR=/run "
		"-x LD_PRELOAD=/lib/libtacho.so:b.so:c.so ./b");
	assert_string_equal(launched("mpirun -x LD_PRELOAD=b.so:/x/libtacho.so ./a"),
		"mpirun -x TACHO_DIR=/run -x LD_PRELOAD=b.so:/x/libtacho.so ./a");
	environment[1] =
		(char *)(uintptr_t) "LD_PRELOAD=/lib/first.so:/opt/lib/libtacho.so.0 /lib/last.so";
	assert_string_equal(launched("mpirun -x LD_PRELOAD=b.so ./a"),
		"mpirun -x TACHO_DIR=/run -x LD_PRELOAD=/opt/lib/libtacho.so.0:b.so "
		"./a");
	environment[1] = (char *)(uintptr_t) "LD_PRELOAD=/lib/first.so";
	assert_string_equal(launched("mpirun -x LD_PRELOAD=b.so ./a"),
		"mpirun -x TACHO_DIR=/run -x LD_PRELOAD=b.so ./a");
	environment[1] = kept;
}

static void every_program_of_the_line_is_told(void **state)
{
	(void)state;
	assert_string_equal(launched("mpirun ./a : -n 2 ./b"),
		"mpirun " GIVEN " ./a : " GIVEN " -n 2 ./b");
}

static void others_are_left_alone(void **state)
{
	(void)state;
	assert_string_equal(launched("mpirun.hydra -n 2 ./a"), "mpirun.hydra -n 2 ./a");
	assert_string_equal(launched("mpirun.loop ./a"), "mpirun.loop ./a");
	assert_string_equal(launched("mpirun.absent ./a"), "mpirun.absent ./a");
	assert_string_equal(launched("train mpirun"), "train mpirun");
}

static void without_a_run_nothing_changes(void **state)
{
	char *kept = environment[2];

	(void)state;
	environment[2] = environment[0];
	assert_string_equal(launched("mpirun ./a"), "mpirun ./a");
	environment[2] = kept;
}

static void errno_stays(void **state)
{
	(void)state;
	errno = EPIPE;
	launched("mpirun.absent ./a");
	launched("mpirun ./a");
	assert_int_equal(errno, EPIPE);
}

static int root_make(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(path_variable, sizeof(path_variable), "PATH=/nowhere:%s", root);
	make("orterun", NULL);
	make("prterun", NULL);
	make("mpirun.openmpi", "orterun");
	make("mpirun", "mpirun.openmpi");
	make("mpiexec", "mpirun");
	make("mpiexec.hydra", NULL);
	make("mpirun.hydra", "mpiexec.hydra");
	make("mpirun.loop", "mpirun.loop");
	return 0;
}

static int root_remove(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_mpi_is_told_behind_all_links),
		cmocka_unit_test(what_the_user_hands_on_stays),
		cmocka_unit_test(libtacho_stands_before_the_users_preload),
		cmocka_unit_test(every_program_of_the_line_is_told),
		cmocka_unit_test(others_are_left_alone),
		cmocka_unit_test(without_a_run_nothing_changes),
		cmocka_unit_test(errno_stays),
	};

	return cmocka_run_group_tests_name("launcher", tests, root_make, root_remove);
}
