/*
 * files_load.c - opens files again, in the current folder, which is empty. Two loads:
 *
 * names: by names that come to mean other files, and files that get other names; in a forked child and
 * one that vfork made, which ends by itself.
 * calls: prints how many system calls the library makes for 100 openings of files that it knows:
 * "fstat N, others N". A filter traps what this program's own calls (by libc) do not need, and counts.
 * 77: there are no filters here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { FILES = 20, TIMES = 5 };

static void visit(const char *name, int flags)
{
	int fd = open(name, flags, 0600);

	if (fd < 0)
		perror(name);
	close(fd);
}

static void visit_all(int times)
{
	char name[32];

	for (int i = 0; i < times * FILES; i++) {
		snprintf(name, sizeof(name), "sample.%d", i % FILES);
		visit(name, O_RDONLY);
	}
}

static void samples_make(void)
{
	char name[32];

	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "sample.%d", i);
		fclose(fopen(name, "w"));
	}
}

/* Each file is separate in the library's records, though its inode or its words are not new. */
static void rename_all(void)
{
	mkdir("one", 0700);
	mkdir("two", 0700);
	chdir("one");
	visit("moved", O_WRONLY | O_CREAT);
	visit("moved", O_WRONLY | O_CREAT);
	rename("moved", "../two/moved");
	chdir("../two");
	visit("moved", O_WRONLY | O_CREAT);
	chdir("..");
	visit("before", O_RDWR | O_CREAT);
	rename("before", "after");
	visit("after", O_RDWR | O_CREAT);
	visit("before", O_RDWR | O_CREAT);
}

/* Two descriptors of a file at once, and the second of them again. */
static void open_twice(void)
{
	int one = open("sample.0", O_RDONLY), other = open("sample.0", O_RDONLY);
	char byte;

	read(one, &byte, 1);
	read(other, &byte, 1);
	close(other);
	other = open("sample.0", O_RDONLY);
	read(other, &byte, 1);
	close(other);
	close(one);
}

static int names(void)
{
	pid_t child;

	samples_make();
	visit_all(TIMES);
	open_twice();
	rename_all();
	if (!fork()) {
		visit_all(TIMES);
		_exit(0);
	}
	wait(NULL);
	child = vfork();
	if (!child) {
		open("of-vfork", O_RDONLY | O_CREAT, 0600);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	visit("of-parent", O_RDONLY | O_CREAT);
	return 0;
}

#if defined(__x86_64__)
static volatile int nstats, nothers;

/* Not by syscall(), which the library would take for the begin of a sandbox. */
static long direct(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

/* Carries out the trapped call: fstat by a call that is not, anything else not at all. */
static void trapped(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	if (info->si_syscall == SYS_fstat) {
		nstats++;
		regs[REG_RAX] = direct(SYS_newfstatat, regs[REG_RDI], (long)"", regs[REG_RSI],
			AT_EMPTY_PATH);
	} else {
		nothers++;
		regs[REG_RAX] = -ENOSYS;
	}
}

#define NUMBER	      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ, SYS_##number, 0, 1), RETURN(SECCOMP_RET_ALLOW)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)

static int trap(void)
{
	struct sock_filter code[] = { NUMBER, ALLOW(openat), ALLOW(close), ALLOW(newfstatat),
		ALLOW(rt_sigreturn), ALLOW(write), ALLOW(exit_group), RETURN(SECCOMP_RET_TRAP) };
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	sigaction(SIGSYS, &action, NULL);
	direct(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
	return (int)direct(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&filter, 0);
}

static int calls(void)
{
	char text[64];
	int n;

	samples_make();
	visit_all(1);
	if (trap() < 0)
		return 77;
	visit_all(TIMES);
	n = snprintf(text, sizeof(text), "fstat %d, others %d\n", nstats, nothers);
	direct(SYS_write, 1, (long)text, n, 0);
	direct(SYS_exit_group, 0, 0, 0, 0);
	return 1;
}
#else
static int calls(void)
{
	return 77;
}
#endif

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "names"))
		return names();
	if (argc == 2 && !strcmp(argv[1], "calls"))
		return calls();
	fprintf(stderr, "usage: files_load names|calls\n");
	return 2;
}
