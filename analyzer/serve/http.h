/*
 * http.h - a server for a browser on the same machine. A function supplies the response to GET for
 * each path. Only the loopback interface listens, and a path without the token gets 404.
 */
#ifndef ANALYZER_HTTP_H
#define ANALYZER_HTTP_H

#include <stddef.h>

enum { HTTP_CLIENTS = 16, HTTP_REQUEST = 4096, HTTP_TOKEN = 32 };

struct http_client {
	int fd; /* -1: none */
	size_t n;
	char request[HTTP_REQUEST];
};

/* What is sent: bytes, to be freed, or a file. `type`: of its content. */
struct http_answer {
	char *bytes;
	size_t size;
	int fd; /* -1: bytes are sent */
	const char *type;
};

struct http {
	int fd, port;
	char token[HTTP_TOKEN + 1];
	struct http_client clients[HTTP_CLIENTS];
	/* `path`: behind "/TOKEN/". 0, or -1: there is no such thing */
	int (*answer)(void *user, const char *path, struct http_answer *answer);
	void *user;
};

/* Listens on a port of 127.0.0.1, 0: any. 0, or -1 (reported). http_close() in any case. */
int http_open(struct http *http, int port);

/* Answers requests for `ms` milliseconds. 0, or -1 (reported). */
int http_serve(struct http *http, int ms);
void http_close(struct http *http);

#endif
