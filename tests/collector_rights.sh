#!/bin/sh
# Programs that give up their rights or change their root, as services do, are recorded to their end.
. "$top_srcdir/tests/collector_common.sh"
echo 1..8

cat >"$tmp/rights.c" <<'E2'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READS = 60000, NOBODY = 65534 };

static int fd;

static void *reads(void *unused)
{
	char byte;

	for (int i = 0; i < READS; i++)
		if (pread(fd, &byte, 1, 0) != 1)
			abort();
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *root = argv[2];
	pthread_t thread;

	fd = open(argv[3], O_RDONLY);
	reads(NULL);
	if (strstr(how, "chroot") && (chroot(root) || chdir("/")))
		return 2;
	if (strstr(how, "setuid") && setuid(NOBODY))
		return 2;
	if (strstr(how, "swap") && seteuid(NOBODY))
		return 2;
	reads(NULL);
	if (strstr(how, "children")) {
		for (int i = 0; i < 4; i++)
			if (!fork()) {
				pthread_create(&thread, NULL, reads, NULL);
				pthread_join(thread, NULL);
				_exit(0);
			} else
				wait(NULL);
		return 0;
	}
	if (strstr(how, "swap") && seteuid(0))
		return 2;
	if (strstr(how, "close"))
		for (int i = 3; i < 1024; i++)
			if (i != fd)
				close(i);
	pthread_create(&thread, NULL, reads, NULL);
	pthread_join(thread, NULL);
	return 0;
}
E2
if [ "$(id -u)" -ne 0 ]; then
	for how in setuid chroot both swap closed few silent mount; do skip "$how" "only root may change its user and its root"; done
	exit 0
fi
${CC:-cc} -w -O2 -pthread -o "$tmp/rights" "$tmp/rights.c" || exit 99
mkdir "$tmp/root" && echo x >"$tmp/data"

# whole HOW [LIMIT]: all 180,000 reads are there, none was lost
whole()
{
	(ulimit -n "${2:-1024}" && TACHO_ALL=1 record "$tmp/$1" "$tmp/rights" "$1" "$tmp/root" "$tmp/data") || return 1
	"$top_builddir/analyzer/tacho" -q merge "$tmp/$1" && "$top_builddir/analyzer/tacho" -q analyze "$tmp/$1" || return 1
	same "$(sqlite3 "$tmp/$1/tacho.db" "select (select sum(calls) from call where name = 'pread') || ' ' || (select count(*) from loss)")" "180000 0"
}

ok "after setuid, in a new thread, too" whole setuid
ok "after chroot" whole chroot
ok "after both" whole chroot_setuid
ok "while it is another user for some time" whole swap
ok "when it closes all descriptors but its own before" whole swap_close
# none is kept then, and it is given to the new user, who must be able to reach it
chmod 755 "$tmp" && mkdir -p "$tmp/setuid_few/spool" && chmod 755 "$tmp/setuid_few" "$tmp/setuid_few/spool"
ok "after setuid with few descriptors, where the folder can be reached" whole setuid_few 64

# threads that its children start: counted by the ledger, without a line of each child
silent()
{
	TACHO_ALL=1 record "$tmp/silent" "$tmp/rights" setuid_children "$tmp/root" "$tmp/data" 2>"$tmp/said" || return 1
	"$top_builddir/analyzer/tacho" -q merge "$tmp/silent" && "$top_builddir/analyzer/tacho" -q analyze "$tmp/silent" || return 1
	# each child's first records fit its slot
	same "$(cat "$tmp/said")$(sqlite3 "$tmp/silent/tacho.db" "select kind, sum(count) between 200000 and 250000
		from not_recorded where reason = 'unreachable' group by 1")" "event|1"
}
ok "threads of children that cannot reach the run are counted, and nothing is printed" silent

# the first program that would join begins under a mount that hides the run
hidden()
{
	mkdir "$tmp/hidden" && TACHO_ALL=1 record "$tmp/hidden/run" unshare -m sh -c \
		"mount -t tmpfs none '$tmp/hidden' && (cat '$tmp/data'); cat '$tmp/data'; find '$tmp/hidden'" \
		>"$tmp/found" || return 1
	same "$(cat "$tmp/found")" "x
x
$tmp/hidden"
}
if unshare -m true 2>/dev/null; then
	ok "no run is made anew under a mount" hidden
else
	skip "no run is made anew under a mount" "no mount namespace can be made"
fi
