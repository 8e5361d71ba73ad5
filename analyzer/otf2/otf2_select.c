/* otf2_select.c - which locations of an archive are read; see otf2_in.h. */
#include "config.h"

#include "base/guard.h"
#include "otf2/otf2_in.h"

const char *archive_skipped(const struct archive *archive, uint64_t ref)
{
	for (size_t i = 0; i < archive->nskipped; i++)
		if (archive->skipped[i].ref == ref)
			return archive->skipped[i].damage;
	return NULL;
}

void archive_at_location(uint64_t ref)
{
	guard->location = ref;
	guard->stage = GUARD_EVENTS;
	guard->progress++;
}

void archive_select(struct archive *archive, struct in_location *location)
{
	if (!location->selected)
		OTF2_Reader_SelectLocation(archive->reader, location->ref);
	location->selected = true;
}
