/* otf2_out_strings.h - the strings of an archive that is being written. */
#ifndef ANALYZER_OTF2_OUT_STRINGS_H
#define ANALYZER_OTF2_OUT_STRINGS_H

#include <otf2/otf2.h>
#include <stdint.h>

/* Strings of the archive: each text is written once, when it is first asked for. */
struct strings {
	OTF2_GlobalDefWriter *out;
	struct string_slot {
		char *text;
		uint32_t ref;
	} * slots;
	uint32_t n, size;
	OTF2_ErrorCode error;
};

uint32_t string_ref(struct strings *strings, const char *text);

/* Defines tacho's attributes and parameters (tacho/trace.h). */
void strings_define_attributes(struct strings *strings);
void strings_free(struct strings *strings);

#endif
