/*
 * shm_ring_test.c - analyzer/base/shm_ring.c: notes of any length arrive complete and in order
 * while both sides send, and each number of the board is independent, however many are used.
 */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/shm_ring.h"

/* With many places rings are short: a number after the board's end is in a used ring. */
enum { PLACES = 3, MANY = 64, NOTES = 5000, LONG = 3 << 20 };

/* Lengths around all limits: none, single bytes, an outbox's, beyond a ring. */
static uint32_t length_of(uint32_t number)
{
	return number % 1000 == 999 ? LONG + number
		: number % 10 == 9  ? 4000 + number % 200
				    : number % 70;
}

static char byte_of(uint32_t number, uint32_t at)
{
	return (char)(number * 31 + at * 7);
}

static bool is_right(const struct note *note, uint32_t number, uint32_t from, uint32_t to)
{
	if (note->head.type != number || note->head.size != length_of(number) ||
		note->head.from != from || note->head.to != to || (uintptr_t)note->data % 8)
		return false;
	for (uint32_t i = 0; i < note->head.size; i++)
		if (note->data[i] != byte_of(number, i))
			return false;
	return true;
}

/* Sends all to the other one and takes all of his. How many were wrong. */
static int exchange(struct link *link, uint32_t self, uint32_t other)
{
	char *bytes = malloc(LONG + NOTES);
	uint32_t sent = 0, taken = 0;
	struct note note;
	int wrong = 0;

	if (!bytes || link_join(link, self, self) < 0)
		return 1;
	while (sent < NOTES || taken < NOTES) {
		for (int i = 0; i < 3 && sent < NOTES; i++, sent++) {
			for (uint32_t at = 0; at < length_of(sent); at++)
				bytes[at] = byte_of(sent, at);
			if (sent % 2)
				link_send(link, other, sent, bytes, length_of(sent));
			else
				link_post(link, other, sent, bytes, length_of(sent));
		}
		if (sent % 5 == 0 || sent == NOTES)
			link_flush(link);
		while (link_receive(link, &note))
			wrong += !is_right(&note, taken++, other, self);
		if (sent == NOTES && taken < NOTES && !link_has_come(link))
			link_wait(link, 100);
	}
	link_flush(link);
	free(bytes);
	return wrong;
}

static void notes_arrive_complete_and_in_order(void **state)
{
	struct link link;
	int status, wrong;
	pid_t child;

	(void)state;
	assert_int_equal(link_open(&link, PLACES), 0);
	link_slot(&link, 0, 0, PLACES);
	child = fork();
	assert_true(child >= 0);
	alarm(60);
	wrong = exchange(&link, child ? 1 : 2, child ? 2 : 1);
	if (!child)
		_exit(wrong ? 1 : 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	alarm(0);
	assert_int_equal(wrong, 0);
	assert_int_equal(status, 0);
	link_close(&link);
}

/* Numbers of all that are used, and beyond the board none. */
static void board_stands(size_t n)
{
	struct link link, other;
	struct note note;

	assert_int_equal(link_open(&link, MANY), 0);
	link_slot(&link, 0, 0, MANY);
	link_board(&link, n);
	assert_int_equal(link_join(&link, 1, 1), 0);
	other = link;
	other.inboxes = NULL;
	other.outboxes = NULL;
	assert_int_equal(link_join(&other, 2, 2), 0);
	for (uint32_t i = 0; i < n; i++)
		link_show(&link, i, (int64_t)i * 3 - 5);
	link_flush(&link);
	for (uint32_t i = 0; i < n && i < LINK_BOARD; i++)
		assert_int_equal(link_shown(&other, i), (int64_t)i * 3 - 5);
	assert_false(link_has_come(&link));
	assert_false(link_has_come(&other));
	assert_false(link_receive(&other, &note));
	assert_true(link_is_near(&link, 2, 0));
	assert_false(link_is_near(&link, 2, LINK_BOARD));
	link_close(&link);
	other.shared = NULL;
	link_close(&other);
}

static void each_number_of_the_board_stands_by_itself(void **state)
{
	static const size_t used[] = { 1, 8, LINK_BOARD / 8, LINK_BOARD / 8 + 1, LINK_BOARD / 2 + 1,
		LINK_BOARD, LINK_BOARD + 9 };

	(void)state;
	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
		board_stands(used[i]);
}

/* Sends until it is ended. */
static _Noreturn void send_for_ever(struct link *link)
{
	static char bytes[LONG];

	alarm(60);
	if (link_join(link, 2, 2) == 0)
		for (;;)
			link_send(link, 1, 0, bytes, sizeof(bytes));
	_exit(1);
}

/*
 * In a separate process, without more memory than it has. 0: it has reported that, and continued.
 */
static int receive_without_memory(struct link *link)
{
	struct rlimit none = { 1 << 20, RLIM_INFINITY };
	struct note note;

	alarm(60);
	if (link_join(link, 1, 1) < 0 || link_failed(link) || setrlimit(RLIMIT_AS, &none) < 0)
		return 1;
	while (!link_failed(link))
		if (link_receive(link, &note))
			return 2;
	link_send(link, 2, 0, "", 0);
	link_flush(link);
	return link_receive(link, &note) || !link_failed(link) ? 3 : 0;
}

static void notes_without_memory_are_a_failure(void **state)
{
	struct link link;
	int status = 0;
	pid_t sender, receiver;

	(void)state;
	assert_int_equal(link_open(&link, PLACES), 0);
	link_slot(&link, 0, 0, PLACES);
	sender = fork();
	if (!sender)
		send_for_ever(&link);
	receiver = fork();
	if (!receiver)
		_exit(receive_without_memory(&link));
	assert_int_equal(waitpid(receiver, &status, 0), receiver);
	kill(sender, SIGKILL);
	assert_int_equal(waitpid(sender, NULL, 0), sender);
#ifndef __SANITIZE_ADDRESS__ /* with shadow memory beyond any limit */
	assert_int_equal(status, 0);
#endif
	link_close(&link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes_arrive_complete_and_in_order),
		cmocka_unit_test(each_number_of_the_board_stands_by_itself),
		cmocka_unit_test(notes_without_memory_are_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
