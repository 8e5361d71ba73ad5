/* write_props.h - properties in the archive (include/tacho/trace.h), part of its definitions. */
#ifndef ANALYZER_WRITE_PROPS_H
#define ANALYZER_WRITE_PROPS_H

#include "merge/write_defs.h"

void props_of_node(struct merge *m, struct strings *s, uint32_t node);
void props_of_process(struct merge *m, struct strings *s, uint32_t process);
void props_of_location(struct merge *m, struct strings *s, const struct location *l,
	uint64_t number);
int props_of_archive(struct merge *m, struct otf2_out *out, const char *unmatched);

/* What `tacho control RUN mark` noted, to be freed: PROPERTY_ARCHIVE_NOTES. NULL: nothing. */
char *notes_text(const struct merge *m);

#endif
