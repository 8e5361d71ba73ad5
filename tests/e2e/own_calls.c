/*
 * own_calls.c - a program that dies on any system call of libtacho's outside a list:
 * all of the library's calls are made by one instruction within it, which a filter knows by its
 * address.
 *
 * usage: own_calls [NAME]: without NAME, which is on the list, either. It reads and writes with
 * threads and a forked child, waits, marks steps, with -DWITH_MPI reduces, and ends with 0. 77: there
 * are no filters here. numbers.h, which the test makes, has the list: CALL(NAME) a line.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tacho.h"
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { STEPS = 12, FILES = 5 };

/* Not by syscall(), which libtacho would take for the begin of a sandbox. */
static long direct(long number, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}

/* [from, to) of libtacho's code; both 0: it is not loaded. */
static int code_find(struct dl_phdr_info *info, size_t size, void *data)
{
	uint64_t *code = data;

	(void)size;
	if (!strstr(info->dlpi_name, "libtacho"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			code[0] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			code[1] = code[0] + info->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

#define FIELD(name, more)                                                                          \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name) + (more))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define LIST_MAX      200

static bool lock_in(const char *without)
{
	static const struct {
		const char *name;
		unsigned number;
	} list[] = {
#define CALL(name) { #name, SYS_##name },
#include "numbers.h"
	};
	struct sock_filter code[LIST_MAX + 16];
	struct sock_fprog filter = { 0, code };
	uint64_t text[2] = { 0 };
	size_t n = 0;

	dl_iterate_phdr(code_find, text);
	if (!text[0])
		return true;
	if (text[0] >> 32 != text[1] >> 32 || sizeof(list) / sizeof(*list) > LIST_MAX)
		return false;
	code[n++] = (struct sock_filter)FIELD(instruction_pointer, 4);
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ, (uint32_t)(text[0] >> 32), 1,
		0);
	code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)FIELD(instruction_pointer, 0);
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE, (uint32_t)text[0], 1, 0);
	code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE, (uint32_t)text[1], 0, 1);
	code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)FIELD(nr, 0);
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (strcmp(list[i].name, without) != 0) {
			code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ, list[i].number,
				0, 1);
			code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
		}
	code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
	filter.len = (unsigned short)n;
	direct(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0);
	return direct(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
		       (long)&filter) == 0;
}

static void *files(void *which)
{
	char name[64], block[16];

	for (int i = 0; i < FILES; i++) {
		FILE *stream;
		int fd;

		snprintf(name, sizeof(name), "data.%d.%ld.%d", (int)getpid(), (long)which, i);
		fd = open(name, O_RDWR | O_CREAT, 0600);
		if (fd < 0 || write(fd, "0123456789", 10) != 10 || pread(fd, block, 10, 0) != 10)
			_exit(1);
		close(fd);
		stream = fopen(name, "r");
		if (!stream || fread(block, 1, 10, stream) != 10)
			_exit(1);
		fclose(stream);
		unlink(name);
	}
	return NULL;
}

static void step(int n)
{
	pthread_t thread;
	pid_t child;
	int status;

	tacho_step_begin(n);
	pthread_create(&thread, NULL, files, (void *)1);
	files((void *)2);
	pthread_join(thread, NULL);
	if (n % 4 == 0) {
		child = fork();
		if (child == 0)
			exit(files((void *)3) != NULL);
		if (waitpid(child, &status, 0) < 0 || status)
			_exit(1);
	}
#ifdef WITH_MPI
	MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#endif
	usleep(200000); /* longer than a beat of the helper thread, and together than a sample */
	tacho_step_end(1);
}

int main(int argc, char **argv)
{
#ifdef WITH_MPI
	MPI_Init(&argc, &argv);
#endif
	if (!lock_in(argc > 1 ? argv[1] : ""))
		return 77;
	for (int n = 0; n < STEPS; n++)
		step(n);
#ifdef WITH_MPI
	MPI_Finalize();
#endif
	puts("done");
	return 0;
}
