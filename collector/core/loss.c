/* loss.c - see loss.h. */
#include "config.h"

#include <errno.h>
#include <stddef.h>

#include "core/loss.h"

enum spool_loss loss_of_error(int error)
{
	static const struct {
		int error;
		enum spool_loss loss;
	} reasons[] = {
		{ ENOSPC, LOSS_DISK_FULL },
		{ EDQUOT, LOSS_DISK_FULL },
		{ EDOM, LOSS_LIMIT },
		{ EFBIG, LOSS_FILE_LIMIT },
		{ ENOMEM, LOSS_NO_MEMORY },
		{ EAGAIN, LOSS_NO_MEMORY }, /* mmap under mlockall() and ulimit -l */
		{ EMFILE, LOSS_NO_DESCRIPTOR },
		{ ENFILE, LOSS_NO_DESCRIPTOR },
		{ EACCES, LOSS_UNREACHABLE },
		{ EPERM, LOSS_UNREACHABLE },
		{ ENOENT, LOSS_UNREACHABLE },
		{ ENOTDIR, LOSS_UNREACHABLE },
		{ ESTALE, LOSS_UNREACHABLE },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].error == error)
			return reasons[i].loss;
	return LOSS_FAILED;
}
