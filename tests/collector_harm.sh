#!/bin/sh
# What the library must not do to the programs it lives in.
. "$top_srcdir/tests/collector_common.sh"
echo 1..34

preload() { env LD_PRELOAD="$lib" TACHO_DIR="$tmp/inert" timeout 60 "$@"; }

for program in "bash -c true" true "sh -c ls" "$load reads 10"; do
	ok "nothing is made by: ${program##*/}" preload $program
done
ok "no folder was made" test ! -e "$tmp/inert"
ok "without TACHO_DIR a rank is not recorded" env LD_PRELOAD="$lib" RANK=0 WORLD_SIZE=1 \
	"$load" reads 10
for program in "bash -c true" "env true" "timeout 5 true"; do
	record "$tmp/inert" $program
done
ok "shells, env and timeout of a rank are inert" test ! -e "$tmp/inert"
record "$tmp/ignored" env TACHO_IGNORE=other:collector_lo* "$load" reads 10
ok "TACHO_IGNORE names more programs" test ! -e "$tmp/ignored"
env LD_PRELOAD="$lib" TACHO_DIR="$tmp/marker" "$load" marks 2
ok "a marker joins a process without a rank" same "$(lines "$tmp/marker" '^process .*rank=-1')" 1
env LD_PRELOAD="$lib" TACHO_DIR="$tmp/all" TACHO_ALL=1 "$load" reads 10
ok "TACHO_ALL=1 records any process" same "$(lines "$tmp/all" ' pread ')" 10
ok "LD_BIND_NOW=1: a program without MPI starts" \
	env LD_BIND_NOW=1 LD_PRELOAD="$lib" TACHO_DIR="$tmp/now" RANK=0 WORLD_SIZE=1 \
	"$load" reads 10

${CC:-cc} -shared -fPIC -o "$tmp/libearly.so" "$top_srcdir/tests/unit/early_library.c" &&
	${CC:-cc} -o "$tmp/early" "$top_srcdir/tests/unit/early_main.c" \
	"$tmp/libearly.so" -Wl,-rpath,"$tmp"
ok "libraries that read files before our constructor keep their thread-specific values" \
	record "$tmp/early-run" "$tmp/early"
if [ "$(uname -m)" = x86_64 ]; then
	${CC:-cc} -shared -fPIC -o "$tmp/libpatch.so" "$top_srcdir/tests/unit/early_patch.c" -ldl &&
		${CC:-cc} -o "$tmp/patched" "$top_srcdir/tests/unit/early_main.c" \
		"$tmp/libpatch.so" -Wl,-rpath,"$tmp"
	ok "a library may write over libc's munmap while our thread runs" \
		record "$tmp/patched-run" "$tmp/patched"
else
	skip "a library may write over libc's munmap while our thread runs" "the trap is x86's"
fi

"$load" results >"$tmp/plain"
record "$tmp/results" "$load" results >"$tmp/recorded"
ok "results and errno are those of the bare program" diff "$tmp/plain" "$tmp/recorded"

ok "a program may close every descriptor" record "$tmp/closed" "$load" close_all
ok "and is recorded before and after" same "$(lines "$tmp/closed" ' pread ')" 4
record "$tmp/nostd" "$load" reads 10 <&- >&- 2>&-
ok "closed standard streams do not matter" same \
	"$(lines "$tmp/nostd" ' pread ') $(lines "$tmp/nostd" '^end ')" "10 1"
(mkdir "$tmp/ro" && cd "$tmp/ro" && chmod 555 . && record "$tmp/a b/run dir" "$load" reads 10)
ok "spaces in names and a read-only folder do not matter" same \
	"$(lines "$tmp/a b/run dir" ' pread ')" 10
(cd "$tmp" && TACHO_DIR=relative LD_PRELOAD="$lib" RANK=0 WORLD_SIZE=1 "$load" reads 10)
ok "TACHO_DIR may be relative" same "$(lines "$tmp/relative" ' pread ')" 10
ok "files and folders are the user's alone" same \
	"$(find "$tmp/a b/run dir/spool" -type f ! -perm 600; find "$tmp/a b/run dir/spool" -type d ! -perm 700)" ""

few='ulimit -n 64; exec "$0" descriptors'
got=$(record "$tmp/few" sh -c "$few" "$load")
ok "ulimit -n 64: the program has as many descriptors as without us" same "$got" "$(sh -c "$few" "$load")"
ok "and all of its opens are recorded" test "$(lines "$tmp/few" ' open(64)? ')" -ge $((8 * got))

