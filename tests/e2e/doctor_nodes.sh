#!/bin/sh
# tacho doctor on three nodes (examples/cluster), of which one has a limited link and another one slow storage and a
# clock that goes ahead: each is named for that. Where there are stand-ins for NCCL, its GPUs have a network, too.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

[ -f "$top_builddir/analyzer/.libs/tacho-mpi.so" ] || skip_all "built without MPI"
cat >slow.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

/* A disk that takes 950 ms more for what is written to it by the MiB. */
ssize_t write(int fd, const void *data, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	if (n == 1 << 20)
		nanosleep(&(struct timespec){ .tv_nsec = 950000000 }, NULL);
	return real(fd, data, n);
}

/* A clock that is 50 ms ahead. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int (*real)(clockid_t, struct timespec *);
	int ret;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	ret = real(clock, time);
	if (clock == CLOCK_REALTIME && (time->tv_nsec += 50000000) >= 1000000000) {
		time->tv_nsec -= 1000000000;
		time->tv_sec++;
	}
	return ret;
}
C
standin=$(cd "$top_builddir" && pwd)/tests/standin/cuda13
[ -e "$standin/libnccl.so.2" ] || standin=
cc -w -O1 -shared -fPIC -o slow.so slow.c -ldl || exit 99
cluster_up 3
"$cluster" limit 10mbit "$(node 3)" >limit.out 2>&1 || skip_all "links cannot be limited: $(tail -n 1 limit.out)"
cat >doctor <<D
#!/bin/sh
[ "\$(hostname)" != "$(node 2)" ] || export LD_PRELOAD=$link/slow.so
[ -z "$standin" ] || export LD_LIBRARY_PATH="$standin" STANDIN_DEVICES=2
exec "$tacho" doctor --brief "\$@"
D
chmod +x doctor
mkdir disk
# The doctor measures the machine: where other programs slow all of its links or disks down it measures again.
for chance in 1 2 3; do
	timeout 110 "$cluster" run mpirun -n 3 --map-by node ./doctor --format json "$link/disk" >said 2>complained
	status=$?
	grep -q "\"$(node 3): network: " said && grep -q "\"$(node 2): writing in " said && break
done
check "three nodes are measured" same "$status $(python3 -c 'import json; d = json.load(open("said")); print(d["ranks"], len(d["nodes"]), len(d["all_reduce"]) > 3, len(d["all_to_all"]) > 3)')" "0 3 3 True True"
check "the limited link is found, and its node named" grep -q "\"$(node 3): network: [0-9.]* times slower than on the other nodes" said
check "and is no faster than that" python3 -c 'import json, sys; sys.exit(not 0 < [n["link"] for n in json.load(open("said"))["nodes"] if n["host"] == sys.argv[1]][0] < 0.013)' "$(node 3)"
check "the slow disk is found, and its node and folder named" grep -q "\"$(node 2): writing in $link/disk: [0-9.]* times slower than on the other nodes" said
check "the clock that is ahead is found, and no other one" same "$(grep -c 'its clock is' said) $(sed -n 's/.*"\(.*\): its clock is \([0-9]*\).* ms ahead of those of most nodes.*/\1 \2/p' said | sed 's/ [45][0-9]$/ about 50/')" \
	"1 $(node 2) about 50"
check "all-to-alls move what they say, and the limited link bounds them" python3 -c '
import json
for name, share in ("all_reduce", 4 / 3), ("all_to_all", 2 / 3):
	for p in json.load(open("said"))[name]:
		assert abs(p["bus_gbps"] - share * p["bytes"] * 8e-9 / p["seconds"]) < 1e-3 * p["bus_gbps"], p
		assert abs(p["busbw"] * 8e-9 - p["bus_gbps"]) < 1e-6 * p["bus_gbps"], p
	assert p["bytes"] > 200000 and p["bus_gbps"] < 0.2, p'
if [ -n "$standin" ]; then
	check "NCCL's operations go over the GPUs of all nodes" python3 -c '
import json
d = json.load(open("said"))
for name, share in ("nccl_all_reduce", 10 / 6), ("nccl_all_to_all", 5 / 6):
	assert [p["bytes"] for p in d[name]][:1] == [8192], d[name]
	for p in d[name]:
		assert abs(p["bus_gbps"] - share * p["bytes"] * 8e-9 / p["seconds"]) < 1e-3 * p["bus_gbps"], p'
else
	ok 0 "NCCL's operations go over the GPUs of all nodes # SKIP the stand-in for NCCL is not built"
fi
sed 's/^/# /' complained
plan
