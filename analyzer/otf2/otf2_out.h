/*
 * otf2_out.h - one OTF2 archive being written by several threads, in a folder
 * next to its final place: a crash leaves no half archive under the right name.
 */
#ifndef ANALYZER_OTF2_OUT_H
#define ANALYZER_OTF2_OUT_H

#include <otf2/otf2.h>
#include <stdint.h>

struct otf2_out {
	OTF2_Archive *archive;
	char *path; /* the folder that is being written */
};

/*
 * Makes the folder `path` and opens an archive in it; its largest group has `members`. 0, or -1
 * (reported).
 */
int otf2_out_open(struct otf2_out *out, const char *path, uint64_t members);

/*
 * The event writer of a location; close it with otf2_out_writer_close. NULL on failure (reported).
 */
OTF2_EvtWriter *otf2_out_writer(struct otf2_out *out, uint64_t location);

/* Closes and returns the number of events in *nevents. 0, or -1 (reported). */
int otf2_out_writer_close(struct otf2_out *out, OTF2_EvtWriter *writer, uint64_t *nevents);

/* Closes the archive; the folder stays. 0, or -1 (reported). */
int otf2_out_close(struct otf2_out *out);

/*
 * Lets go of the archive after a failure without a further call of libotf2,
 * which frees its buffers twice once a write has failed. Its memory stays
 * until the program ends.
 */
void otf2_out_abandon(struct otf2_out *out);

/*
 * Moves the locations' files of the archive in folder `from` into that in folder `to`. 0, or -1
 * (reported).
 */
int otf2_out_move(const char *from, const char *to);

/* Removes a folder and all in it; silent when there is none. 0, or -1 (reported). */
int folder_remove(const char *path);

#endif
