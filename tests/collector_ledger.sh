#!/bin/sh
# What cannot be recorded is counted with its reason: events that limits leave no room for, children
# that do not reach the folder of spools. Forked ones are whole where there is a slot for them.
. "$top_srcdir/tests/collector_common.sh"
echo 1..7

cat >"$tmp/limits.c" <<'E2'
/* limits KIND FILE: reads FILE a thousand times, limits itself, and reads it 100,000 times. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void reads(int fd, int n)
{
	char byte;

	while (n--)
		if (pread(fd, &byte, 1, 0) != 1)
			abort();
}

static rlim_t pages_mapped(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!statm || fscanf(statm, "%ld", &pages) != 1)
		abort();
	fclose(statm);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	int fd = open(argv[2], O_RDONLY), memory = !strcmp(argv[1], "memory");

	reads(fd, 1000);
	limit.rlim_cur = memory ? pages_mapped() + 4096 : 65536;
	limit.rlim_max = limit.rlim_cur; /* up to the hard limit the library takes no notice */
	if (setrlimit(memory ? RLIMIT_AS : RLIMIT_FSIZE, &limit))
		return 2;
	reads(fd, 100000);
	return 0;
}
E2
${CC:-cc} -w -O2 -o "$tmp/limits" "$tmp/limits.c" || exit 99
echo x >"$tmp/data"

# counts RUN: whether calls were lost at all, whether recorded and lost ones are all, for which reasons
counts()
{
	"$top_builddir/analyzer/tacho" -q merge "$1" >/dev/null && "$top_builddir/analyzer/tacho" -q analyze "$1" || return 1
	sqlite3 "$1/tacho.db" "select (select total(count) > 1000 from loss), (select total(calls) from call where name = 'pread')
		+ (select total(count) from loss) - 101000 between 0 and 20, (select group_concat(distinct reason) from not_recorded)"
}

for kind in file memory; do
	TACHO_SAMPLE_HZ=0 record "$tmp/$kind" "$tmp/limits" $kind "$tmp/data" 2>"$tmp/said"
	echo "$?" >"$tmp/status"
	ok "a limit on $kind: the program ends as it would, and the loss has its reason" \
		same "$(cat "$tmp/status") $(counts "$tmp/$kind")" "0 1|1|$([ $kind = file ] && echo file_limit || echo no_memory)"
done

cat >"$tmp/jail.c" <<'E2'
/*
 * jail HOW ROOT: reads standard input ten times, HOW says where its child is then (chroot, both: its own root
 * before any call, user, mount), which reads ten times, too, as its own child does; exec: that is a program.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static int fd = 0;

static void reads(void)
{
	char byte;

	for (int i = 0; i < 10; i++)
		if (pread(fd, &byte, 1, 0) != 1)
			abort();
}

static int child(int more)
{
	int status;

	if (!fork()) {
		reads();
		exit(more ? child(more - 1) : 0);
	}
	return wait(&status) < 0 || status;
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *root = argv[2];

	if (strcmp(how, "early"))
		reads();
	if ((!strcmp(how, "chroot") || !strcmp(how, "early")) && (chroot(root) || chdir("/")))
		return 2;
	if (!strcmp(how, "user") && setuid(65534))
		return 2;
	if (!strcmp(how, "mount") && (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
			mount("none", root, "tmpfs", 0, NULL)))
		return 2;
	reads();
	if (!strcmp(how, "exec")) {
		char *none[] = { NULL }, *arguments[] = { "nothing", NULL };

		if (chroot(root))
			return 2;
		if (!fork())
			_exit(execve("/nothing", arguments, none) != -1);
		return wait(NULL) < 0;
	}
	return child(1);
}
E2
${CC:-cc} -w -O2 -o "$tmp/jail" "$tmp/jail.c" || exit 99

# jailed HOW RUN ROOT: status, output, calls recorded, children counted, files in the new root
jailed()
{
	TACHO_SAMPLE_HZ=0 record "$2" "$tmp/jail" "$1" "$3" <"$tmp/data" >"$tmp/said" 2>&1
	echo "$? $(wc -c <"$tmp/said")"
	"$top_builddir/analyzer/tacho" -q merge "$2" >/dev/null && "$top_builddir/analyzer/tacho" -q analyze "$2" || return 1
	sqlite3 "$2/tacho.db" "select (select total(calls) from call where name = 'pread'), (select total(count) from not_recorded
		where kind = 'process' and reason = 'jailed' and process_id = 1), (select count(*) from not_recorded where reason <> 'jailed')"
	find "$3" -mindepth 1 | wc -l
}

if [ "$(id -u)" -ne 0 ]; then
	for how in chroot early user mount exec; do skip "$how" "only root may change its user, its root and its mounts"; done
	exit 0
fi
chmod 711 "$tmp"
for how in chroot early user exec; do
	mkdir "$tmp/$how.root"
	case $how in
	chroot) expected="40.0|0.0|0" ;;
	early) expected="30.0|0.0|0" ;;
	user) expected="40.0|0.0|0" ;;
	exec) expected="20.0|1.0|0" ;;
	esac
	ok "$how: what does not reach the run is in slots that do, or counted, and makes no folder elsewhere" same \
		"$(jailed $how "$tmp/$how.run" "$tmp/$how.root")" "0 0
$expected
0"
done
mkdir "$tmp/mount.root"
if unshare -m true 2>/dev/null; then
	ok "another mount over the run: the child is counted, and makes no folder in it" same \
		"$(jailed mount "$tmp/mount.root/run" "$tmp/mount.root" | head -2)" "0 0
20.0|1.0|0"
else
	skip "mount" "this machine allows no mount namespace"
fi
