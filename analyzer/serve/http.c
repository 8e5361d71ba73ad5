/* http.c - see http.h. One request for each connection; clients cannot keep it waiting. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "serve/http.h"

enum { SEND_S = 5, PIECE = 1 << 16 };

static int token_make(char token[HTTP_TOKEN + 1])
{
	unsigned char bytes[HTTP_TOKEN / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -1;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int http_open(struct http *http, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int on = 1;

	for (int i = 0; i < HTTP_CLIENTS; i++)
		http->clients[i].fd = -1;
	http->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (http->fd < 0 || token_make(http->token) < 0)
		goto failed;
	setsockopt(http->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(http->fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		listen(http->fd, HTTP_CLIENTS) < 0 ||
		getsockname(http->fd, (struct sockaddr *)&address, &size) < 0)
		goto failed;
	http->port = ntohs(address.sin_port);
	return 0;
failed:
	log_error("cannot listen on port %d of 127.0.0.1: %s", port, strerror(errno));
	return -1;
}

static void client_close(struct http_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

void http_close(struct http *http)
{
	for (int i = 0; i < HTTP_CLIENTS; i++)
		client_close(&http->clients[i]);
	if (http->fd >= 0)
		close(http->fd);
	http->fd = -1;
}

/* 0, or -1: the client has gone or takes too long. */
static int send_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		bytes += n;
		size -= (size_t)n;
	}
	return 0;
}

static void file_send(int to, int from)
{
	char *piece = malloc(PIECE);
	ssize_t n;

	while (piece && (n = read(from, piece, PIECE)) > 0)
		if (send_all(to, piece, (size_t)n) < 0)
			break;
	free(piece);
}

static void head_send(int fd, const char *status, const char *type, size_t size)
{
	char head[512];
	int n = snprintf(head, sizeof(head),
		"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
		"Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
		"X-Content-Type-Options: nosniff\r\n\r\n",
		status, type, size);

	send_all(fd, head, (size_t)n);
}

static void refuse(int fd, const char *status)
{
	head_send(fd, status, "text/plain; charset=utf-8", strlen(status) + 1);
	send_all(fd, status, strlen(status));
	send_all(fd, "\n", 1);
}

/* All of it is compared, so that the time does not depend on where it differs. */
static int token_differs(const char *token, const char *path)
{
	unsigned char differs = 0;

	if (strlen(path) <= HTTP_TOKEN)
		return 1;
	for (int i = 0; i < HTTP_TOKEN; i++)
		differs |= (unsigned char)(token[i] ^ path[i]);
	return differs || path[HTTP_TOKEN] != '/';
}

static void path_answer(struct http *http, int fd, const char *path, int head_only)
{
	struct http_answer answer = { .fd = -1 };
	struct stat file;

	if (path[0] != '/' || token_differs(http->token, path + 1) ||
		http->answer(http->user, path + HTTP_TOKEN + 2, &answer) < 0) {
		refuse(fd, "404 Not Found");
		return;
	}
	if (answer.fd >= 0 && fstat(answer.fd, &file) == 0)
		answer.size = (size_t)file.st_size;
	head_send(fd, "200 OK", answer.type, answer.size);
	if (!head_only && answer.fd >= 0)
		file_send(fd, answer.fd);
	else if (!head_only)
		send_all(fd, answer.bytes, answer.size);
	if (answer.fd >= 0)
		close(answer.fd);
	free(answer.bytes);
}

/* The request is complete: its first line is METHOD PATH VERSION. */
static void request_answer(struct http *http, struct http_client *client)
{
	const struct timeval most = { .tv_sec = SEND_S };
	char *rest = NULL, *method = strtok_r(client->request, " \r\n", &rest),
	     *path = strtok_r(NULL, " \r\n", &rest);

	/* from here on it blocks, for so long at most */
	fcntl(client->fd, F_SETFL, 0);
	setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	if (!method || !path)
		refuse(client->fd, "400 Bad Request");
	else if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		refuse(client->fd, "405 Method Not Allowed");
	else {
		path[strcspn(path, "?#")] = '\0';
		path_answer(http, client->fd, path, method[0] == 'H');
	}
}

static void client_read(struct http *http, struct http_client *client)
{
	ssize_t n = recv(client->fd, client->request + client->n, HTTP_REQUEST - 1 - client->n, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		client->n += (size_t)n;
		client->request[client->n] = '\0';
		if (strstr(client->request, "\r\n\r\n"))
			request_answer(http, client);
		else if (client->n < HTTP_REQUEST - 1)
			return; /* there is more to come */
		else
			refuse(client->fd, "431 Request Header Fields Too Large");
		shutdown(client->fd, SHUT_WR);
	}
	client_close(client);
}

/* A browser opens connections without using them: the oldest one makes room. */
static void client_accept(struct http *http)
{
	int fd = accept4(http->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (http->clients[HTTP_CLIENTS - 1].fd >= 0)
		client_close(&http->clients[0]);
	for (int i = 0; i + 1 < HTTP_CLIENTS; i++)
		if (http->clients[i].fd < 0 && http->clients[i + 1].fd >= 0) {
			http->clients[i] = http->clients[i + 1];
			http->clients[i + 1].fd = -1;
		}
	for (int i = 0; i < HTTP_CLIENTS; i++)
		if (http->clients[i].fd < 0) {
			http->clients[i].fd = fd;
			http->clients[i].n = 0;
			return;
		}
	close(fd);
}

int http_serve(struct http *http, int ms)
{
	struct pollfd watched[HTTP_CLIENTS + 1] = { { .fd = http->fd, .events = POLLIN } };
	int n;

	for (int i = 0; i < HTTP_CLIENTS; i++)
		watched[i + 1] = (struct pollfd){ .fd = http->clients[i].fd, .events = POLLIN };
	n = poll(watched, HTTP_CLIENTS + 1, ms);
	if (n < 0 && errno != EINTR) {
		log_error("cannot wait for a browser: %s", strerror(errno));
		return -1;
	}
	for (int i = 0; n > 0 && i < HTTP_CLIENTS; i++)
		if (watched[i + 1].fd >= 0 && watched[i + 1].revents)
			client_read(http, &http->clients[i]);
	if (n > 0 && watched[0].revents)
		client_accept(http);
	return 0;
}
