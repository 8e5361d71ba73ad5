#!/bin/sh
# What tacho record could not record has a row in not_recorded: processes that outlive the command, bytes
# that no recorded call moved. Names and clocks that a container gives lead no run astray.
. "$top_srcdir/tests/collector_common.sh"
echo 1..13
tacho=$top_builddir/analyzer/tacho
RANK=0 WORLD_SIZE=1 TACHO_SAMPLE_HZ=20
export RANK WORLD_SIZE TACHO_SAMPLE_HZ

# sql RUN QUERY
sql()
{
	sqlite3 "$1/tacho.db" "$2"
}

cat >"$tmp/work.c" <<'E2'
/*
 * work reads: ten reads of standard input. work daemon FILE: the same, and a child that goes on until FILE is
 * there, then reads ten times more and kills itself. work stores FILE: 100 MiB by libaio, which no function of libc
 * does. work writes FILE: as much by write. work shm FILE: a child writes 4 MiB of FILE where it is mapped; work kill:
 * it is killed by SIGKILL; its parent ends with 1, as a training does.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 1 << 20, BLOCKS = 100 };

static void reads(void)
{
	char byte;

	for (int i = 0; i < 10; i++)
		if (pread(0, &byte, 1, 0) != 1)
			abort();
}

static void stores(int fd, char *block)
{
	aio_context_t context = 0;
	struct io_event event;

	if (syscall(SYS_io_setup, 4, &context))
		exit(77);
	for (int i = 0; i < BLOCKS; i++) {
		struct iocb one = { .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = fd, .aio_buf = (unsigned long)block,
			.aio_nbytes = BLOCK, .aio_offset = (long long)i * BLOCK }, *list = &one;

		if (syscall(SYS_io_submit, context, 1, &list) != 1 ||
			syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1 || event.res != BLOCK)
			exit(77);
	}
}

static int worker(const char *file)
{
	siginfo_t info;
	pid_t child = fork();
	char *map;
	int fd;

	if (child)
		return waitid(P_PID, child, &info, WEXITED | WNOWAIT) || waitpid(child, NULL, 0) != child || info.si_code != CLD_EXITED;
	reads();
	if (!file)
		raise(SIGKILL);
	fd = open(file, O_RDWR | O_CREAT, 0600);
	map = ftruncate(fd, 4 * BLOCK) ? MAP_FAILED : mmap(NULL, 4 * BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		memset(map, 1, 4 * BLOCK);
	_exit(0);
}

int main(int argc, char **argv)
{
	static char block[BLOCK];
	int fd;

	reads();
	if (!strcmp(argv[1], "shm") || !strcmp(argv[1], "kill"))
		return worker(argv[2]);
	if (!strcmp(argv[1], "daemon")) {
		int begun[2];

		if (pipe(begun))
			return 77;
		if (fork())
			return read(begun[0], block, 1) != 1;
		setsid();
		write(begun[1], "x", 1);
		for (int i = 0; i < 6000 && access(argv[2], F_OK); i++)
			usleep(20000);
		reads();
		raise(SIGKILL);
	}
	if (!strcmp(argv[1], "stores") || !strcmp(argv[1], "writes")) {
		for (int i = 0; i < 50; i++)
			reads(); /* so many that counters are read */
		usleep(300000);
		fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (argv[1][0] == 's')
			stores(fd, block);
		for (int i = 0; argv[1][0] == 'w' && i < BLOCKS; i++)
			if (write(fd, block, BLOCK) != BLOCK)
				return 77;
		usleep(300000);
	}
	return 0;
}
E2
${CC:-cc} -w -O2 -o "$tmp/work" "$tmp/work.c" || exit 99
echo x >"$tmp/data"
cd "$tmp" || exit 99

"$tacho" record -o daemon -- ./work daemon go <data >said 2>&1
ok "a process that outlives the command is said and counted" same \
	"$(grep -c '1 recorded process still runs: .* `tacho finish daemon` adds it' said) $(sql daemon "select kind, reason, sum(count) from not_recorded")" \
	"1 process|outlived|1"
"$tacho" record -f -o daemon -- ./work reads <data >said 2>&1
ok "a run in which a process still records is not replaced" same "$? $(grep -c 'daemon is being recorded and is not replaced' said)" "1 1"
pid=$(sql daemon "select pid from process where end = 'running'")
: >go
for i in $(seq 1000); do
	grep -qs '^State:	[^ZX]' "/proc/$pid/status" || break
	sleep 0.05
done
"$tacho" finish daemon >said 2>&1
ok "finish adds what it did until it was killed" same \
	"$? $(sql daemon "select total(calls) from call where name = 'pread'") $(sql daemon "select count(*) from not_recorded")" "0 20.0 0"

