/*
 * replay.h - why: the forward max-plus recurrence of the measured events on
 * an ideal network. Each thread carries one clock per scenario; a
 * communication call ends at the latest of the operations that gate it, plus
 * the part τ of its measured duration that they do not explain. The identity
 * scenario keeps τ and must return every measured time.
 *
 * A track parks at the end of a call until everything that gates it has come
 * by, so no order among locations is needed in between: state is some numbers
 * per location, the messages in flight and the collectives that are open.
 */
#ifndef ANALYZER_REPLAY_H
#define ANALYZER_REPLAY_H

#include "engine/common/critical.h"
#include "model/collective_op.h"
#include "model/model.h"
#include "otf2/otf2_in.h"

/*
 * What a scenario does without. NETWORK is the level of MPI: threads wait for devices as long as
 * they did, for each other as the replay goes. T1 to T4 add one thing at a time, ONLY_* take one
 * away alone. TENSOR keeps all, but matrix kernels outside of tensor cores are faster.
 */
enum freedom {
	FREE_NETWORK = 1,
	FREE_MEMORY = 2,
	FREE_IO = 4,
	FREE_HOST = 8,
	COUPLED = 16,
	FAST_MATRIX = 32
};

#define REPLAY_SCENARIOS(SCENARIO)                                                                 \
	SCENARIO(IDENTITY, COUPLED)                                                                \
	SCENARIO(NETWORK, FREE_NETWORK)                                                            \
	SCENARIO(T1, COUPLED | FREE_NETWORK)                                                       \
	SCENARIO(T2, COUPLED | FREE_NETWORK | FREE_MEMORY)                                         \
	SCENARIO(T3, COUPLED | FREE_NETWORK | FREE_MEMORY | FREE_IO)                               \
	SCENARIO(T4, COUPLED | FREE_NETWORK | FREE_MEMORY | FREE_IO | FREE_HOST)                   \
	SCENARIO(ONLY_MEMORY, COUPLED | FREE_MEMORY)                                               \
	SCENARIO(ONLY_IO, COUPLED | FREE_IO)                                                       \
	SCENARIO(ONLY_HOST, COUPLED | FREE_HOST)                                                   \
	SCENARIO(TENSOR, COUPLED | FAST_MATRIX)

enum scenario {
#define SCENARIO(id, freedoms) SCENARIO_##id,
	REPLAY_SCENARIOS(SCENARIO)
#undef SCENARIO
		SCENARIO_COUNT
};

static const unsigned char scenario_freedoms[SCENARIO_COUNT] = {
#define SCENARIO(id, freedoms) [SCENARIO_##id] = (freedoms),
	REPLAY_SCENARIOS(SCENARIO)
#undef SCENARIO
};

struct track;
struct engine;
struct note;
struct pack;

/* A moment: as measured, and on each scenario's clock; `by`: the process of the moment. */
#define MOMENT                                                                                     \
	int64_t t;                                                                                 \
	int64_t clock[SCENARIO_COUNT];                                                             \
	uint32_t by;
struct moment {
	MOMENT
};

/* That of an MPI operation or of a wake, and the path to it, which is longer than all else. */
struct arrival {
	union {
		struct moment moment;
		struct {
			MOMENT
		};
	};
	struct path path;
};

enum side { SIDE_SEND, SIDE_RECV };

/* One message in flight: known from its sender, its receiver, or both. */
struct message {
	struct message *next;
	bool known[2]; /* by enum side */
	struct arrival posted[2];
	uint32_t waiting[2]; /* track parked for the other side, MODEL_NONE = none */
	uint32_t receiver;   /* process */
	uint32_t references;
};

/* Messages of one (communicator, sender, receiver, tag) that only one side has come by for. */
struct channel {
	uint32_t comm, from, to, tag;
	enum side side;
	struct message *head, *tail;
	uint32_t next_free;
};

struct probed {
	struct channel channel;
	struct message *message;
};

