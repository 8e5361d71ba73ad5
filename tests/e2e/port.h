/*
 * port.h - how programs of tests meet that listen at a free port: the listener writes its number
 * into a file. Fixed numbers may belong to another test.
 */
#pragma once

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TRIES = 3000 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* A socket that listens at a free port of the address; the port goes to the address, and to the file in one step. */
static int port_listen(struct sockaddr_in *at, const char *path)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t room = sizeof(*at);
	char work[320];
	FILE *file;

	at->sin_port = 0;
	if (fd < 0 || bind(fd, (struct sockaddr *)at, room) < 0 || listen(fd, 8) < 0 ||
		getsockname(fd, (struct sockaddr *)at, &room) < 0)
		fail("listen");
	snprintf(work, sizeof(work), "%s.new", path);
	file = fopen(work, "w");
	if (!file || fprintf(file, "%d\n", ntohs(at->sin_port)) < 0 || fclose(file) ||
		rename(work, path) < 0)
		fail(work);
	return fd;
}

/* Waits for the file, and takes the port from it. */
static void port_wait(struct sockaddr_in *at, const char *path)
{
	FILE *file = NULL;
	int port = 0;

	for (int tries = 0; tries < TRIES && !(file = fopen(path, "r")); tries++)
		usleep(20000);
	if (!file || fscanf(file, "%d", &port) != 1 || fclose(file))
		fail(path);
	at->sin_port = htons((uint16_t)port);
}
