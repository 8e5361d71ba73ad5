#!/bin/sh
# tacho doctor on three nodes (examples/cluster), of which one has a limited link and another one slow storage: each is
# named for that.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

[ -f "$top_builddir/analyzer/.libs/tacho-mpi.so" ] || skip_all "built without MPI"
cat >slow.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

/* A disk that takes 200 ms more for what is written to it by the MiB. */
ssize_t write(int fd, const void *data, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	if (n == 1 << 20)
		nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	return real(fd, data, n);
}
C
cc -w -O1 -shared -fPIC -o slow.so slow.c -ldl || exit 99
cluster_up 3
"$cluster" limit 50mbit "$(node 3)" >limit.out 2>&1 || skip_all "links cannot be limited: $(tail -n 1 limit.out)"
cat >doctor <<D
#!/bin/sh
[ "\$(hostname)" != "$(node 2)" ] || export LD_PRELOAD=$link/slow.so
exec "$tacho" doctor --brief "\$@"
D
chmod +x doctor
mkdir disk
timeout 110 "$cluster" run mpirun -n 3 --map-by node ./doctor --format json "$link/disk" >said 2>complained
check "three nodes are measured" same "$? $(python3 -c 'import json; d = json.load(open("said")); print(d["ranks"], len(d["nodes"]), len(d["all_reduce"]) > 3)')" "0 3 3 True"
check "the limited link is found, and its node named" grep -q "\"$(node 3): network: [0-9.]* times slower than on the other nodes" said
check "and is no faster than that" python3 -c 'import json, sys; sys.exit(not 0 < [n["link"] for n in json.load(open("said"))["nodes"] if n["host"] == sys.argv[1]][0] < 0.06)' "$(node 3)"
check "the slow disk is found, and its node and folder named" grep -q "\"$(node 2): writing in $link/disk: [0-9.]* times slower than on the other nodes" said
sed 's/^/# /' complained
plan
