/*
 * served.c - a program that serves its profiles: reads a command per line, prints an answer per line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <cpa/pprof.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;
static atomic_int busy, ready;

/* Write a line, without stdio, whose buffers fork copies. */
__attribute__((format(printf, 1, 2))) static void print_line(const char *fmt, ...)
{
	char line[4096];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, args);
	va_end(args);
	line[n++] = '\n';
	(void)!write(STDOUT_FILENO, line, (size_t)n);
}

__attribute__((noinline)) static void spin(void)
{
	for (unsigned i = 0; i < 200000; i++)
		sum += i;
}

static void *worker(void *arg)
{
	const char *label[] = { "who", "worker" };

	(void)arg;
	cpa_labels_set(cpa_labels_make(0, label, 1));
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&busy))
		spin();
	return NULL;
}

static void *sleeper(void *arg)
{
	usleep(*(useconds_t *)arg * 1000);
	return NULL;
}

static int entries(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static int lines(const char *file)
{
	FILE *f = fopen(file, "re");
	int n = 0, c;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static long mapped_kb(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[200];
	long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmSize: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

static int start(const char *address)
{
	const cpa_http_opts o = { .size = sizeof(o), .listen = *address ? address : NULL };

	return cpa_http_start(&o);
}

static void print_address(const char *before)
{
	char text[300] = "-";
	int n = cpa_http_addr(text, sizeof(text));

	print_line("%s%s %d", before, n < 0 ? "-" : text, n < 0 ? n : 0);
}

static int keep(void *arg, const void *data, size_t n)
{
	(void)data;
	*(size_t *)arg += n;
	return 0;
}

static int recurse(void *arg, const void *data, size_t n)
{
	int status = 0;
	size_t size = 0;

	(void)data;
	(void)n;
	return cpa_http_handle("GET", "/debug/pprof/cmdline", NULL, 0, keep, &size, &status, NULL, 0) == 0
	       ? *(int *)arg = status,
		       0 : -1;
}

struct asked {
	const char *target;
	int rc, status;
	size_t n;
	char headers[1000];
};

static void *ask(void *arg)
{
	struct asked *a = arg;

	a->rc = cpa_http_handle("GET", a->target, NULL, 0, keep, &a->n, &a->status, a->headers, sizeof(a->headers));
	return NULL;
}

/* n threads send the same request. */
static void handle(const char *target, int n)
{
	struct asked a[32];
	pthread_t thread[32];
	int good = 0, other = 0;

	for (int i = 0; i < n; i++) {
		a[i] = (struct asked){ .target = target };
		pthread_create(&thread[i], NULL, ask, &a[i]);
	}
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		good += a[i].rc == 0 && a[i].status == 200 && a[i].n > 0;
		other += a[i].rc == 0 && a[i].status != 200;
	}
	print_line("%d %d", good, other);
}

static void at_fork(void)
{
	size_t n = 0;
	int status = 0;

	print_line("at fork: %d %d %d", cpa_http_addr(NULL, 0) < 0, start("127.0.0.1:0") < 0,
		   cpa_http_handle("GET", "/debug/pprof/cmdline", NULL, 0, keep, &n, &status, NULL, 0) <= 0);
}

static void do_fork(char *arg)
{
	pid_t child = fork();

	(void)arg;
	if (child == 0) {
		print_address("child ");
		print_line("files %d threads %d", entries("/proc/self/fd"), entries("/proc/self/task"));
		(void)!read(STDIN_FILENO, &(char){ 0 }, 1); /* wait for a command */
		_exit(0);
	}
	waitpid(child, NULL, 0);
	print_address("parent ");
}

static void do_exec(char *what)
{
	pid_t child = fork();

	if (child == 0) {
		execlp("/bin/sh", "sh", "-c", what, (char *)NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	print_line("done");
}

static void do_start(char *arg)
{
	print_line("%d", start(arg));
}

static void do_stop(char *arg)
{
	(void)arg;
	print_line("%d", cpa_http_stop());
}

static void do_address(char *arg)
{
	(void)arg;
	print_address("");
}

static void do_status(char *arg)
{
	char text[2000];

	(void)arg;
	cpa_status(text, sizeof(text));
	print_line("%s", text);
}

static void do_rate(char *arg)
{
	print_line("%zu", cpa_heap_set_rate(*arg ? (size_t)atol(arg) : SIZE_MAX));
}

static void do_cpu(char *arg)
{
	print_line("%d", *arg ? cpa_cpu_start_path(arg, NULL) : cpa_cpu_stop());
}

static void do_file(char *arg)
{
	int fd = open("/dev/null", O_RDONLY);

	(void)arg;
	print_line("%d", fd);
	close(fd);
}

static void do_state(char *arg)
{
	(void)arg;
	print_line("threads %d files %d timers %d", entries("/proc/self/task"), entries("/proc/self/fd"),
		   lines("/proc/self/timers"));
}

static void do_maps(char *arg)
{
	(void)arg;
	print_line("%d %ld", lines("/proc/self/maps"), mapped_kb());
}

static void do_cycle(char *arg)
{
	int bad = 0;

	for (int n = atoi(arg); n > 0; n--)
		bad += start("127.0.0.1:0") != 0 || cpa_http_stop() != 0;
	print_line("%d", bad);
}

static void do_busy(char *arg)
{
	pthread_t t;

	atomic_store(&busy, 1);
	for (int i = 0; i < atoi(arg); i++)
		pthread_create(&t, NULL, worker, NULL);
	while (atomic_load(&ready) < atoi(arg))
		usleep(1000);
	print_line("busy");
}

static void do_handle(char *arg)
{
	char *target = strchr(arg, ' ');

	handle(target ? target + 1 : "/debug/pprof/", atoi(arg));
}

static void do_headers(char *arg)
{
	struct asked a = { .target = arg };

	ask(&a);
	for (char *c = a.headers; *c; c++)
		*c = *c == '\r' ? '|' : *c == '\n' ? ' ' : *c;
	print_line("%d %d %s", a.rc, a.status, a.headers);
}

static void do_recurse(char *arg)
{
	int inner = 0, status = 0, rc;

	(void)arg;
	rc = cpa_http_handle("GET", "/debug/pprof/heap", NULL, 0, recurse, &inner, &status, NULL, 0);
	print_line("%d %d %d", rc, status, inner);
}

static void do_become(char *arg)
{
	execlp("/bin/sh", "sh", "-c", arg, (char *)NULL);
}

static void do_daemon(char *arg)
{
	int rc = daemon(1, 1);

	(void)arg;
	print_line("%d %d", rc, (int)getpid());
}

static void do_closefrom(char *arg)
{
	closefrom(3);
	do_file(arg); /* immediately, because the server reopens its sockets at free numbers */
}

/* The files of the program with the numbers of the server. */
static void do_take_files(char *arg)
{
	int fd = open("/dev/null", O_RDWR), n = 0;

	(void)arg;
	for (int i = 3; i < 400; i++)
		n += dup2(fd, i) == i;
	print_line("%d", n);
}

static void do_check_files(char *arg)
{
	int n = 0;

	(void)arg;
	for (int i = 3; i < 400; i++)
		n += write(i, "x", 1) == 1;
	print_line("%d", n);
}

static void do_leave_main(char *arg)
{
	static useconds_t ms;
	pthread_t t;

	ms = (useconds_t)atoi(arg);
	pthread_create(&t, NULL, sleeper, &ms);
	print_line("left");
	pthread_exit(NULL);
}

static void do_exit(char *arg)
{
	if (strcmp(arg, "_exit") == 0)
		_exit(3);
	exit(3);
}

static const struct command {
	const char *name;
	void (*fn)(char *arg);
} commands[] = {
	{ "start", do_start },
	{ "stop", do_stop },
	{ "address", do_address },
	{ "status", do_status },
	{ "rate", do_rate },
	{ "cpu", do_cpu },
	{ "file", do_file },
	{ "state", do_state },
	{ "maps", do_maps },
	{ "cycle", do_cycle },
	{ "busy", do_busy },
	{ "handle", do_handle },
	{ "headers", do_headers },
	{ "recurse", do_recurse },
	{ "fork", do_fork },
	{ "exec", do_exec },
	{ "become", do_become },
	{ "daemon", do_daemon },
	{ "closefrom", do_closefrom },
	{ "take_files", do_take_files },
	{ "check_files", do_check_files },
	{ "leave_main", do_leave_main },
	{ "exit", do_exit },
};

static void run(char *line)
{
	char *arg = strchr(line, ' ');

	arg = arg ? (*arg = '\0', arg + 1) : line + strlen(line);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, line) == 0) {
			commands[i].fn(arg);
			return;
		}
	print_line("what?");
}

int main(int argc, char **argv)
{
	char line[1000];
	size_t n = 0;

	/* after our fork handlers in the child and before them in the parent, or vice versa */
	if (argc > 1 && strcmp(argv[1], "early") == 0)
		pthread_atfork(at_fork, at_fork, at_fork);
	if (argc > 1 && strcmp(argv[1], "late") == 0) {
		cpa_heap_set_rate(1 << 20);
		pthread_atfork(at_fork, at_fork, at_fork);
	}
	while (read(STDIN_FILENO, line + n, 1) == 1) {
		if (line[n] != '\n') {
			n += n < sizeof(line) - 1;
			continue;
		}
		line[n] = '\0';
		n = 0;
		run(line);
	}
	return 0;
}
