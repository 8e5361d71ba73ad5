/* sanitizer.h - programs that GCC's or Clang's sanitizers instrument. */
#ifndef TACHO_RECORD_SANITIZER_H
#define TACHO_RECORD_SANITIZER_H

/*
 * Sets options of the sanitizers that programs of the command are built with, in the environment
 * of this process, and keeps what they read in `run`: AddressSanitizer refuses to start behind
 * another preloaded library, and ThreadSanitizer takes what libtacho does for races. What the user has
 * set of these stays. Returns 0, or -1 after saying why not.
 */
int sanitizer_prepare(const char *run, char *const argv[]);

#endif
