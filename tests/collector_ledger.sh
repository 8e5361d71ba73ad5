#!/bin/sh
# What cannot be recorded is counted with its reason: events that limits leave no room for, children
# that do not reach the folder of spools.
. "$top_srcdir/tests/collector_common.sh"
echo 1..2

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
	struct rlimit limit = { 0, RLIM_INFINITY };
	int fd = open(argv[2], O_RDONLY), memory = !strcmp(argv[1], "memory");

	reads(fd, 1000);
	limit.rlim_cur = memory ? pages_mapped() + 4096 : 65536;
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
	TACHO_SAMPLE_HZ=0 TACHO_ALL=1 record "$tmp/$kind" "$tmp/limits" $kind "$tmp/data" 2>"$tmp/said"
	echo "$?" >"$tmp/status"
	ok "a limit on $kind: the program ends as it would, and the loss has its reason" \
		same "$(cat "$tmp/status") $(counts "$tmp/$kind")" "0 1|1|$([ $kind = file ] && echo file_limit || echo no_memory)"
done
