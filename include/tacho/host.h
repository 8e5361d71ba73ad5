/*
 * host.h - the name of this host as both sides use it: as a part of paths, and to know whether spools
 * are of this host. A container may give any name, or none.
 */
#ifndef TACHO_HOST_H
#define TACHO_HOST_H

#include <string.h>
#include <sys/utsname.h>

#define HOST_ROOM sizeof(((struct utsname *)0)->nodename)

/* The name, in which a slash and a dot at its begin are '_'; "localhost" where there is none. */
static inline void host_name(char name[HOST_ROOM])
{
	struct utsname host;

	if (uname(&host) < 0 || !host.nodename[0])
		strcpy(host.nodename, "localhost");
	if (host.nodename[0] == '.') /* readers of a folder skip hidden files */
		host.nodename[0] = '_';
	for (char *slash = host.nodename; (slash = strchr(slash, '/'));)
		*slash = '_';
	memcpy(name, host.nodename, HOST_ROOM);
}

#endif
