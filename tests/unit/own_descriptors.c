/*
 * own_descriptors.c - a program that would notice files of the library's among its own.
 *
 * usage: own_descriptors stress ROUNDS: dup2() onto the lowest free number, while threads make records,
 * spools and chunks; its file keeps each byte, the lowest number is always given, /proc/self/fd has its
 * files only. full: all descriptors are taken, and further threads record. small: no file may be longer
 * than a page. clone: a child in the same memory leaves by a system call. namespace: one that only
 * a process of one thread may enter. locked: memory is locked under a small limit. inside: prints
 * what the process has of mapped files, descriptors, threads and signal handlers. 0: all was right; else a sentence names the first fault.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 10001, CALLS = 20000, THREADS = 40, STACK = 1 << 20, PIECE = 64 << 10 };

static int file;
static bool inherited[1024];
static _Atomic bool over;

static void fail(const char *what, long value)
{
	printf("%s %ld\n", what, value);
	exit(1);
}

static void *read_some(void *calls)
{
	char byte;

	for (long i = 0; i < (long)calls; i++)
		if (pread(file, &byte, 1, i % SIZE) != 1 || byte != (char)(i % SIZE % 251))
			fail("a byte is wrong at", i % SIZE);
	return NULL;
}

/* One short thread after the other: each has a spool that is made and given back. */
static void *threads_make(void *unused)
{
	pthread_t thread;

	while (!atomic_load(&over)) {
		pthread_create(&thread, NULL, read_some, (void *)500L);
		pthread_join(thread, NULL);
	}
	return unused;
}

static void *read_always(void *unused)
{
	while (!atomic_load(&over))
		read_some((void *)1000L);
	return unused;
}

static void file_make(void)
{
	char bytes[SIZE];

	for (int i = 0; i < SIZE; i++)
		bytes[i] = (char)(i % 251);
	file = open("own.data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || write(file, bytes, SIZE) != SIZE)
		fail("no file", file);
}

static void table_check(int highest)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) > highest &&
			!inherited[atoi(entry->d_name) % 1024] &&
			atoi(entry->d_name) != dirfd(folder))
			fail("a descriptor that is not the program's:", atoi(entry->d_name));
	closedir(folder);
}

static void stress(long rounds)
{
	pthread_t threads[2];
	struct timespec beat = { 0, 250000000 };

	file_make();
	pthread_create(&threads[0], NULL, threads_make, NULL);
	pthread_create(&threads[1], NULL, read_always, NULL);
	for (long i = 0; i < rounds; i++) {
		int fd = open("/dev/null", O_RDWR);

		if (fd != file + 1)
			fail("open() gave another number than the lowest:", fd);
		if (dup2(file, fd + 1) != fd + 1)
			fail("dup2() failed in round", i);
		close(fd + 1);
		close(fd);
	}
	nanosleep(&beat, NULL); /* the counters have been read */
	table_check(file);
	atomic_store(&over, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	read_some((void *)(long)SIZE);
	if (lseek(file, 0, SEEK_END) != SIZE)
		fail("the file's length is", lseek(file, 0, SEEK_END));
}

static void full(void)
{
	struct rlimit limit = { 16, 16 };
	pthread_t thread;

	file_make();
	setrlimit(RLIMIT_NOFILE, &limit);
	while (dup(file) >= 0)
		;
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&thread, NULL, read_some, (void *)1000L);
		pthread_join(thread, NULL);
	}
}

static void small(void)
{
	struct rlimit limit = { 4096, 4096 };

	file_make();
	setrlimit(RLIMIT_FSIZE, &limit);
	read_some((void *)(long)CALLS);
}

static int child(void *unused)
{
	(void)unused;
	read_some((void *)(long)CALLS);
	return 3; /* by SYS_exit */
}

static void clone_child(void)
{
	char *stack = malloc(STACK);
	int status;
	pid_t pid;

	file_make();
	read_some((void *)10L);
	pid = clone(child, stack + STACK, CLONE_VM | SIGCHLD, NULL);
	if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
		fail("the child's status is", status);
	if (waitpid(-1, &status, __WALL) >= 0)
		fail("there was another child", status);
}

/* Only a process of one thread may do it. */
static void namespace_enter(void)
{
	file_make();
	for (int i = 0; i < 3; i++) { /* the helper thread exists, and after it again */
		read_some((void *)(long)CALLS);
		if (unshare(CLONE_NEWUSER) < 0 && errno == EINVAL)
			fail("unshare() finds another thread in round", i);
	}
	read_some((void *)(long)CALLS);
}

/* The limit on locked memory holds for a process without this right only. */
static void lock_right_drop(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		fail("capget()", errno);
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (syscall(SYS_capset, &head, data) < 0)
		fail("capset()", errno);
}

/* What the program maps after it has locked all counts; nothing else does, but the helper thread's stack and its heap. */
static void locked(void)
{
	struct rlimit limit = { 2 << 20, 2 << 20 };
	int pieces = 0;

	file_make();
	lock_right_drop();
	if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		fail("setrlimit()", errno);
	read_some((void *)10L);
	if (mlockall(MCL_FUTURE) < 0)
		fail("mlockall()", errno);
	for (int i = 0; i < 10; i++) /* new chunks of the spool */
		read_some((void *)(long)CALLS);
	while (mmap(NULL, PIECE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		pieces++;
	if (pieces < (2 << 20) / PIECE - 6)
		fail("pieces of 64 KiB that found room:", pieces);
}

static void lines_print(const char *path, const char *key)
{
	FILE *fp = fopen(path, "r");
	char line[1024];

	while (fp && fgets(line, sizeof(line), fp)) {
		const char *at = key ? line : strchr(line, '/');

		if (at && (!key || !strncmp(line, key, strlen(key))))
			fputs(at, stdout);
	}
	if (fp)
		fclose(fp);
}

/* After some records, with a helper that has begun its work. */
static void inside_print(void)
{
	static const char *const keys[] = { "Threads:", "SigCgt:", "SigBlk:", "SigIgn:" };
	char path[64], target[1024];
	ssize_t n;

	file_make();
	for (int i = 0; i < 10; i++) {
		read_some((void *)(long)CALLS);
		usleep(50000);
	}
	lines_print("/proc/self/maps", NULL);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		lines_print("/proc/self/status", keys[i]);
	for (int fd = 0; fd < 1024; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = fd < 3 ? -1 : readlink(path, target, sizeof(target) - 1);
		if (n > 0)
			printf("descriptor %d %.*s\n", fd, (int)n, target);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	for (int fd = 0; fd < 1024; fd++)
		inherited[fd] = fcntl(fd, F_GETFD) >= 0;
	if (!strcmp(mode, "stress") && argc > 2)
		stress(atol(argv[2]));
	else if (!strcmp(mode, "full"))
		full();
	else if (!strcmp(mode, "small"))
		small();
	else if (!strcmp(mode, "clone"))
		clone_child();
	else if (!strcmp(mode, "namespace"))
		namespace_enter();
	else if (!strcmp(mode, "locked"))
		locked();
	else if (!strcmp(mode, "inside"))
		inside_print();
	else
		return 2;
	return 0;
}