struct request { /* a non-blocking operation in flight */
	struct arrival posted;
	struct message *message; /* of a send; of a receive that was given one ahead */
	uint64_t place;		 /* of a collective, as in struct replay_track */
	enum send_mode mode;
	bool neighbours; /* of a collective of those */
	uint32_t next_free;
};

/* The row of an instance, as far as its members have been reported. */
struct collective_row {
	uint32_t op, arrived, left,
		last_rank;	    /* last_rank: the rank that came last, the lowest of several */
	int64_t first, latest, end; /* first and last arrival; end of the last member */
	uint64_t sent, received;    /* the most of a member */
};

/* A row of the table. */
struct collective_line {
	int64_t comm, number, bytes, first, latest, end, rank;
	double algorithm, bus, raw;
	const char *variant; /* NCCL's algorithm/protocol; NULL: not recorded */
	uint32_t op;	     /* of collective_op(), or of nccl_operation() */
	bool nccl, gloo;
};

/* A member's call of an instance in which not all gate all, for the wait beyond its gate. */
struct member_call {
	uint32_t member;
	bool left, in_step;	    /* both: its wait in that step is asked for */
	int64_t posted, since, end; /* arrival; from when on no member gated it; end of the call */
	int64_t step;
};

/* The members of one group of an inter-communicator that have arrived. */
struct collective_group {
	uint32_t size, arrived;
	struct arrival latest; /* on each clock */
};

struct collective {	/* one instance that is open */
	uint64_t key;	/* 0: of a process that is alone; no other process searches for it */
	uint32_t place; /* among all that are open */
	uint32_t alone; /* that process, else MODEL_NONE */
	uint32_t comm, op, size, root, arrived, last_rank;
	uint32_t here, left; /* of the members that are read here: arrived, left */
	uint32_t reported;   /* of the arrived ones, as many as other readers know of */
	uint32_t unreported; /* 1 + its place among those; 0: it is not there */
	/*
	 * position in the communicator, as its member 0 counts; in a communicator of one process
	 * plus 2^32 × (1 + process)
	 */
	int64_t number;
	bool *there;		/* by rank in the communicator */
	struct arrival *starts; /* the same, where lower ranks or neighbours gate; NULL elsewhere */
	struct member_call *calls; /* the same, where not all gate all; NULL elsewhere */
	struct arrival at_root;	   /* its arrival */
	struct arrival latest;	   /* arrival, on each clock */
	struct collective_row row;
	struct collective_group *groups; /* both of an inter-communicator; NULL elsewhere */
	enum gate gate;
	ARRAY_OF(uint32_t) waiting; /* parked tracks */
	uint32_t *parked;	    /* the same by rank, where neighbours gate; NULL elsewhere */
};

enum need_kind { NEED_SENDER, NEED_RECEIVER, NEED_COLLECTIVE };

/*
 * Wait states, as Scalasca names them: of messages until the sender sends or the receiver
 * receives; of collectives until all ranks come, until the root comes, or, at the root, until all
 * others come.
 */
#define WAIT_STATE_NAMES(STATE)                                                                    \
	STATE(LATE_SENDER, "late_sender")                                                          \
	STATE(LATE_RECEIVER, "late_receiver")                                                      \
	STATE(AT_BARRIER, "wait_at_barrier")                                                       \
	STATE(AT_NXN, "wait_at_nxn")                                                               \
	STATE(LATE_BROADCAST, "late_broadcast")                                                    \
	STATE(EARLY_REDUCE, "early_reduce")                                                        \
	STATE(EARLY_SCAN, "early_scan")

enum wait_state {
#define STATE(id, name) WAIT_##id,
	WAIT_STATE_NAMES(STATE)
#undef STATE
		WAIT_STATES
};

