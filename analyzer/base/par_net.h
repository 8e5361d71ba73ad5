/*
 * par_net.h - the calls behind par.h for processes on several nodes that no MPI joins: each but one
 * listens and says where, by whatever way, and that one connects to them. They talk by TCP, and all of it
 * goes through the one that connected, which is rank 0. Whoever connects has to know the secret.
 */
#ifndef ANALYZER_PAR_NET_H
#define ANALYZER_PAR_NET_H

#include "base/par.h"

enum { NET_SECRET = 32 }; /* characters */

/* One that listens. */
struct net_offer {
	char name[256]; /* for people */
	char secret[NET_SECRET + 1];
	unsigned port;
	char addresses[1024]; /* numeric, separated by blanks */
	int socket;	      /* set by net_meet(); -1: it cannot be reached */
};

/* Listens on all addresses of this machine, and fills all but the name. The listening socket, or -1 (not reported). */
int net_listen(struct net_offer *offer);

/*
 * Waits so long for the one that connects. 0: it did, and the calls below work, with a rank and size by
 * it; -1: nobody came, or to say that nobody is wanted.
 */
int net_wait(int listener, const struct net_offer *offer, int64_t wait_ns);

/* Connects to all that are there within some time. How many; their sockets are set. */
int net_meet(struct net_offer *offers, int n, int milliseconds);

/* Those that were met become ranks from 1 on. 0, or -1: one of them is lost (not reported). */
int net_lead(struct net_offer *offers, int n);

/*
 * For how long a process may show no sign of life before it counts as lost: each sends one a second while it
 * works. A process that is stopped (SIGSTOP) keeps its connections, and would be waited for without limit.
 */
extern int64_t net_silence_ns;

/* Those that were met are not wanted. */
void net_dismiss(struct net_offer *offers, int n);

/* After net_wait() or net_lead(): for par_join(). Who is lost is reported by rank 0. */
extern const struct par_mpi par_net;

#endif
