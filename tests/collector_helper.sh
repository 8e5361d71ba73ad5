#!/bin/sh
# The library's helper is no thread of the program and no child that it would meet, and it ends with it.
. "$top_srcdir/tests/collector_common.sh"
program=$top_builddir/tests/unit/own_helper

# number COMMAND…: runs it as a rank, and prints the helper's number that it has printed
number()
{
	rm -rf "$tmp/run.number"
	record "$tmp/run.number" "$@" | head -1
}

# ends NUMBER: no process of this number works any more, after at most 100 looks
ends()
{
	[ -n "$1" ] || return 1
	for _ in $(seq 100); do
		case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in '' | Z*) return 0 ;; esac
		sleep 0.1
	done
	echo "process $1 goes on"
	return 1
}

# passes MODE: the program finds nothing wrong; or cannot do this here
passes()
{
	description=$1
	shift
	record "$tmp/run.$1" "$program" "$1" >"$tmp/said" 2>&1
	status=$?
	if [ $status -eq 77 ]; then
		skip "$description" "not permitted here"
	else
		ok "$description" sh -c "cat '$tmp/said'; exit $status"
	fi
}

echo 1..9
case $(uname -m)-$(ldd --version 2>&1 | head -1) in
x86_64-*[Gg][Ll][Ii][Bb][Cc]* | x86_64-*GNU*) ;;
*)
	for n in 1 2 3 4 5 6 7 8 9; do skip "case $n" "the helper is a thread on this system"; done
	exit
	;;
esac
passes "a program of one thread has one, and no child" alone
passes "namespaces of users and processes are entered as without the library" namespaces
passes "a helper that is killed keeps nobody waiting" killed
ok "and no event is lost with it" same \
	"$(lines "$tmp/run.killed" ' lost\.') $(lines "$tmp/run.killed" '^end how=')" "0 1"
ok "a program that is executed has no helper of its predecessor" \
	ends "$(number "$program" exec /bin/sleep 1)"
ok "nor has one by a system call" ends "$(number "$program" raw /bin/sleep 1)"
ok "it ends after a program that is killed" ends "$(number "$program" die 2>/dev/null)"
cat >"$tmp/threads.py" <<'END'
import os, warnings
warnings.simplefilter("error")
file = os.open("/dev/null", os.O_RDONLY)
for _ in range(3000):
    os.read(file, 1)
assert len(os.listdir("/proc/self/task")) == 1, os.listdir("/proc/self/task")
child = os.fork()
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
END
cat >"$tmp/idle.py" <<'END'
import os, re, signal, sys, time
file = os.open("/dev/null", os.O_RDONLY)
child = os.fork()
if not child:
    for _ in range(3000):
        os.read(file, 1)
    time.sleep(60)
    os._exit(0)

def wakes():
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            status = open(f"/proc/{number}/status").read()
        except OSError:
            continue
        if f"\nPPid:\t{child}\n" in status:
            files = os.listdir(f"/proc/{number}/fd")
            if len(files) > 3:
                sys.exit(f"it has {len(files)} descriptors")
            return int(re.search(r"\nvoluntary_ctxt_switches:\t(\d+)", status)[1])

for _ in range(100):
    if wakes() is not None:
        break
    time.sleep(0.1)
time.sleep(2)
before = wakes()
time.sleep(3)
n = wakes() - before
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
sys.exit(f"{n} times in 3 s" if n > 90 else 0)
END
if command -v python3 >/dev/null; then
	ok "the helper of a child that sleeps wakes at most 30 times a second, with at most 3 descriptors" record "$tmp/run.idle" python3 "$tmp/idle.py"
	ok "Python has one thread, and may fork without a warning" record "$tmp/run.python" python3 "$tmp/threads.py"
else
	skip "the helper of a child that sleeps" "no python3"
	skip "Python has one thread, and may fork without a warning" "no python3"
fi