/* What the end of a call waits for. */
struct need {
	enum need_kind kind;
	enum send_mode mode; /* NEED_RECEIVER */
	uint32_t member;     /* NEED_COLLECTIVE: own rank */
	bool ungated;	     /* the same, where its partner is not known */
	uint64_t part;	     /* the same, of neighbours: bytes for each of them; 0: not known */
	struct arrival posted;
	struct message *message;
	struct collective *collective;
	/* NEED_RECEIVER: number under which its reader was asked, 0: not */
	uint32_t asked;
	bool passed; /* the reader reported that the receiver has come past the send */
};

/* A parked track that nothing new can help until the one it inspects has come to t. */
struct watcher {
	uint32_t track;
	int64_t t;
};

enum { PIECES_MOST = 512 };

/* In which a thread waited for another rank to send (late), or for what that sent. */
struct remote_piece {
	int64_t from, to;
	uint32_t partner;
	bool late;
};

struct remote_pieces {
	uint64_t n; /* in all: number i is at i % PIECES_MOST */
	struct remote_piece at[PIECES_MOST];
};

struct late_event;
struct mark;
struct device_need {
	struct mark *mark;
	bool polled;  /* only if it had ended in time: before the call returned */
	size_t depth; /* of that call */
	int64_t left; /* when it returned, if that was inside of another call; else INT64_MAX */
};

/*
 * Polls that found nothing, up to the call that succeeded: they waited for the gate of that call.
 * `base`: the clocks as though the polls and the time between them had taken no time, but for work.
 */
struct poll_run {
	bool open;
	int64_t left, mpi;	       /* end of the last one; in MPI until then */
	int64_t shift[SCENARIO_COUNT]; /* of the clocks there */
	struct moment base;
};

#define FEEDERS 4

/* A thread of a rank that ended waits of its main thread: how long these were. */
struct feeder {
	uint32_t thread;
	int64_t ns;
};

struct replay_track {
	int64_t shift[SCENARIO_COUNT]; /* clock - measured time, outside of calls */
	const struct region *call;     /* present outermost MPI call; NULL: none */
	struct arrival entered;
	struct path_track path;
	bool communicates; /* an operation was seen in it */
	bool finds;	   /* … that had begun before, or another rank's message */
	struct poll_run polls;
	bool completes_file; /* one of a file, by all its ranks, was completed */
	/* … with unknown partners: they keep their duration */
	bool unknown;
	bool launches; /* the thread has launched something onto a device */
	bool parked, queued, forced;
	bool held;	/* parked where it began */
	uint64_t bytes; /* that the present call moved, in its largest operation */
	/* of the call's next collective among its communicator's, from 1; 0: not recorded */
	uint64_t place;
	int64_t leave;			/* measured end of the call where it is parked */
	int64_t waited;			/* in MPI calls so far, until their gate opened */
	int64_t waited_in[WAIT_STATES]; /* the same by wait state */
	int64_t waited_io;		/* … its part in calls on files, which is I/O */
	/*
	 * … in calls that wait for other threads, until a child or a thread that reads ended them
	 */
	int64_t waited_readers, longest_readers; /* the longest of them */
	struct feeder feeders[FEEDERS];		 /* of a rank's main thread; ns 0: free */
	bool fed;     /* a child has woken it: it may hand over what that read */
	bool carries; /* it has written to another rank, or waited for one, by a socket */
	/*
	 * … of state wait: of another rank's, through sockets: until it wrote; all of it. The other
	 * end of the socket of the present one; the process, MODEL_NONE: none
	 */
	int64_t waited_sockets, in_sockets;
	uint32_t partner;
	struct remote_pieces *pieces; /* the last of these; NULL: there was none */
	struct remote_pieces *idle;   /* polls for nothing since the last wait that was ended */
	bool times_out;		      /* the present wait is such a poll */
	ARRAY_OF(struct need) needs;
	/*
	 * completed in the call, but not yet seen to be posted; the completed ones that are dealt
	 * with
	 */
	ARRAY_OF(struct late_event) lates;
	size_t nsettled;
	/* parked tracks that inspect how far this one has come */
	ARRAY_OF(struct watcher) watchers;
	/* the mark for which the present runtime call waits */
	ARRAY_OF(struct device_need) device_needs;
	struct ahead *ahead; /* its file, read ahead; NULL: not yet needed */
	uint64_t sync;	     /* object that the present wait is for */
	/* it is known; its number means something in the process only */
	bool waits, process_wide;
	bool for_child; /* it is for the end of a child */
};

