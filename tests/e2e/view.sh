#!/bin/sh
# tacho view: the page of a finished and of a running job, for programs on this machine that know the token.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "neither Open MPI nor MPICH is installed"
if [ -n "$MPICC_OPENMPI" ]; then mpicc=$MPICC_OPENMPI launcher=mpirun.openmpi; else mpicc=$MPICC_MPICH launcher=mpirun.mpich; fi
"$mpicc" -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/watch_load.c" || exit 99
export TACHO_DATADIR="$top_srcdir" GNUPLOT= TMPDIR="$work/tmp"
mkdir "$work/tmp"

cat >ask.py <<'END2'
import json, re, socket, sys, time, urllib.error, urllib.request

url = open("url").read().strip()
port, token = re.match(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/$", url).groups()

def get(path, **more):
	try:
		with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", **more), timeout=20) as answer:
			return answer.read().decode()
	except urllib.error.HTTPError as error:
		return error.code

def state():
	return json.loads(get(f"/{token}/state"))

def wait(until, most=200):
	for _ in range(most * 5):
		said = state()
		if until(said):
			return said
		time.sleep(0.2)
	sys.exit(f"it stays at {said}")
END2

# view RUN OPTION...: in the background, as $view, its address in url
view() {
	rm -f url
	"$tacho" view "$@" >url 2>view_err &
	view=$!
	for i in $(seq 300); do
		[ ! -s url ] || return
		sleep 0.1
	done
	cat view_err
}
# What its end leaves: its status, files, messages.
view_end() {
	kill "$view"
	wait "$view"
	left="$? $(ls tmp) $(cat view_err)"
}
python() {
	PYTHONPATH= /usr/bin/python3 -c "$@"
}

timeout 100 "$tacho" -q record -o done -- "$launcher" -n 2 ./load 20 20 >out 2>&1 || cat out
find done | sort >before
view done
check "the page of a finished run is served" python '
from ask import *
wait(lambda said: said["version"] == 1 and said["state"] == "over")
page = get(f"/{token}/report.html")
own = open("done/report.html").read()
for what in ("sha256-[^;]*", "data-what=.run.>[^<]*", "class=.verdict[^<]*"):
	assert re.search(what, page).group() == re.search(what, own).group(), what
assert get(f"/{token}/report/steps.csv") == open("done/report/steps.csv", newline="").read()
assert "<iframe" in get(f"/{token}/") and "fetch" in get(f"/{token}/follow.js")'
check "only with its token, and nothing else of the machine" python '
from ask import *
other = ("0" if token[0] != "0" else "1") + token[1:]
for path in ("/", "/report.html", f"/{other}/report.html", f"/{token}", f"/{token}x/report.html", f"/{token}/../tacho.db",
		f"/{token}/report/../report.html", f"/{token}/report/", f"/{token}//etc/passwd", f"/{token}/report.html/x"):
	assert get(path) == 404, path
assert get(f"/{token}/state", method="POST", data=b"x") == 405
assert get("/" + "a" * 5000) == 431'
check "it listens on the loopback interface alone" python '
from ask import *
listening = [line.split()[1] for line in open("/proc/net/tcp") if line.split()[3] == "0A"]
assert f"0100007F:{int(port):04X}" in listening and not [l for l in listening if l.endswith(f":{int(port):04X}") and not l.startswith("0100007F")]
idle = [socket.create_connection(("127.0.0.1", int(port))) for _ in range(40)]
idle[39].send(b"GET /")
assert state()["version"] == 1		# connections that ask for nothing keep nobody waiting'
view_end
check "it ends without a rest" same "$left" "0  "
find done | sort >after
check "and the run is as it was" cmp before after

rm -rf run
touch go
timeout 300 "$tacho" -q record -o run -- "$launcher" -n 2 ./load 10 5 50 go >out 2>&1 &
job=$!
for i in $(seq 300); do
	[ ! -d run/spool ] || break
	sleep 0.1
done
view run --interval 1s
check "a running job has a page, which is renewed" python '
from ask import *
said = wait(lambda said: said["version"] >= 2)
assert said["state"] == "running" and "2 ranks" in said["line"], said
assert "tacho report" in get(f"/{token}/report.html")'
rm go
wait "$job"
check "the page of the analysed run follows" python '
from ask import *
wait(lambda said: said["state"] == "over")
for _ in range(600):
	page = get(f"/{token}/report.html")
	if re.search("verdict", page) and "run is in progress" not in page:
		sys.exit()
	time.sleep(0.2)
sys.exit("it stays that of a snapshot")'
view_end
check "and it ends" same "$left" "0  "
"$tacho" view nothing >out 2>&1
check "a run that is not there is reported" same "$? $(grep -c 'there is no run nothing' out)" "1 1"
echo "1..$ntests"
