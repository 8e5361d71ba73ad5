/*
 * rights.c - programs that give up their rights or change their root, as services do: the process's
 * folder is kept open before that, and given to the user that it becomes. A child that such a process
 * forks later finds no folder for its own spools: it is counted in its parent's state (process.c).
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "core/helper.h"
#include "core/known.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/real.h"
#include "core/sandbox.h"
#include "core/sys.h"

#define OWNER_KEPT ((uid_t)-1)

/* Files of an open folder, and it itself, become the user's. */
static void folder_give(int folder, uid_t owner)
{
	char buf[2048] __attribute__((aligned(8)));
	int names = (int)syscall(SYS_openat, folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	while ((n = syscall(SYS_getdents64, names, buf, sizeof(buf))) > 0)
		for (long at = 0; at < n;) {
			const struct sys_entry *entry = (const void *)(buf + at);

			if (entry->name[0] != '.')
				syscall(SYS_fchownat, folder, entry->name, owner, -1,
					AT_SYMLINK_NOFOLLOW);
			at += entry->len;
		}
	if (names >= 0)
		sys_close(names);
	syscall(SYS_fchownat, folder, "", owner, -1, AT_EMPTY_PATH);
}

/* Before the call: the process is to reach its folder after it as well. */
static void rights_change(uid_t owner)
{
	int saved = errno, folder;

	if (sandbox_is_on() || !tacho_process.is_open || tacho_process.pid != sys_pid())
		return;
	folder = process_folder_keep();
	if (folder >= 0 && owner != OWNER_KEPT)
		folder_give(folder, owner);
	process_folder_leave(folder);
	errno = saved;
}

TACHO_WRAP(chroot)
int chroot(const char *path)
{
	__typeof__(&chroot) real = (__typeof__(&chroot))real_libc("chroot");

	thread_self(REGION_open); /* later it would find no run, or make one in its new root */
	rights_change(OWNER_KEPT);
	known_move();
	return real(path);
}

TACHO_WRAP(chdir)
int chdir(const char *path)
{
	__typeof__(&chdir) real = (__typeof__(&chdir))real_libc("chdir");
	int ret = real(path);

	known_move();
	return ret;
}

TACHO_WRAP(fchdir)
int fchdir(int fd)
{
	__typeof__(&fchdir) real = (__typeof__(&fchdir))real_libc("fchdir");
	int ret = real(fd);

	known_move();
	return ret;
}

TACHO_WRAP(setuid)
int setuid(uid_t user)
{
	__typeof__(&setuid) real = (__typeof__(&setuid))real_libc("setuid");

	rights_change(user);
	return real(user);
}

TACHO_WRAP(seteuid)
int seteuid(uid_t user)
{
	__typeof__(&seteuid) real = (__typeof__(&seteuid))real_libc("seteuid");

	rights_change(user);
	return real(user);
}

TACHO_WRAP(setreuid)
int setreuid(uid_t real_user, uid_t user)
{
	__typeof__(&setreuid) real = (__typeof__(&setreuid))real_libc("setreuid");

	rights_change(user);
	return real(real_user, user);
}

TACHO_WRAP(setresuid)
int setresuid(uid_t real_user, uid_t user, uid_t saved_user)
{
	__typeof__(&setresuid) real = (__typeof__(&setresuid))real_libc("setresuid");

	rights_change(user);
	return real(real_user, user, saved_user);
}

/* Some namespaces are for a process of one thread, or that shares its memory with no task, only. */
static bool is_refused(int ret)
{
	return ret < 0 && (errno == EINVAL || errno == EUSERS) && helper_pause();
}

/* Afterwards: the first child in a new namespace of processes is the program's, and ends the namespace. */
static void children_look(void)
{
	char own[64], theirs[64];
	ssize_t n, m;

	if (sandbox_is_on() || !tacho_process.is_open || tacho_process.pid != sys_pid())
		return;
	n = sys_readlink("/proc/thread-self/ns/pid", own, sizeof(own));
	m = sys_readlink("/proc/thread-self/ns/pid_for_children", theirs, sizeof(theirs));
	/* the other cannot be read as long as it has no process */
	task_bar(n > 0 && (n != m || memcmp(own, theirs, (size_t)n) != 0));
}

TACHO_WRAP(unshare)
int unshare(int flags)
{
	__typeof__(&unshare) real = (__typeof__(&unshare))real_libc("unshare");
	int ret, saved;
	bool was_there;

	if (flags & CLONE_NEWNS)
		thread_self(REGION_open); /* as for chroot: later mounts may hide the run */
	ret = real(flags);
	was_there = is_refused(ret);
	if (was_there)
		ret = real(flags);
	saved = errno;
	if (ret == 0 && flags & CLONE_NEWPID)
		children_look();
	if (was_there)
		helper_resume();
	errno = saved;
	return ret;
}

TACHO_WRAP(setns)
int setns(int fd, int type)
{
	__typeof__(&setns) real = (__typeof__(&setns))real_libc("setns");
	int ret = real(fd, type), saved;
	bool was_there = is_refused(ret);

	if (was_there)
		ret = real(fd, type);
	saved = errno;
	known_move();
	if (ret == 0)
		children_look();
	if (was_there)
		helper_resume();
	errno = saved;
	return ret;
}