/* A non-blocking receive that is open. */
struct posted_receive {
	int64_t t;
	uint64_t request;
	uint32_t thread;
	bool known; /* which message it gets, before it is completed */
};

struct replay_process {
	struct idmap requests, sequences;
	uint32_t nthreads, first_thread, end_thread; /* locations among which its threads are */
	uint32_t nfiles; /* of the requests: operations of files by all ranks */
	bool is_border;	 /* messages pass between it and processes that other readers read */
	/*
	 * in the order of their posts, from `first_receive` on; the first `looked` were asked which
	 * message they get
	 */
	ARRAY_OF(struct posted_receive) receives;
	size_t first_receive, looked;
	/* messages that a probe has found and that are not received yet */
	ARRAY_OF(struct probed) probed;
};

/* rank: in the communicator; of one that each process has for itself the process */
struct collective_sum {
	uint32_t comm, op, rank;
	uint64_t n;
	int64_t wait, transfer;
};

/* What main threads of a process waited through sockets for another one. */
struct socket_sum {
	uint32_t process, partner;
	uint64_t n;
	int64_t late, transfer;
};

/* Between two nodes: sends of fewer bytes have been eager; of as many and more they have waited. */
struct eager_limit {
	uint64_t eager, waits; /* 0, UINT64_MAX: none has */
};

struct replay {
	struct eager_limit *limits; /* by pairs of nodes; NULL: nothing is learnt */
	struct replay_process *processes;
	ARRAY_OF(struct channel) channels;
	ARRAY_OF(struct request) requests;
	ARRAY_OF(struct collective *) collectives;
	ARRAY_OF(struct message *) blocks; /* all memory of messages */
	ARRAY_OF(struct collective_sum) sums;
	ARRAY_OF(struct socket_sum) socket_sums;
	ARRAY_OF(struct collective_line) lines; /* of the table, and not in it yet */
	struct idmap channel_numbers, instance_numbers, sum_numbers, socket_numbers;
	uint32_t free_channel, free_request, free_collective;
	struct message *free_message;
	/* by communicator: instances seen; by its member 0 */
	int64_t *collectives_of, *numbers_of;
	ARRAY_OF(uint32_t) wakes; /* tracks to be taken up again */
	ARRAY_OF(char *) texts;	  /* that others named, or put together here */
	/* counts of operations and of errors */
	uint64_t ncalls, noperations; /* calls that should communicate; operations reported */
	uint64_t nungated, nskewed, nmismatched, nconfused, ndropped, nunmatched[2], nincomplete;
	uint64_t nsockets;	      /* in a summary: waits for other ranks through sockets */
	int64_t worst_skew, all_skew; /* the most, and the sum */
	int64_t unruled;	      /* ns of ranks in calls that keep their duration */
};

/*
 * The rest of a duration after its gate. Less than nothing is skew of clocks, which is
 * counted.
 */
static inline int64_t replay_residual(struct replay *replay, int64_t gate, int64_t t)
{
	if (t < gate) {
		replay->nskewed++;
		replay->worst_skew = gate - t > replay->worst_skew ? gate - t : replay->worst_skew;
		replay->all_skew += gate - t;
	}
	return t - gate;
}

/*
 * What a network other than the ideal one keeps of the time that an operation took once its gate
 * had opened: for operations of up to `eager` bytes, and for larger ones. All 0: an ideal one.
 * After Dimemas' linear model, in which latency bounds short messages and bandwidth long ones.
 */
struct network {
	double latency, transfer;
	/* share of the ranks' computing that faster processors save; below 0: slower ones */
	double gain;
	uint64_t eager;
};

