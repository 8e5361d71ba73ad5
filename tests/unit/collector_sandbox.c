/*
 * collector_sandbox.c - a program that locks itself in and then works on with what it is allowed.
 *
 * usage: collector_sandbox HOW [HOW]
 *
 * HOW: strict (seccomp's strict mode), filter (one that kills for any call but write and
 * exit_group), all (the same for all threads at once), tsc (no time stamp counter), probe (asks what
 * the kernel knows, and locks nothing in), inherit (a filter that kills for what only libtacho
 * calls, then executes itself with the second HOW), plain (nothing). It ends with 7.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define IF(nr, value)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, value)
#define ELSE(value) BPF_STMT(BPF_RET | BPF_K, value)
#define ALLOW	    SECCOMP_RET_ALLOW
#define KILL	    SECCOMP_RET_KILL_PROCESS
#define FILTER(name)                                                                               \
	struct sock_fprog name = { sizeof(name##_code) / sizeof(name##_code[0]), name##_code }

static void work(void)
{
	char block[64];
	int fd = open("data", O_RDWR | O_CREAT, 0600);

	for (int i = 0; i < 200; i++)
		if (write(fd, "0123456789", 10) != 10 || pread(fd, block, 10, 0) != 10)
			_exit(1);
	close(fd);
}

static void lock_in(const char *how)
{
	struct sock_filter only_write_code[] = { LOAD, IF(SYS_write, ALLOW),
		IF(SYS_exit_group, ALLOW), ELSE(KILL) };
	FILTER(only_write);
	struct sock_filter no_file_code[] = { LOAD, IF(SYS_fallocate, KILL), IF(SYS_futex, KILL),
		IF(SYS_mkdirat, KILL), IF(SYS_getpid, KILL), IF(SYS_rt_sigprocmask, KILL),
		ELSE(ALLOW) };
	FILTER(no_file);

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (strcmp(how, "strict") == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (strcmp(how, "filter") == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &only_write);
	if (strcmp(how, "all") == 0)
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
			&only_write);
	if (strcmp(how, "inherit") == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &no_file);
	if (strcmp(how, "tsc") == 0)
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	if (strcmp(how, "probe") == 0) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL);
		syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL);
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";

	if (argc < 3 || strcmp(how, "inherit") != 0)
		work();
	lock_in(how);
	if (argc > 2)
		execv("/proc/self/exe", (char *[]){ argv[0], argv[2], NULL });
	if (write(1, "locked in\n", 10) != 10)
		return 1;
	if (strcmp(how, "strict") == 0)
		syscall(SYS_exit, 7);
	if (strcmp(how, "tsc") == 0 || strcmp(how, "probe") == 0 || strcmp(how, "plain") == 0) {
		if (fork() == 0) {
			work();
			_exit(0);
		}
		wait(NULL);
		work();
	}
	exit(7);
}
