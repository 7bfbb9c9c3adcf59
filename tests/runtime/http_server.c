/*
 * http_server.c - the HTTP server on its own, with responses made for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: http_server ADDRESS [NAME=NUMBER]...
 * NAME: threads (answers are made by threads), head, idle, write, last (milliseconds), rate (requests per second),
 * any (users). Prints the address, then a line for each command from standard input, and exits at its end.
 *
 * Targets: /echo, /delay?MS, /step?MS (duration of one step), /huge?BYTES, /fail.
 */
#include "config.h"

#include "libcpaprof/endpoint/server.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, FD_MAX = 1024 };

struct serve {
	_Atomic unsigned n_begun, n_ended, n_early;
};

struct serve_job {
	struct serve *serve;
	struct serve_answer answer;
	uint64_t due_ns, step_ms;
	bool ready;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void append(struct serve_answer *a, const char *text, size_t n)
{
	if (body_append(&a->body, text, n) < 0)
		abort();
}

static void make_huge(struct serve_answer *a, size_t n)
{
	static char part[1 << 16];

	for (size_t i = 0; i < sizeof(part); i++)
		part[i] = (char)('a' + i % 26);
	for (; n >= sizeof(part); n -= sizeof(part))
		append(a, part, sizeof(part));
	append(a, part, n);
}

int serve_begin(struct serve *s, const struct serve_request *r, struct serve_job **out)
{
	const char *query = strchr(r->target, '?');
	uint64_t n = query ? strtoull(query + 1, NULL, 10) : 0;
	struct serve_job *j;

	if (strcmp(r->target, "/fail") == 0)
		return -ENOMEM;
	j = calloc(1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	s->n_begun++;
	j->serve = s;
	j->answer = (struct serve_answer){ .status = 200, .type = "text/plain; charset=utf-8" };
	if (strncmp(r->target, "/delay", 6) == 0) {
		j->due_ns = now_ns() + n * MS;
	} else if (strncmp(r->target, "/step", 5) == 0) {
		j->step_ms = n;
		append(&j->answer, "step\n", 5);
	} else if (strncmp(r->target, "/huge", 5) == 0) {
		make_huge(&j->answer, n);
	} else {
		append(&j->answer, r->method, strlen(r->method));
		append(&j->answer, " ", 1);
		append(&j->answer, r->target, strlen(r->target));
		append(&j->answer, " ", 1);
		append(&j->answer, r->body, r->n_body);
		append(&j->answer, "\n", 1);
	}
	*out = j;
	return 0;
}

uint64_t serve_step(struct serve_job *j, bool hurry)
{
	if (j->step_ms)
		usleep((useconds_t)j->step_ms * 1000);
	if (j->due_ns && !hurry && now_ns() < j->due_ns)
		return j->due_ns;
	if (j->due_ns && !j->ready)
		append(&j->answer, hurry ? "hurried\n" : "late\n", hurry ? 8 : 5);
	j->ready = true;
	return 0;
}

const struct serve_answer *serve_answer(const struct serve_job *j)
{
	return &j->answer;
}

void serve_end(struct serve_job *j)
{
	if (!j)
		return;
	j->serve->n_ended++;
	j->serve->n_early += !j->ready;
	body_release(&j->answer.body);
	free(j);
}

size_t serve_headers(const struct serve_answer *a, char *out, size_t n)
{
	if (!a->type)
		return (size_t)snprintf(out, n, "%s", "");
	return (size_t)snprintf(out, n, "Content-Type: %s\r\n", a->type);
}

const char *serve_reason(int status)
{
	return status == 200   ? "OK"
	       : status == 400 ? "Bad Request"
	       : status == 401 ? "Unauthorized"
	       : status == 403 ? "Forbidden"
	       : status == 413 ? "Request Entity Too Large"
	       : status == 417 ? "Expectation Failed"
	       : status == 429 ? "Too Many Requests"
	       : status == 431 ? "Request Header Fields Too Large"
	       : status == 501 ? "Not Implemented"
	       : status == 503 ? "Service Unavailable"
	       : status == 505 ? "HTTP Version Not Supported"
			       : "?";
}

int serve_set_text(struct serve_answer *a, int status, bool pprof, const char *text)
{
	*a = (struct serve_answer){ .status = status, .type = "text/plain; charset=utf-8", .is_error = pprof };
	append(a, text, strlen(text));
	append(a, "\n", 1);
	return 0;
}

struct started {
	void (*fn)(void *arg);
	void *arg;
};

static void *start(void *arg)
{
	struct started s = *(struct started *)arg;

	free(arg);
	s.fn(s.arg);
	return NULL;
}

static int spawn(void *arg, void (*fn)(void *arg), void *fn_arg)
{
	struct started *s = malloc(sizeof(*s));
	pthread_t t;
	int rc;

	(void)arg;
	if (!s)
		return -ENOMEM;
	*s = (struct started){ fn, fn_arg };
	rc = pthread_create(&t, NULL, start, s);
	if (rc == 0)
		pthread_detach(t);
	else
		free(s);
	return -rc;
}

static _Atomic bool over;
static struct server *server;

static bool is_over(void *arg)
{
	(void)arg;
	return over;
}

static void *run(void *arg)
{
	sigset_t all;

	(void)arg;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	server_run(server);
	printf("ended\n");
	return NULL;
}

static unsigned n_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < FD_MAX; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static bool was[FD_MAX]; /* descriptors of the files of the program after close_all */

/* Close all descriptors, as some programs do, then open as many other files. */
static void close_all(const char *path)
{
	int file;

	for (int fd = 3; fd < FD_MAX; fd++)
		was[fd] = close(fd) == 0;
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int fd = 3; fd < FD_MAX; fd++)
		if (was[fd] && fd != file && dup2(file, fd) != fd)
			abort();
}

/* Check these files: bytes written, and the number of descriptors that changed. */
static void check_file(const char *path)
{
	struct stat file, is;
	unsigned n_lost = 0;

	if (stat(path, &file) != 0)
		abort();
	for (int fd = 3; fd < FD_MAX; fd++)
		n_lost += was[fd] && (fstat(fd, &is) != 0 || is.st_ino != file.st_ino);
	printf("%ld %u\n", (long)file.st_size, n_lost);
}

static void fork_one(void)
{
	pid_t pid;
	int status = 0;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		unsigned before = n_files();

		server_close(server, true);
		printf("closed %u of %u\n", before - n_files(), before);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
}

/* Run a command. Returns false to exit. */
static bool run_command(struct serve *s, const char *line)
{
	char path[256];

	if (strcmp(line, "counts") == 0)
		printf("%u %u %u %u\n", s->n_begun, s->n_ended, s->n_early, n_files());
	else if (sscanf(line, "close %255s", path) == 1)
		close_all(path), printf("closed\n");
	else if (sscanf(line, "size %255s", path) == 1)
		check_file(path);
	else if (strcmp(line, "fork") == 0)
		fork_one();
	else if (strcmp(line, "look") == 0)
		server_watch_program(server);
	else if (strcmp(line, "over") == 0)
		over = true;
	else if (strcmp(line, "stop") == 0 || strcmp(line, "now") == 0)
		server_stop(server, line[0] == 'n');
	else
		return false;
	return true;
}

static bool set(struct server_options *options, struct endpoint_access *g, const char *arg)
{
	static const char *const name[] = { "head=", "idle=", "write=", "last=", "rate=" };
	struct server_limits *l = &options->limits;
	unsigned *const to[] = { &l->head_ms, &l->idle_ms, &l->write_ms, &l->stop_ms, &l->rate };

	for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++)
		if (strncmp(arg, name[i], strlen(name[i])) == 0) {
			*to[i] = (unsigned)atoi(arg + strlen(name[i]));
			return true;
		}
	if (strcmp(arg, "threads=1") == 0)
		options->spawn = spawn;
	else if (strncmp(arg, "secret=", 7) == 0)
		memcpy(g->secret.text, arg + 7, g->secret.n = strlen(arg + 7));
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	static struct serve s;
	struct listen_options at = { .address = argc > 1 ? argv[1] : "" };
	struct endpoint_access access = { 0 };
	struct server_options options = { .serve = &s, .at = &at, .access = &access, .is_over = is_over };
	char why[512], line[512];
	pthread_t t;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 2; i < argc; i++)
		if (!set(&options, &access, argv[i]))
			return 2;
	if (server_open(&options, &server, why, sizeof(why)) < 0) {
		fprintf(stderr, "%s\n", why);
		return 2;
	}
	printf("%s\n", server_listeners(server)->url);
	if (pthread_create(&t, NULL, run, NULL) != 0)
		return 2;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!run_command(&s, line))
			break;
	}
	server_stop(server, true);
	pthread_join(t, NULL);
	server_close(server, false);
	printf("%u %u %u %u\n", s.n_begun, s.n_ended, s.n_early, n_files());
	return 0;
}