/* What a scenario keeps of it: skew only the identity. */
static inline int64_t replay_kept(int scenario, int64_t residual)
{
	return scenario == SCENARIO_IDENTITY || residual > 0 ? residual : 0;
}

/* Memory for the model's processes and communicators: 0, or -1 without (reported). */
int replay_open(struct engine *engine);
void replay_close(struct engine *engine);

/*
 * Learns which standard sends are eager, from the first events of all ranks. 0, or -1 without
 * memory (reported). For a message: the result for its size; SEND_STANDARD: not known.
 */
int eager_learn(struct engine *engine);
enum send_mode eager_mode(const struct engine *engine, uint32_t sender, uint32_t receiver,
	uint64_t bytes);

/* Time in a host state: the clocks of scenarios without it do not advance. */
void replay_spend(struct track *track, enum host_state state, int64_t ns);

/* A track that is not ahead leaves its state at t: what faster processors save of it. */
void network_spend(struct track *track, int64_t t);

static inline int64_t network_gain(const struct network *network, enum host_state state, int64_t ns)
{
	return state == HOST_USEFUL && network->gain != 0 ? (int64_t)((double)ns * network->gain)
							  : 0;
}

/* What a rank has waited for other ranks so far, in calls of states mpi and gloo. */
static inline int64_t replay_waited_ranks(const struct replay_track *replay)
{
	return replay->waited - replay->waited_io - replay->waited_sockets;
}

/*
 * The clocks now, inside or outside of calls. Written where it is wanted: a copy right after the
 * stores would wait for them.
 */
void replay_moment(const struct track *track, int64_t t, struct moment *restrict moment);

/* On each clock the later of the two. */
static inline void moment_later(struct moment *to, const struct moment *from)
{
	to->by = from->t > to->t ? from->by : to->by;
	to->t = from->t > to->t ? from->t : to->t;
	for (int s = 0; s < SCENARIO_COUNT; s++)
		to->clock[s] = from->clock[s] > to->clock[s] ? from->clock[s] : to->clock[s];
}

/*
 * An outermost call that ends at t was held up until `gate`, which is not before its own
 * beginning. What it took from then on is free in scenarios with `freedom`. With COUPLED in it
 * another thread held it up, in all scenarios.
 */
void replay_settle(struct track *track, const struct moment *gate, int64_t t, enum freedom freedom);

/*
 * An outermost MPI call begins, or one on a file of MPI's. Other calls keep their duration and need
 * not be reported.
 */
void replay_enter(struct track *track, int64_t t, const struct region *call);

/*
 * The outermost MPI call that has begun may report the place of its collective among its
 * communicator's.
 */
void replay_number(struct track *track, const struct event *event);

/*
 * The outermost MPI call that has begun is a probe and reports the message that it found: it ends
 * when that is on its way.
 */
void replay_probe(struct track *track, const struct event *event);

/* A communication event, in a call or outside of any (then it only informs others). */
void replay_event(struct track *track, const struct event *event);

/* An event of an operation that began `now` unless it was posted before. */
void replay_operation(struct track *track, const struct event *event, const struct arrival *now);

/*
 * The same for one of the processes with which a window is posted, started, completed or waited
 * for.
 */
void replay_window(struct track *track, const struct event *event, const struct arrival *now);

/*
 * Keeps the completion of an operation that another thread of the process may have posted, if it
 * has not come to that yet. False: there is nothing to wait for.
 */
bool late_add(struct track *track, const struct event *event);

/*
 * At the call's end at t: deals with them when they are posted, or no thread can have. False: the
 * track has parked.
 */
bool lates_settle(struct track *track, int64_t t);

/*
 * An I/O event: all ranks that share the file make the operation together. Those of a file of the
 * system, and by single ranks, are nothing to it.
 */
void replay_file(struct track *track, const struct event *event);

/* The call's end at t: true when the clocks are past it; false: parked. Called again when woken. */
bool replay_leave(struct track *track, int64_t t);

