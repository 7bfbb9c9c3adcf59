/*
 * mount.c - /debug/pprof in an existing HTTP server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	make mount && ./mount 8080
 *	curl http://127.0.0.1:8080/hello
 *	cpa top 'http://127.0.0.1:8080/debug/pprof/profile?seconds=5'
 *
 * The server controls access: this one listens on 127.0.0.1 and refuses requests from web pages. Each connection has a
 * thread, since a response can take as long as seconds=.
 */
#define _GNU_SOURCE
#include <cpa/pprof.h>

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD_MAX = 8192, BODY_MAX = 64 << 10 };

struct request {
	char head[HEAD_MAX + 1];
	char body[BODY_MAX];
	const char *method, *target;
	size_t n_body;
	int from_page; /* from a web page: browsers send Origin */
};

/* A response. Its headers are known, and sent, when its first piece is written. */
struct reply {
	int fd, status, begun;
	char headers[2048];
};

static int send_all(int fd, const void *data, size_t n)
{
	for (ssize_t sent; n > 0; n -= (size_t)sent, data = (const char *)data + sent) {
		sent = send(fd, data, n, MSG_NOSIGNAL);
		if (sent < 0)
			return -1;
	}
	return 0;
}

static int begin(struct reply *r)
{
	char line[2200];
	int n = snprintf(line, sizeof(line), "HTTP/1.1 %d %s\r\n%sConnection: close\r\n\r\n", r->status,
			 r->status == 200 ? "OK" : "See body", r->headers);

	r->begun = 1;
	return send_all(r->fd, line, (size_t)n);
}

static int write_reply(void *arg, const void *data, size_t n)
{
	struct reply *r = arg;

	if (!r->begun && begin(r) < 0)
		return -1;
	return send_all(r->fd, data, n);
}

/* Read a request. Gives 0 if it is complete. */
static int read_request(int fd, struct request *r)
{
	char *end = NULL, *line, *rest;
	size_t n = 0, more;

	while (!end && n < HEAD_MAX) {
		ssize_t got = recv(fd, r->head + n, HEAD_MAX - n, 0);

		if (got <= 0)
			return -1;
		n += (size_t)got;
		r->head[n] = '\0';
		end = strstr(r->head, "\r\n\r\n");
	}
	if (!end)
		return -1;
	more = n - (size_t)(end + 4 - r->head);
	memcpy(r->body, end + 4, more);
	*end = '\0';
	r->method = strtok_r(r->head, " ", &rest);
	r->target = strtok_r(NULL, " ", &rest);
	strtok_r(NULL, "\r\n", &rest);
	while ((line = strtok_r(NULL, "\r\n", &rest))) {
		if (strncasecmp(line, "Content-Length:", 15) == 0)
			r->n_body = strtoul(line + 15, NULL, 10);
		if (strncasecmp(line, "Origin:", 7) == 0)
			r->from_page = 1;
	}
	if (!r->method || !r->target || r->n_body > sizeof(r->body) || more > r->n_body)
		return -1;
	while (more < r->n_body) {
		ssize_t got = recv(fd, r->body + more, r->n_body - more, 0);

		if (got <= 0)
			return -1;
		more += (size_t)got;
	}
	return 0;
}

static void answer(int fd, const struct request *r)
{
	struct reply reply = { .fd = fd, .status = 404 };
	static const char hello[] = "hello\n";
	int rc = 0;

	if (strncmp(r->target, "/debug/pprof", 12) == 0 && !r->from_page) {
		rc = cpa_http_handle(r->method, r->target, r->body, r->n_body, write_reply, &reply, &reply.status,
				     reply.headers, sizeof(reply.headers));
		if (rc < 0 && !reply.begun)
			reply.status = 500;
	} else if (strcmp(r->target, "/hello") == 0) {
		reply.status = 200;
		write_reply(&reply, hello, sizeof(hello) - 1);
	}
	/* a response without a body: HEAD, a redirection */
	if (!reply.begun)
		begin(&reply);
}

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	struct request *r = calloc(1, sizeof(*r));

	if (r && read_request(fd, r) == 0)
		answer(fd, r);
	free(r);
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client, yes = 1;
	socklen_t n = sizeof(at);
	pthread_t thread;

	at.sin_port = htons((unsigned short)(argc > 1 ? atoi(argv[1]) : 0));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, (struct sockaddr *)&at, n) < 0 || listen(fd, 16) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &n) < 0) {
		perror("mount");
		return 1;
	}
	cpa_heap_set_rate(512 << 10);
	printf("http://127.0.0.1:%d\n", ntohs(at.sin_port));
	fflush(stdout);
	while ((client = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		if (pthread_create(&thread, NULL, serve, (void *)(long)client) == 0)
			pthread_detach(thread);
		else
			close(client);
	}
	return 0;
}
