/*
 * attach_calls.c - see attach_calls.h. /proc/PID/task/TID/syscall has the number and arguments of the call
 * that a sleeping thread is in, and "running" of any other: no thread is stopped for it.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "attach/attach_calls.h"
#include "attach/attach_socket.h"
#include "core/define.h"
#include "core/proc_file.h"
#include "core/process.h"
#include "core/sys.h"
#include "tacho/regions.h"

#define FILES 256 /* descriptors with a known file */

/* System calls by the functions that make them. A file: the first argument is its descriptor. */
static const struct {
	int number;
	unsigned short region;
	bool has_file;
} calls[] = {
	{ SYS_read, REGION_read, true },
	{ SYS_write, REGION_write, true },
	{ SYS_pread64, REGION_pread64, true },
	{ SYS_pwrite64, REGION_pwrite64, true },
	{ SYS_readv, REGION_readv, true },
	{ SYS_writev, REGION_writev, true },
	{ SYS_recvfrom, REGION_recvfrom, true },
	{ SYS_recvmsg, REGION_recvmsg, true },
	{ SYS_sendto, REGION_sendto, true },
	{ SYS_sendmsg, REGION_sendmsg, true },
	{ SYS_fsync, REGION_fsync, true },
	{ SYS_fdatasync, REGION_fdatasync, true },
	{ SYS_openat, REGION_openat, false },
	{ SYS_futex, REGION_SEEN_FUTEX, false },
#ifdef SYS_poll
	{ SYS_poll, REGION_poll, false },
	{ SYS_select, REGION_select, false },
	{ SYS_epoll_wait, REGION_epoll_wait, false },
#endif
	{ SYS_ppoll, REGION_ppoll, false },
	{ SYS_pselect6, REGION_pselect, false },
	{ SYS_epoll_pwait, REGION_epoll_pwait, false },
	{ SYS_accept, REGION_accept, false },
	{ SYS_accept4, REGION_accept4, false },
	{ SYS_connect, REGION_connect, false },
	{ SYS_nanosleep, REGION_nanosleep, false },
	{ SYS_clock_nanosleep, REGION_clock_nanosleep, false },
	{ SYS_wait4, REGION_wait4, false },
	{ SYS_waitid, REGION_waitid, false },
};

/* Descriptors and the files behind them as they were seen last. */
static struct {
	uint64_t dev, ino;
	uint32_t id;
} files[FILES];

static uint32_t file_kind(uint32_t mode)
{
	return S_ISREG(mode)			 ? HANDLE_FILE
		: S_ISDIR(mode)			 ? HANDLE_DIR
		: S_ISFIFO(mode)		 ? HANDLE_PIPE
		: S_ISSOCK(mode)		 ? HANDLE_SOCKET
		: S_ISCHR(mode) || S_ISBLK(mode) ? HANDLE_DEVICE
						 : HANDLE_OTHER;
}

/* Number of the handle defined for a descriptor of the process; 0: not known. */
static uint32_t file_find(uint64_t fd)
{
	struct spool_def_handle handle = { 0 };
	char link[64], path[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (fd >= FILES)
		return 0;
	snprintf(link, sizeof(link), "%s/fd/%u", tacho_process.proc, (unsigned)fd);
	if (sys_stat(link, &st) < 0)
		return 0;
	if (files[fd].id && files[fd].dev == st.st_dev && files[fd].ino == st.st_ino)
		return files[fd].id;
	n = sys_readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	if (S_ISSOCK(st.st_mode))
		socket_name(st.st_ino, path, sizeof(path));
	handle.kind = file_kind(st.st_mode);
	handle.dev = st.st_dev;
	handle.ino = st.st_ino;
	files[fd].dev = st.st_dev;
	files[fd].ino = st.st_ino;
	files[fd].id = process_define_handle(&handle, path);
	return files[fd].id;
}

/* Reads the call's number and first argument. False: it runs, or has ended. */
static bool call_read(uint32_t tid, int *number, uint64_t *first)
{
	char path[64];
	const char *text;
	unsigned long long argument;

	snprintf(path, sizeof(path), "/proc/self/task/%u/syscall", tid);
	text = file_text_once(path);
	if (!text || sscanf(text, "%d 0x%llx", number, &argument) != 2)
		return false;
	*first = argument;
	return true;
}

bool call_place(uint32_t tid, struct call_place *place)
{
	char path[64];
	const char *text, *at;
	unsigned long long sp, pc;

	snprintf(path, sizeof(path), "/proc/self/task/%u/syscall", tid);
	text = file_text_once(path);
	at = text ? strrchr(text, ' ') : NULL;
	/* the last two words */
	while (at && at > text && at[-1] != ' ')
		at--;
	if (!at || sscanf(at, "0x%llx 0x%llx", &sp, &pc) != 2)
		return false;
	*place = (struct call_place){ sp, pc };
	return true;
}

void call_look(struct spool_head *head, uint32_t tid)
{
	struct spool_inside *inside = &head->inside[0];
	uint32_t was = atomic_load_explicit(&inside->region, memory_order_relaxed), region = 0;
	uint64_t first, file = 0;
	int number;

	if (call_read(tid, &number, &first))
		for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && !region; i++)
			if (calls[i].number == number) {
				region = calls[i].region;
				file = calls[i].has_file ? file_find(first) : 0;
			}
	if (region == was && file == inside->arg)
		return;
	atomic_store_explicit(&inside->region, 0, memory_order_release);
	inside->start = clock_ticks();
	inside->arg = file;
	atomic_store_explicit(&inside->region, region, memory_order_release);
}
