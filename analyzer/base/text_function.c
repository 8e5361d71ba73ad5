/* text_function.c - see text_function.h. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_function.h"

#define DEPTH_MAX 64 /* of templates; deeper nesting is no name */

/* A part of a name is taken over into `out`, which has room for all of it. */
struct naming {
	const char *at;
	char *out;
	size_t n;
	int depth;
	bool broken; /* a bracket is not closed: it is no name of C++ */
};

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_is_function(const char *name)
{
	size_t n = strlen(name);

	if (n < 3 || strchr(name, '/') || strstr(name, ".<"))
		return false;
	if (name[n - 1] != ')' && name[n - 1] != '>')
		return false;
	return isalpha((unsigned char)*name) || *name == '_';
}

/* Moves behind the bracket that closes the current one. */
static void skip_brackets(struct naming *s)
{
	char open = *s->at, close = open == '(' ? ')' : '}';
	int depth = 0;

	for (; *s->at; s->at++) {
		depth += *s->at == open;
		depth -= *s->at == close;
		if (!depth) {
			s->at++;
			return;
		}
	}
	s->broken = true;
}

/* Parameters, and the `const` of a method in which something else is defined. */
static void skip_parameters(struct naming *s)
{
	skip_brackets(s);
	if (begins(s->at, " const::"))
		s->at += strlen(" const");
}

/*
 * Skips parts that readers do not need: {lambda(float)#1}, operator()(float) const, (anonymous
 * namespace).
 */
static bool skip_silent(struct naming *s)
{
	bool operator= begins(s->at, "operator()");

	if (*s->at != '{' && !operator&& !begins(s->at, "(anonymous namespace)"))
		return false;
	if (operator)
		s->at += strlen("operator()");
	else
		skip_brackets(s);
	if (*s->at == '(')
		skip_parameters(s);
	return true;
}

/* True for common names without meaning outside of their namespace: gemvx::kernel. */
static bool says_nothing(const char *at)
{
	return begins(at, "kernel<") || begins(at, "kernel(") || begins(at, "Kernel<");
}

static void put(struct naming *s, char c)
{
	s->out[s->n++] = c;
}

static void put_arguments(struct naming *s);

/* One type or value, up to what ends it; of a function's name `whole` is all, with its result. */
static void put_type(struct naming *s, bool whole)
{
	size_t begin = s->n, part = s->n;

	skip_silent(s);
	while (*s->at && (whole || !strchr(",>", *s->at))) {
		if (begins(s->at, "::")) {
			s->at += 2;
			if (says_nothing(s->at))
				s->n += sprintf(s->out + s->n, "::");
			else if (!skip_silent(s))
				s->n = part;
		} else if (*s->at == '<') {
			put_arguments(s);
		} else if (*s->at == '(' && s->n == part) {
			skip_brackets(s); /* the type of a value: (bool)1 */
		} else if (*s->at == '(') {
			skip_parameters(s);
			if (whole && !begins(s->at, "::"))
				return;
		} else if (whole && *s->at == ' ') {
			s->at++;
			s->n = begin; /* it was the result */
			part = begin;
			skip_silent(s);
		} else {
			put(s, *s->at++);
			if (s->out[s->n - 1] == ' ') {
				part = s->n;
				skip_silent(s);
			}
		}
	}
	while (s->n > begin && s->out[s->n - 1] == ' ')
		s->n--;
}

static void put_arguments(struct naming *s)
{
	s->depth++;
	do {
		put(s, *s->at++ == '<' ? '<' : ',');
		if (s->out[s->n - 1] == ',')
			put(s, ' ');
		while (*s->at == ' ')
			s->at++;
		if (s->depth < DEPTH_MAX)
			put_type(s, false);
	} while (*s->at == ',');
	if (*s->at == '>')
		put(s, *s->at++);
	else
		s->broken = true;
	s->depth--;
}

char *text_function(const char *name)
{
	struct naming s = { .at = name };

	/* at most a blank after each comma is put in */
	if (!text_is_function(name) || !(s.out = malloc(2 * strlen(name) + 1)))
		return strdup(name);
	put_type(&s, true);
	s.out[s.n] = '\0';
	if (s.n && !s.broken)
		return s.out;
	free(s.out);
	return strdup(name);
}
