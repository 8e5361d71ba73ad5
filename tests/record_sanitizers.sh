#!/bin/sh
# Programs that the library cannot live in as in others: of musl, and those that sanitizers instrument.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
cd "$tmp" || exit 1
[ -z "${ASAN_OPTIONS:-}" ] || { echo "1..0 # SKIP the options of sanitizers are those of this test run"; exit 0; }
echo 1..7

cat >work.c <<-'EOC'
	#include <fcntl.h>
	#include <pthread.h>
	#include <semaphore.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	static sem_t done;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
	static int may_go, total;
	static void *work(void *arg)
	{
		char data[100];
		int fd = open("/dev/zero", O_RDONLY);
		for (int i = 0; i < 100; i++)
			if (read(fd, data, sizeof(data)) != sizeof(data))
				exit(1);
		close(fd);
		sem_post(&done);
		pthread_mutex_lock(&lock);
		while (!may_go)
			pthread_cond_wait(&changed, &lock);
		total++;
		pthread_mutex_unlock(&lock);
		return arg;
	}
	int main(void)
	{
		pthread_t threads[4];
		sem_init(&done, 0, 0);
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], 0, work, 0);
		for (int i = 0; i < 4; i++)
			sem_wait(&done);
		pthread_mutex_lock(&lock);
		may_go = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], 0);
		printf("%d\n", total);
		return 0;
	}
EOC

# instrumented COMPILER SANITIZER READS: the program has its output and status, and READS are recorded
instrumented()
{
	rm -rf run
	timeout 100 "$tacho" -q record --no-merge -o run -- ./program >out 2>said
	same "$? $(cat out) $(lines run ' read ')" "0 4 $3" || { cat said; false; }
}
# Functions that GCC's ThreadSanitizer, a library, stands in for are its own, and not recorded.
for how in gcc:address:400 gcc:thread:0 clang:thread:400; do
	compiler=${how%%:*}
	sanitizer=${how#*:} sanitizer=${sanitizer%:*}
	if "$compiler" -w -O1 -fsanitize="$sanitizer" -o program work.c -lpthread 2>/dev/null && [ "$(./program)" = 4 ]; then
		ok "$compiler -fsanitize=$sanitizer" instrumented "$compiler" "$sanitizer" "${how##*:}"
	else
		skip "$compiler -fsanitize=$sanitizer" "it cannot be built or run here"
	fi
done

# Programs that a rank starts with an environment of their own, or that cannot be recorded.
cat >starts.py <<-'EOP'
	import os, subprocess, sys
	load, musl, static = sys.argv[1:4]
	subprocess.run([load, "reads", "10"], env={"PATH": "/bin"}, check=True)
	subprocess.run([load, "reads", "10"], env={"LD_PRELOAD": "libm.so.6"}, check=True)
	os.posix_spawn(load, [load, "reads", "10"], {}); os.wait()
	os.environ.pop("LD_PRELOAD")
	subprocess.run([load, "reads", "10"], check=True)
	os.system(load + " reads 10")
	for program in musl, static:
	    if os.path.exists(program): subprocess.run([program], check=True)
EOP
echo 'int main(void) { return 0; }' >nothing.c
musl-gcc -o musl nothing.c 2>/dev/null
${CC:-cc} -static -o static nothing.c 2>/dev/null
if command -v python3 >/dev/null; then
	env LD_PRELOAD="$lib" TACHO_DIR="$tmp/starts" RANK=1 WORLD_SIZE=2 python3 starts.py "$load" ./musl ./static
	ok "children with an environment of their own are recorded, as the rank's" same "$? $(
		"$dump" starts/spool/* | grep -c '^process .*rank=1 size=2 is_child=1') $(lines starts ' pread ')" "0 5 50"
	ok "programs that cannot be recorded are counted" same \
		"$("$dump" starts/spool/* | sed -n 's/.*lost.not_preloaded=//p')" "$(ls musl static 2>/dev/null | wc -l)"
else
	skip "children with an environment of their own are recorded, as the rank's" "no python3"
	skip "programs that cannot be recorded are counted" "no python3"
fi
if [ -x musl ]; then
	"$tacho" record --no-merge -o of-musl -- ./musl 2>said
	ok "a program of musl runs, and that it is not recorded is said once" same "$? $(grep -c "linked with musl" said)" "0 1"
	ok "so do those that shells and env start" \
		"$tacho" -q record --no-merge -o of-shell -- sh -c './musl && env ./musl && exec ./musl'
else
	skip "a program of musl runs, and that it is not recorded is said once" "no musl-gcc"
	skip "so do those that shells and env start" "no musl-gcc"
fi