/* The same of a call on a file. *settled: it waited for others, and the clocks are past it. */
bool replay_leave_file(struct track *track, int64_t t, bool *settled);

/* The track has gone on, stopped or ended: a track that watched it may continue. */
void replay_progress(struct track *track);

/*
 * A call names the other end of a socket. An outermost wait ends: true when the clocks are past it;
 * false: parked.
 */
struct replay_input;
void socket_enter(struct track *track, const struct replay_input *input);
bool socket_leave(struct track *track, int64_t t, bool *settled);

/*
 * The thread waited for another one from `from` to `to`: as far as that waited for ranks
 * meanwhile, so did it.
 */
void sockets_take(struct track *track, const struct track *by, int64_t from, int64_t to);

/* A thread that is no rank's has polled and found nothing; another thread woke it. */
void socket_polled(struct track *track, int64_t t);
void socket_woken(struct track *track);

/* After all events: rows of waits through sockets. */
void sockets_finish(struct engine *engine);

/* After all events: counts the rest, which then becomes checks and rows. */
void replay_count(struct engine *engine);
void replay_finish(struct engine *engine);

/* --- between the parts of the replay --- */

/*
 * A call has been entered after polls that found nothing; it is left at t and was such a poll
 * itself, or ends them.
 */
void polls_enter(struct track *track);
void polls_leave(struct track *track, bool is_poll, int64_t t);

/* All that the end of the call at t waits for has come by. False: the track has parked. */
bool needs_met(struct track *track, int64_t t);

/*
 * The clocks after the call: gate + τ where the scenario keeps it, else the gate. `keep`: the call
 * did not communicate; its time belongs to the host, or to a file.
 */
void clocks_set(struct track *track, const struct arrival *gate, int64_t t, bool keep);

/*
 * Reports now the receives that the process has posted up to t, not only when they complete, as
 * far as the files of its threads have their messages.
 */
void receives_look(struct engine *engine, uint32_t process, int64_t t);

/*
 * One side of a message has come by: the message, with a reference for the
 * caller, in the order in which sides of its channel came. NULL without memory.
 */
struct message *message_publish(struct engine *engine, const struct channel *key, enum side side,
	const struct arrival *posted);

/*
 * The message that the next receive of the channel will get, with references for the caller and
 * for the keeper until that receive; message_receive() is that receive, which takes the latter
 * over.
 */
struct message *message_probe(struct engine *engine, const struct channel *key);
void message_receive(struct engine *engine, struct message *message, const struct arrival *posted);

/* What a probe has found in the channel, NULL: nothing. `take`: it is received now. */
struct message *probed_find(struct track *track, const struct channel *channel, bool take);

/* One side of the track's, which is sent to other readers. */
struct message *message_side(struct track *track, const struct channel *channel, enum side side,
	const struct arrival *posted);

/*
 * What the call's end waits for, and its reference to a message; outside of a call the operation
 * only informs others.
 */
void message_need(struct track *track, const struct need *need);

/* Gives a reference up; NULL is none. */
void message_release(struct engine *engine, struct message *message);

/*
 * True when the process has gone past t without having posted a receive
 * between `posted` and t: then the send that ended at t returned without a receive. A
 * non-blocking receive posted in between may turn out to be it.
 */
bool process_passed(struct engine *engine, uint32_t process, int64_t posted, int64_t t);

/*
 * From when on a receive counts there: one that was posted before the send gates the waiting
 * sends.
 */
static inline int64_t need_since(const struct need *need)
{
	return need->mode == SEND_LONG ? INT64_MIN : need->posted.t;
}

/* It has come past every t up to this one, whatever was posted when. It has a main thread. */
int64_t process_passed_until(const struct engine *engine, uint32_t process);

/*
 * The completion of a receive that the thread has posted, by its record in the events to come;
 * NULL: it is not near, or they cannot be read. ahead_forget(): it has come.
 */
const struct event *ahead_find(struct track *track, uint64_t request);
void ahead_forget(struct track *track, uint64_t request);
void ahead_close(struct track *track);

