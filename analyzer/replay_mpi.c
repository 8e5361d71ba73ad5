/* replay_mpi.c - see replay.h. */
#include "config.h"
#include "analysis.h"
int replay_open(struct analysis *analysis) { (void)analysis; return 0; }
void replay_close(struct analysis *analysis) { (void)analysis; }
int64_t replay_clock(const struct replay_track *track, enum scenario scenario, int64_t t) { return t + track->shift[scenario]; }
void replay_enter(struct track *track, int64_t t, bool mpi) { (void)track, (void)t, (void)mpi; }
void replay_event(struct track *track, const struct event *event, const struct region *region) { (void)track, (void)event, (void)region; }
bool replay_leave(struct track *track, int64_t t) { (void)track, (void)t; return true; }
void replay_progress(struct track *track) { (void)track; }
void replay_force(struct track *track) { (void)track; }
void replay_finish(struct analysis *analysis) { (void)analysis; }
