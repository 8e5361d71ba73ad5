/* io_save.c - see io_save.h. */
#include "config.h"

#include <stdlib.h>

#include "tables/io_save.h"

enum { PAUSE_NS = 1000000000 };

void io_saving_open(struct io_saving *saving, int64_t begin)
{
	saving->is_opened = true;
	saving->opened = begin;
	saving->number = 0;
}

static struct io_save *save_of(struct io_saves *saves, const struct io_saving *saving)
{
	return saving->number ? &saves->at[saving->number - 1] : NULL;
}

static int save_add(struct io_saves *saves, struct io_saving *saving, const struct io_save *save)
{
	struct io_save *grown;

	saving->is_opened = false;
	saving->number = 0;
	if (saves->n == IO_SAVES_MOST)
		return 0;
	if (saves->n == saves->room) {
		saves->room = saves->room ? 2 * saves->room : 1;
		grown = realloc(saves->at, saves->room * sizeof(*grown));
		if (!grown)
			return -1;
		saves->at = grown;
	}
	saves->at[saves->n++] = *save;
	saving->number = saves->n;
	return 0;
}

int io_saves_write(struct io_saves *saves, struct io_saving *saving, int64_t begin, int64_t end,
	uint64_t bytes, bool is_main)
{
	struct io_save *save = save_of(saves, saving);

	if (!save || begin - save->end > PAUSE_NS)
		return save_add(saves, saving,
			&(struct io_save){ saving->is_opened ? saving->opened : begin, end, bytes,
				is_main });
	save->end = end > save->end ? end : save->end;
	save->bytes += bytes;
	return 0;
}

void io_saves_sync(struct io_saves *saves, const struct io_saving *saving, int64_t end)
{
	struct io_save *save = save_of(saves, saving);

	if (save && end > save->end)
		save->end = end;
}
