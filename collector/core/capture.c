/*
 * capture.c - decides when the capture window is open, see capture.h.
 *
 * A window that opens by time or by a signal must open at the same place of
 * the program on all ranks, or the first collective of one would be paired
 * with another of the next. Where the program marks steps, the first rank to
 * notice names the step after next, as a symbolic link in RUN that only one
 * can make; the others read it. Ranks are seldom a whole step apart.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/capture.h"
#include "core/clock.h"
#include "core/control.h"
#include "core/gate.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"

bool tacho_capture_limited;
const char *tacho_excluded_paths;

#define NEVER INT64_MAX

/* How much later than others a process may notice a change that time makes. */
#define LATE_NS	   250000000
#define LATE_MOST  1000	      /* steps */
#define CONTROL_NS 1000000000 /* between readings of RUN/control */
/* A change so long ago is no business of a process that begins: all others have followed it. */
#define PAST_NS 5000000000

static struct {
	int64_t first, last;	  /* steps, both included */
	int64_t every, during;	  /* of every `every` steps the first `during`; 0: all */
	uint64_t after_ns;	  /* from CLOCK_MONOTONIC's this time on; 0: at once */
	int64_t after_step;	  /* agreed: time opens the window with this step */
	int64_t toggle_step;	  /* agreed: the signal's next change */
	int64_t control_step;	  /* agreed: the next change of RUN/control */
	int64_t late_steps;	  /* that are made in LATE_NS */
	int64_t step;		  /* latest begun */
	_Atomic uint32_t signals; /* that came */
	uint32_t toggles;	  /* that were followed */
	bool is_left_out;	  /* the rank is not chosen */
	bool has_steps, is_timed, is_toggled;
	_Atomic bool is_stopped; /* by RUN/control */
	_Atomic bool steps_seen, controlled_off;
	uint32_t owner; /* pid of the process that decides */
} capture = {
	.last = NEVER, .after_step = NEVER, .toggle_step = NEVER, .control_step = NEVER, .step = -1
};

static _Atomic uint32_t *shared_gate; /* forked children's; NULL without limits */
static _Atomic uint32_t is_open = 1;

/* `A:B`, either may be missing. */
static bool steps_read(const char *text)
{
	char *end;

	capture.first = strtoll(text, &end, 10);
	if (*end != ':')
		return false;
	capture.last = end[1] ? strtoll(end + 1, &end, 10) : NEVER;
	return (*end == '\0' || capture.last == NEVER) && capture.first >= 0 &&
		capture.last >= capture.first;
}

/* Whether a list like 0,4-7 names the rank. */
static bool ranks_name(const char *list, int32_t rank)
{
	long first, last;
	char *end;

	for (;; list = end + 1) {
		first = last = strtol(list, &end, 10);
		if (end == list)
			break;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (rank >= first && rank <= last)
			return true;
		if (*end != ',')
			break;
	}
	return false;
}

static int64_t number_read(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value ? strtoll(value, NULL, 10) : 0;
}

static void count_signal(int number)
{
	(void)number;
	atomic_fetch_add(&capture.signals, 1);
}

static void toggle_start(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {
		{ "SIGUSR1", SIGUSR1 },
		{ "SIGUSR2", SIGUSR2 },
		{ "SIGURG", SIGURG },
		{ "SIGWINCH", SIGWINCH },
	};
	struct sigaction old, action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		if (strcmp(signals[i].name, name) && strcmp(signals[i].name + 3, name))
			continue;
		if (!sigaction(signals[i].number, NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i].number, &action, NULL);
		else
			say_once(SAY_CAPTURE,
				"the program handles %s itself: TACHO_TOGGLE is ignored", name);
		return;
	}
	say_once(SAY_CAPTURE, "TACHO_TOGGLE=%s: SIGUSR1, SIGUSR2, SIGURG or SIGWINCH can be used",
		name);
}

/* Whether the limits in steps include this step. */
static bool steps_want(int64_t step)
{
	return step >= capture.first && step <= capture.last &&
		(!capture.every || (step - capture.first) % capture.every < capture.during);
}

static bool wants(int64_t step)
{
	bool wanted = (!capture.has_steps || (step >= 0 && steps_want(step))) &&
		(!capture.is_timed || step >= capture.after_step);

	return wanted != capture.is_toggled && !capture.is_left_out && !capture.is_stopped;
}

static void define(bool open)
{
	struct spool_def_capture body = { .ticks = clock_ticks(), .is_open = open };

	process_define(&(struct def){ .type = DEF_CAPTURE, .body = &body, .nbody = sizeof(body) });
}

