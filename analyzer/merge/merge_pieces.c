/* merge_pieces.c - see merge_pieces.h. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "merge/write_defs.h"
#include "merge/merge_pieces.h"

void pieces_print(struct pieces *pieces, const char *format, ...)
{
	size_t room = sizeof(pieces->text) - pieces->size, length;
	va_list list;

	va_start(list, format);
	length = (size_t)vsnprintf(pieces->text + pieces->size, room, format, list);
	va_end(list);
	pieces->size += length < room ? length : room - 1;
}

void pieces_end(struct pieces *pieces)
{
	OTF2_AttributeValue text;
	char key[64];

	if (!pieces->size)
		return;
	snprintf(key, sizeof(key), "%s%u", pieces->key, pieces->n++);
	text.stringRef = string_ref(pieces->s, pieces->text);
	pieces->s->error |= OTF2_GlobalDefWriter_WriteLocationGroupProperty(pieces->s->out,
		pieces->process, string_ref(pieces->s, key), OTF2_TYPE_STRING, text);
	pieces->size = 0;
}

void pieces_line(struct pieces *pieces)
{
	if (pieces->size >= PIECE)
		pieces_end(pieces);
}