/*
 * A member arrives (place: as struct replay_track has it): the instance, NULL without memory or
 * for an unknown communicator.
 */
struct collective *collective_arrive(struct track *track, const struct event *event, bool blocking,
	uint64_t place, const struct arrival *posted, uint32_t *member);

/* The same of an operation on a file of communicator `comm`: a transfer, or another one. */
struct collective *collective_arrive_file(struct track *track, uint32_t comm, bool transfer,
	const struct arrival *posted, uint32_t *member);

/* All that gate the member have arrived. */
bool collective_ready(const struct engine *engine, const struct need *need);

/* What gates the member: its own arrival where no member does. */
struct arrival collective_gate(const struct engine *engine, const struct need *need);

/* The same for neighbours (replay_neighbours.c), which are known. */
bool neighbours_ready(const struct engine *engine, const struct need *need);
void neighbours_gate(const struct engine *engine, const struct need *need, struct arrival *gate);

/* A member has come: wakes its neighbours, or all members if its neighbours are not known. */
void neighbours_wake(struct engine *engine, struct collective *collective, uint32_t member);

/* Bytes that the member, which hands in `sent`, sends to each of its neighbours; 0: not known. */
uint64_t neighbours_part(const struct comm *comm, uint32_t op, uint32_t member, uint64_t sent);

/* The later one, on each clock. */
void arrival_max(struct arrival *to, const struct arrival *from);

/* Gives the memory of an instance back. */
void collective_drop(struct collective *collective);

/*
 * A member that waited so long for others leaves at t; from `since` on no member gated the call
 * (INT64_MAX: not known). The last one writes the row.
 */
void collective_leave(struct track *track, const struct need *need, int64_t waited, int64_t since,
	int64_t t);

/* --- replay_rooted.c: waiting for members that do not gate one --- */

/* False: no memory. */
bool held_begin(const struct engine *engine, struct collective *collective);

/* A member has left; its step stays open until its wait is known. */
void held_leave(struct track *track, struct collective *collective, uint32_t member, int64_t posted,
	int64_t since, int64_t t);

/* All have: the part of a call from `since` to the last arrival before its end was waiting. */
void held_end(struct engine *engine, struct collective *collective);

/* The calls of members that were read here, to their collective's home; there, n bytes of them. */
void held_pack(const struct collective *collective, struct pack *pack);
void held_take(struct collective *collective, const char *at, size_t n);

/*
 * After all events: instances that lack members are counted; communicators and sums by rank are
 * written.
 */
void collectives_count(struct engine *engine);
void collectives_finish(struct engine *engine);

/* A copy that lasts as long as the analysis; NULL without memory. */
const char *replay_text(struct engine *engine, const char *text);

/* The operation as the table names it; NULL: not known. */
const char *collective_line_op(const struct collective_line *line);

/* What carried it: "mpi", "gloo" or "nccl". */
const char *collective_line_kind(const struct collective_line *line);

/* Gathers a row; writes the gathered rows, or sends them to the writer, which consumes them. */
void collective_line_add(struct engine *engine, const struct collective_line *line);
void collective_lines_flush(struct engine *engine);

/* All have been added: writes the sums of rows beyond the limit. */
void collective_lines_end(struct engine *engine);
void collective_lines_take(struct engine *engine, const struct note *note);

/*
 * What another reader sends of an instance, which is made when it is new; NULL: it is over here, or
 * no memory.
 */
struct collective *collective_reported(struct engine *engine, uint64_t key, uint32_t comm,
	uint32_t op, uint32_t root);

/*
 * `n` members that are read elsewhere have arrived, the last one at `latest`. `alone`: it is the
 * only one, and its own gate.
 */
void collective_arrived(struct engine *engine, struct collective *collective, uint32_t n,
	uint32_t member, const struct arrival *latest, bool alone);

/* Members that are read elsewhere have left. */
void collective_row_add(struct engine *engine, struct collective *collective,
	const struct collective_row *row);
#endif