/* Opens or closes the gate, if that is a change. */
static void turn(bool open)
{
	int saved = errno;

	open = open && !atomic_load(&capture.controlled_off);
	if (atomic_exchange(&is_open, open) == open)
		return;
	if (open)
		define(open); /* before the first call that is recorded */
	gate_turn(open ? GATE_OPEN : GATE_PAUSED);
	if (shared_gate && capture.owner == tacho_process.pid)
		atomic_store(shared_gate, open ? GATE_OPEN : GATE_PAUSED);
	if (!open)
		define(open);
	errno = saved;
}

static void limits_read(void)
{
	const char *steps = getenv("TACHO_STEPS"), *ranks = getenv("TACHO_RANKS"),
		   *toggle = getenv("TACHO_TOGGLE"), *stopped = getenv("TACHO_STOPPED");
	const char *after = getenv("TACHO_START_AFTER");
	double seconds = after && *after ? strtod(after, NULL) : 0;

	capture.every = number_read("TACHO_EVERY");
	capture.during = number_read("TACHO_FOR");
	if (steps && *steps && !steps_read(steps)) {
		say_once(SAY_CAPTURE, "TACHO_STEPS=%s is not A:B: all steps are recorded", steps);
		capture.first = 0, capture.last = NEVER;
	}
	if (capture.every > 0 && capture.during < 1)
		capture.during = 1;
	capture.has_steps = capture.every > 0 || capture.first > 0 || capture.last < NEVER;
	capture.is_timed = seconds > 0;
	if (capture.is_timed)
		capture.after_ns = clock_monotonic_ns() + (uint64_t)(seconds * 1e9);
	capture.is_left_out = ranks && *ranks && !ranks_name(ranks, tacho_process.ranks.rank);
	capture.is_stopped = stopped && *stopped && strcmp(stopped, "0");
	tacho_capture_limited = capture.is_stopped || capture.is_left_out || capture.has_steps ||
		capture.is_timed || (toggle && *toggle);
	tacho_excluded_paths = getenv("TACHO_EXCLUDE_PATHS");
	if (tacho_excluded_paths && !*tacho_excluded_paths)
		tacho_excluded_paths = NULL;
}

bool capture_left_out(void)
{
	return capture.is_left_out;
}

/* From here on there is a window, which children that are forked follow. */
static void window_begin(void)
{
	void *page = sys_map(4096, MAP_SHARED);

	if (page != MAP_FAILED) {
		shared_gate = page;
		atomic_store(shared_gate, is_open ? GATE_OPEN : GATE_PAUSED);
	}
	capture.owner = sys_pid();
	tacho_capture_limited = true;
}

static uint64_t realtime_ns(void)
{
	return clock_read().realtime_ns;
}

/* Applies the contents of RUN/control from before the process began. */
static void control_past(void)
{
	const struct control_change *change;

	if (!control_read())
		return;
	tacho_capture_limited = true;
	for (; (change = control_next()) && change->at_ns + PAST_NS < realtime_ns();
		control_follow())
		capture.is_stopped = change->stops;
}

void capture_arm(void)
{
	const char *toggle = getenv("TACHO_TOGGLE");

	if (toggle && *toggle)
		toggle_start(toggle);
}

enum gate capture_start(void)
{
	limits_read();
	control_past();
	if (!tacho_capture_limited)
		return GATE_OPEN;
	atomic_store(&is_open, wants(-1));
	window_begin();
	return is_open ? GATE_OPEN : GATE_PAUSED;
}

/* The limits as the report shows them. */
static void property_define(void)
{
	static const struct {
		const char *variable, *text;
	} limits[] = {
		{ "TACHO_RANKS", "ranks" },
		{ "TACHO_STEPS", "steps" },
		{ "TACHO_EVERY", "every" },
		{ "TACHO_FOR", "for" },
		{ "TACHO_START_AFTER", "after seconds" },
		{ "TACHO_TOGGLE", "toggled by" },
		{ "TACHO_STOPPED", "stopped at first" },
		{ "TACHO_EXCLUDE_PATHS", "without paths" },
	};
	char text[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const char *value = getenv(limits[i].variable);

		if (value && *value && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %s", n ? ", " : "",
				limits[i].text, value);
	}
	if (n)
		process_define_property("process.capture", text);
}

void capture_define(void)
{
	property_define();
	if (!atomic_load(&is_open))
		define(false);
}

static bool agreement_path(char path[PATH_MAX], const char *what, uint32_t n)
{
	const char *dir = tacho_process.asked.run;

	return *dir && snprintf(path, PATH_MAX, "%s/%s.%u", dir, what, n) < PATH_MAX;
}

int64_t capture_agreed(const char *what, uint32_t n)
{
	char path[PATH_MAX], text[32];
	ssize_t length = agreement_path(path, what, n) ? sys_readlink(path, text, sizeof(text) - 1)
						       : 0;

	if (length <= 0)
		return 0;
	text[length] = '\0';
	return strtoll(text, NULL, 10);
}