: >"$tmp/file"
record "$tmp/file" "$load" reads 10 2>"$tmp/said"
ok "where no spool can be made the program runs, and is reported once" same \
	"$? $(grep -c '^tacho\[0\]: ' "$tmp/said")" "0 1"

record "$tmp/limit" env TACHO_MAX_SPOOL=100K "$load" reads 20000 2>"$tmp/said"
ok "TACHO_MAX_SPOOL: the rest is a counted loss" same \
	"$("$dump" "$tmp"/limit/spool/* | awk '/^thread 0/ { split($0, a, "lost.limit="); lost = a[2] }
		/ (pread|open|close|dup|read) / { n++ } END { print n + lost }')" 20002
ok "TACHO_MAX_SPOOL: the file keeps to it" test \
	"$(stat -c %s "$tmp"/limit/spool/*/thread.0)" -le 102400

if test "$(id -u)" = 0 && mkdir "$tmp/small" && mount -t tmpfs -o size=2m none "$tmp/small" 2>/dev/null; then
	record "$tmp/run" env TACHO_SPOOL="$tmp/small" "$load" reads 200000 2>/dev/null
	status=$?
	ok "full disk: the program is unaffected, what fits is there, the rest is counted" same "$status $(
		"$dump" "$tmp"/small/* | awk '/^thread 0/ { split($0, a, "lost.disk_full="); lost = a[2] }
			/torn/ { torn++ } / (pread|open|close) / { n++ }
			END { print (n > 20000), n + lost, torn + 0 }')" "0 1 200002 0"
	umount "$tmp/small"
else
	skip "full disk: the program is unaffected, what fits is there, the rest is counted" \
		"a tmpfs cannot be mounted"
fi

# Names that libraries of the program have in common with libc, and programs of their own.
foreign()
{
	${CC:-cc} -w -fno-builtin -shared -fPIC $2 -o "$tmp/lib$1.so" "$top_srcdir/tests/unit/foreign_library.c" -ldl
}
foreign foreign && foreign interposer -DPRELOADED &&
	${CC:-cc} -w -fno-builtin -o "$tmp/foreign" "$top_srcdir/tests/unit/foreign_main.c" "$tmp/libforeign.so" \
	-Wl,-rpath,"$tmp" -lpthread
"$tmp/foreign" >"$tmp/plain"
record "$tmp/foreign-run" "$tmp/foreign" >"$tmp/recorded"
ok "functions with libc's names that are another library's get their arguments" same \
	"$? $(cat "$tmp/recorded")" "0 $(cat "$tmp/plain")"
ok "and are not recorded, while libc's are" same \
	"$(lines "$tmp/foreign-run" ' (connect|accept|wait|poll|glob|rename|close) ') $(
		lines "$tmp/foreign-run" ' (fopen|fprintf|fclose) ')" "0 4"
ok "a program without a rank gets them as well" same \
	"$(preload "$tmp/foreign")" "$(cat "$tmp/plain")"
env LD_PRELOAD="$lib:$tmp/libinterposer.so" TACHO_DIR="$tmp/interposed" RANK=0 WORLD_SIZE=1 "$load" reads 10
ok "what a preloaded library stands in for is recorded" same "$(lines "$tmp/interposed" ' pread ')" 10

# A sentence of the library raises no signal: the program has not written it. Each run has one to write.
said() { # NAME LIMIT: status of a program that loses events
	(ulimit -f "$2" && exec env TACHO_MAX_SPOOL=64K LD_PRELOAD="$lib" TACHO_DIR="$tmp/said-runs/$1" RANK=0 \
		WORLD_SIZE=1 timeout 60 "$load" reads 20000)
	echo $?
}
head -c 100000 /dev/zero >"$tmp/said-file"
ok "a message that passes the limit on file size ends no program" same "$(said limit 100 2>>"$tmp/said-file")" 0
mkfifo "$tmp/unread" && exec 7<>"$tmp/unread" 8>"$tmp/unread" 7>&-
ok "and neither does one to a pipe without a reader" same "$(said pipe unlimited 2>&8)" 0
exec 8>&-
said file unlimited >"$tmp/status" 2>"$tmp/said-file"
ok "such a run has a message" grep -q "events are being lost" "$tmp/said-file"

record "$tmp/huge" env TACHO_MAX_SIZE=999999G timeout 30 "$load" reads 10
ok "a budget of a petabyte keeps no program from starting" same "$? $(lines "$tmp/huge" ' pread ')" "0 10"
