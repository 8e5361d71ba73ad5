/* child.c - see child.h. */
#include "config.h"

#include <errno.h>
#include <sys/vfs.h>

#include "core/child.h"
#include "core/process.h"
#include "core/sys.h"

void child_killed(int pid, int signal)
{
	struct spool_def_child_end end = { .pid = (uint32_t)pid, .signal = signal };
	struct statfs shm;
	int saved = errno;

	if (!signal || !tacho_process.is_open)
		return;
	end.ticks = clock_ticks();
	if (!syscall(SYS_statfs, "/dev/shm", &shm)) {
		end.shm_bytes = (uint64_t)shm.f_blocks * (uint64_t)shm.f_bsize;
		end.shm_used = (uint64_t)(shm.f_blocks - shm.f_bfree) * (uint64_t)shm.f_bsize;
	}
	process_define(&(struct def){ .type = DEF_CHILD_END, .body = &end, .nbody = sizeof(end) });
	errno = saved;
}
