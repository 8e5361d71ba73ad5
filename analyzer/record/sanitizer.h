/* sanitizer.h - programs that GCC's or Clang's sanitizers instrument. */
#ifndef TACHO_RECORD_SANITIZER_H
#define TACHO_RECORD_SANITIZER_H

/*
 * Sets options of the sanitizers in the command's programs, in the environment of this process, and
 * stores their input in `run`: AddressSanitizer refuses to start behind another preloaded library,
 * and ThreadSanitizer reports libtacho's accesses as races. The user's settings remain. Returns 0,
 * or -1 (reported).
 */
int sanitizer_prepare(const char *run, char *const argv[]);

#endif
