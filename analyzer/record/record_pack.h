/* record_pack.h - brings spools from a node's own disk into one file of the run (spool/spool_pack.h). */
#ifndef ANALYZER_RECORD_PACK_H
#define ANALYZER_RECORD_PACK_H

/*
 * Adds all that is in `local`, folders of processes with their files, to the node's pack in `spool`
 * (RUN/spool), and removes `local`. The tachos of a node take turns. 0, or -1 with errno: all stays
 * where it was.
 */
int record_pack_add(const char *local, const char *spool);

#endif