int64_t capture_agree(const char *what, uint32_t n, int64_t proposal)
{
	char path[PATH_MAX], text[32];
	int64_t agreed;

	if (!agreement_path(path, what, n))
		return proposal;
	snprintf(text, sizeof(text), "%lld", (long long)proposal);
	if (!syscall(SYS_symlinkat, text, AT_FDCWD, path))
		return proposal;
	agreed = capture_agreed(what, n);
	return agreed ? agreed : proposal;
}

/* A child that marks steps itself decides for itself from here on. */
static void own(void)
{
	if (capture.owner == tacho_process.pid)
		return;
	capture.owner = tacho_process.pid;
	shared_gate = NULL;
	atomic_store(&is_open, atomic_load(tacho_gate) == GATE_OPEN);
	gate_own(is_open ? GATE_OPEN : GATE_PAUSED);
}

/*
 * Where steps are marked, the change holds from one on that all ranks begin after they know of it:
 * the first to notice that its time has come names it.
 */
static void control_take(int64_t step)
{
	const struct control_change *change = control_next();

	if (!change)
		return;
	if (capture.control_step == NEVER && realtime_ns() >= change->at_ns)
		capture.control_step = capture_agree("capture-control", control_followed() + 1,
			step + 2 + capture.late_steps);
	if (capture.control_step == NEVER || step < capture.control_step)
		return;
	capture.is_stopped = change->stops;
	capture.control_step = NEVER;
	control_follow();
}

static void changes_take(int64_t step)
{
	control_take(step);
	if (capture.is_timed && capture.after_step == NEVER &&
		clock_monotonic_ns() >= capture.after_ns)
		capture.after_step = capture_agree("capture-start", 1, step + 2);
	if (capture.toggle_step == NEVER && capture.toggles < atomic_load(&capture.signals))
		capture.toggle_step = capture_agree("capture-toggle", capture.toggles + 1,
			step + 2);
	if (step >= capture.toggle_step) {
		capture.is_toggled = !capture.is_toggled;
		capture.toggle_step = NEVER;
		capture.toggles++;
	}
}

void capture_step_begin(uint64_t number)
{
	int saved = errno;

	atomic_store_explicit(&capture.steps_seen, true, memory_order_relaxed);
	capture.step = (int64_t)number;
	if (likely(!tacho_capture_limited))
		return;
	own();
	changes_take(capture.step);
	turn(wants(capture.step));
	errno = saved;
}

void capture_step_end(void)
{
	if (atomic_load(&is_open) && !wants(capture.step + 1))
		turn(false);
}

void capture_control(int level)
{
	atomic_store(&capture.controlled_off, level == 0);
	turn(wants(capture.step));
}

/* Once a second: reads the requests to the run, and measures its steps per second. */
static void control_beat(void)
{
	static uint64_t next_ns, since_ns;
	static int64_t since_step = -1;
	uint64_t now = clock_monotonic_ns();
	int64_t late;

	if (now < next_ns)
		return;
	next_ns = now + CONTROL_NS;
	if (control_read() && !capture.owner)
		window_begin();
	late = since_ns && capture.step > since_step
		? (capture.step - since_step) * LATE_NS / (int64_t)(now - since_ns)
		: 0;
	capture.late_steps = late < LATE_MOST ? late : LATE_MOST;
	since_ns = now;
	since_step = capture.step;
}

/* A child outside of its parent's window gets a separate window at the first change. */
static void control_follow_all(void)
{
	const struct control_change *change;

	for (; (change = control_next()) && realtime_ns() >= change->at_ns; control_follow())
		capture.is_stopped = change->stops;
}

/* Without steps there is no common place to wait for. */
void capture_beat(void)
{
	control_beat();
	if (!tacho_capture_limited || capture.owner != tacho_process.pid || capture.has_steps ||
		atomic_load(&capture.steps_seen))
		return;
	if (capture.is_timed && capture.after_step == NEVER &&
		clock_monotonic_ns() >= capture.after_ns)
		/* -1: another rank may be at its steps already */
		capture.after_step = capture_agree("capture-start", 1, -1);
	if (capture.toggles < atomic_load(&capture.signals)) {
		capture.is_toggled = !capture.is_toggled;
		capture.toggles++;
	}
	control_follow_all();
	turn(wants(capture.step));
}

const _Atomic uint32_t *capture_forked(void)
{
	return shared_gate;
}

bool capture_excludes_path(const char *path)
{
	char pattern[PATH_MAX];
	size_t n;

	for (const char *list = tacho_excluded_paths; *list; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		if (n && n < sizeof(pattern)) {
			memcpy(pattern, list, n);
			pattern[n] = '\0';
			if (!fnmatch(pattern, path, 0))
				return true;
		}
	}
	return false;
}