"$tacho" record -o live -- sh -c ': >begun; while [ ! -e end ]; do sleep 0.05; done; ./work reads' <data >live.said 2>&1 &
for i in $(seq 1000); do
	[ -e begun ] && break
	sleep 0.05
done
"$tacho" record -f -o live -- ./work reads <data >said 2>&1
status=$?
: >end
wait
ok "nor is one of which the first process has yet to come" same \
	"$status $(grep -c 'live is being recorded' said) $(sql live "select total(calls) from call where name = 'pread'")" "1 1 10.0"
"$tacho" record -f -o live -- ./work reads <data >said 2>&1
ok "one that has ended is" same "$? $(sql live "select total(calls) from call where name = 'pread'")" "0 10.0"

"$tacho" record --all -o shell -- bash -c 'read a <data; echo "$a" >copy' >said 2>&1
ok "a shell is recorded with --all, though bash has a getenv() of its own" same \
	"$? $(sql shell "select total(opens) > 0 from io_file where path glob '*/copy'")" "0 1"

for kind in stores writes; do
	"$tacho" record -o $kind -- ./work $kind "$PWD/$kind.data" <data >said 2>&1
	status=$?
	counted=$(sql $kind "select value >= 90e6 from metric where name = 'storage_write_bytes' and subject = 'rank:0'")
	if [ $status = 77 ] || [ "$counted" != 1 ]; then
		skip "$kind: what storage has more than calls" "libaio does not work here, or this file system is in memory"
	elif [ $kind = stores ]; then
		ok "bytes that libaio wrote are a row, and in the summary" same "$(sql stores "select kind, reason, process_id,
			bytes between 95e6 and 110e6 from not_recorded") $(grep -c '[0-9] MB written to storage by no call' said)" "bytes|stored|1|1 1"
	else
		ok "those of write() are not" same "$(sql writes "select count(*) from not_recorded")" 0
	fi
done

if [ "$(id -u)" = 0 ] && unshare --uts --time --monotonic 86400 --fork true 2>/dev/null; then
	"$tacho" record -o spaces -- unshare --uts sh -c 'printf %s ../../x/y >/proc/sys/kernel/hostname; ./work reads
		unshare --time --monotonic 86400 --fork ./work reads' <data >said 2>&1
	ok "a host's name with slashes, and a time namespace that is a day ahead" same \
		"$(sql spaces "select (select total(calls) from call where name = 'pread'), duration_ns < 60e9, (select group_concat(hostname) from node)
			from run")" "20.0|1|_._.._x_y"
else
	skip "a host's name with slashes, and a time namespace that is a day ahead" "only root may have namespaces, and this kernel may have none"
fi

"$tacho" record -o killed -- ./work kill <data >said 2>&1
ok "a child that was killed is named with its signal, ahead of the status of its rank" same \
	"$? $(sql killed "select signal from process where rank is null") $(grep -c 'verdict  *A data-loader worker of rank 0 (pid [0-9]*) was killed by SIGKILL at [0-9.]* s' said)" \
	"1 9 1"
"$tacho" record --all -o became -- sh -c 'sleep 1; exec ./work kill' <data >said 2>&1
ok "so it is where a shell has lived longer before it became the rank's program" same \
	"$? $(sql became "select group_concat(distinct o.rank) from process p join process o on o.id = p.parent_id where p.signal is not null") $(
		grep -c 'verdict  *A data-loader worker of rank 0 (pid [0-9]*) was killed by SIGKILL at [0-9.]* s' said)" "1 0 1"
if [ "$(id -u)" = 0 ] && unshare -m sh -c 'ulimit -c 0; mount -t tmpfs -o size=1m none /dev/shm' 2>/dev/null; then
	unshare -m sh -c 'ulimit -c 0; mount -t tmpfs -o size=1m none /dev/shm && "$0" record -o shm -- ./work shm /dev/shm/batch' "$tacho" <data >said 2>&1
	ok "one that wrote into a full /dev/shm with that" same "$? $(sql shm "select signal, shm_used = shm_bytes from process where rank is null") $(
		tr -s ' \n' ' ' <said | grep -c 'A data-loader worker of rank 0 .* was killed by SIGBUS at .*/dev/shm, 1 MB, was 100 % full then.* next give /dev/shm more room')" "1 7|1 1"
else
	skip "one that wrote into a full /dev/shm with that" "only root may mount one"
fi

sqlite3 live/tacho.db "update run set label = cast(x'636166e92c2278' as text)"
"$tacho" export --csv csv live >/dev/null 2>&1
"$tacho" stats --format csv live run >stats.csv 2>/dev/null
ok "CSV is UTF-8, whatever bytes names have" python3 -c '
import csv, sys
for path in ("csv/run.csv", "stats.csv"):
    rows = list(csv.reader(open(path, encoding="utf-8", newline="")))
    assert any("caf\ufffd,\"x" in row for row in rows), rows
'
