/* attach_socket.h - which connection a socket of another process is, as its /proc/PID/net has it. */
#ifndef COLLECTOR_ATTACH_SOCKET_H
#define COLLECTOR_ATTACH_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

/* Writes "socket:tcp LOCAL - REMOTE" of the TCP socket with this inode. False: there is none. */
bool socket_name(uint64_t inode, char *text, size_t size) HIDDEN;

#endif
