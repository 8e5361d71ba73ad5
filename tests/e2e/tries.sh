#!/bin/sh
# Tries that find a socket, pipe or eventfd not ready take next to no room, and all of them count, with
# their time; what moves bytes, and what fails otherwise, is known singly.
. "$top_srcdir/tests/e2e/lib.sh"

command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
${CC:-cc} -O2 -o load "$top_srcdir/tests/e2e/tries_load.c" || exit 99

cat >launch <<'END'
	RANK=0 WORLD_SIZE=2 timeout 60 ./load &
	RANK=1 WORLD_SIZE=2 timeout 60 ./load >true && wait $!
END
# what the spool of a rank, or its part of the archive, has in bytes for each failed try
bytes_each() {
	cat "$@" | wc -c | awk -v n="$(sed -n 's/^failed //p' true)" '{ printf "%.1f\n", $1 / n; exit !($1 / n < 8) }'
}

check "two ranks are recorded" "$tacho" -q record --keep-spools -o run -- sh ./launch
names=$(sed -n "s/^\([a-z_]*\) .*/'\1'/p" true | grep -v -e bytes -e failed | paste -sd,)
check "all calls count" same "$(query "select c.name || ' ' || c.calls from call c join process p on p.id = c.process_id
	where p.rank = 1 and c.name in ($names) order by 1")" "$(grep -v -e ^bytes -e ^failed true)"
check "all tries of a socket are its" same "$(query "select group_concat(reads) from (select reads from socket s
	join process p on p.id = s.process_id where p.rank = 1 and protocol = 'tcp' order by 1)")" 0,20050,20050
check "bytes are exact at both ends" same "$(query "select sum(bytes_sent) || ' ' || (select sum(bytes_received) from socket s
	join process p on p.id = s.process_id where p.rank = 1) from socket s join process p on p.id = s.process_id where p.rank = 0")" \
	"$(sed -n 's/^bytes \(.*\)/\1 \1/p' true)"
check "each byte has its writer: waits are known" same "$(query "select group_concat(waits) from socket_wait")" 100,100
check "time of calls and states sum to the same" same "$(query "select (select total(ns) from host_time h join process p
	on p.id = h.process_id where p.rank = 1 and window = 'run' and state in ('io', 'wait')) - (select sum(total_ns) from call c
	join process p on p.id = c.process_id where p.rank = 1 and class in ('io', 'wait'))")" 0.0
check "reading was waiting, writing was not" same "$(query "select (select total(ns) from host_time h join process p
	on p.id = h.process_id where p.rank = 1 and window = 'run' and state = 'io') - (select sum(total_ns) from call c
	join process p on p.id = c.process_id where p.rank = 1 and class = 'io' and c.name not like '%re%d%' and c.name not like 'recv%')")" 0.0
check "no check of the analysis fails, and nothing is lost" same "$(query "select (select count(*) from checks where not ok)
	+ (select total(count) from loss)")" 0.0
check "a try takes a few bytes of the spool" bytes_each "$(ls -S run/spool/*/thread.0 | head -n 1)"
check "and of the archive" bytes_each run/trace/traces/*.evt
for spool in run/spool/*.*/; do
	"$top_builddir/tests/unit/spool_dump" "$spool"
done >dump
check "other failures are known singly" same "$(grep -c '^io[a-z_]* depth=0 sendmmsg ' dump)" 50

python=/usr/bin/python3
cat >tries.py <<'END'
import socket
ours, theirs = socket.socketpair()
ours.setblocking(False)
for i in range(20000):
    try:
        ours.recv(1)
        raise SystemExit(1)
    except BlockingIOError:
        pass
END
if "$python" -c 'import socket' 2>/dev/null; then
	check "Python that tries is recorded" "$tacho" -q record --all --keep-spools -o python -- "$python" tries.py
	check "all its tries count" same "$(query "select sum(reads) from io_file where path like 'socket:%'" python)" 20000
	check "and take a few bytes, with the interpreter's lock" [ "$(cat python/spool/*/thread.0 | wc -c)" -lt 400000 ]
else
	echo "# Python is not installed: nothing is tested of it"
fi
plan
