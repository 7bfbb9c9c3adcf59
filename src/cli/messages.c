/*
 * messages.c - talk to the user on standard error
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/messages.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool color; /* of errors; set once by main */

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0") != 0;
}

bool say_color(int fd, const char *choice)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR"), *cli = getenv("CLICOLOR");

	if (strcmp(choice, "auto") != 0)
		return strcmp(choice, "always") == 0;
	if ((no && *no) || (cli && strcmp(cli, "0") == 0))
		return false;
	if (is_set("FORCE_COLOR") || is_set("CLICOLOR_FORCE"))
		return true;
	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

void say_set_color(bool on)
{
	color = on;
}

/* Where what is said goes while the full screen is shown. */
static struct {
	pthread_mutex_t lock;
	struct buf *to; /* NULL: standard error */
} sink = { .lock = PTHREAD_MUTEX_INITIALIZER };

void say_into(struct buf *to)
{
	pthread_mutex_lock(&sink.lock);
	sink.to = to;
	pthread_mutex_unlock(&sink.lock);
}

static bool is_sunk(void)
{
	bool sunk;

	pthread_mutex_lock(&sink.lock);
	sunk = sink.to != NULL;
	pthread_mutex_unlock(&sink.lock);
	return sunk;
}

static void vsay(const char *style, const char *fmt, va_list ap)
{
	struct buf safe = { 0 };
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	utf8_add_safe(&safe, text, strlen(text));
	pthread_mutex_lock(&sink.lock);
	if (sink.to)
		buf_addf(sink.to, "%s\n", buf_text(&safe));
	else
		fprintf(stderr, "%scpa: %s%s\n", style, buf_text(&safe), *style ? "\033[0m" : "");
	pthread_mutex_unlock(&sink.lock);
	buf_release(&safe);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay("", fmt, ap);
	va_end(ap);
}

int say_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(color ? "\033[31m" : "", fmt, ap);
	va_end(ap);
	return STATUS_TROUBLE;
}

/* The thread that tells; all of it guarded by lock. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	pthread_t thread;
	bool running, shown;
	const char *what;
	size_t done, all; /* all 0 when there is nothing to count */
	size_t on_way;    /* profiles of servers, 0 for none */
	int64_t seconds;  /* for them */
	char asked[128];  /* what a debuginfod server is asked for, "" for nothing */
	int64_t got, size;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

enum { PROGRESS_STEP_NS = 500000000 };

/* With the lock held. */
static void progress_show_asking(void)
{
	struct buf name = { 0 };

	utf8_add_safe(&name, progress.asked, strlen(progress.asked));
	fprintf(stderr, "\r\033[Kasking debuginfod for %s", buf_text(&name));
	if (progress.size > 0)
		fprintf(stderr, ", %" PRId64 " of %" PRId64 " KiB", progress.got / 1024, progress.size / 1024);
	buf_release(&name);
}

/* With the lock held. */
static void progress_show(unsigned halves)
{
	const char *s = progress.on_way == 1 ? "" : "s";

	if (*progress.asked)
		progress_show_asking();
	else if (progress.on_way && progress.seconds)
		fprintf(stderr, "\r\033[Kfetching %zu profile%s: %" PRId64 " s left", progress.on_way, s,
			progress.seconds);
	else if (progress.on_way)
		fprintf(stderr, "\r\033[Kfetching %zu profile%s ... %u.%us", progress.on_way, s, halves / 2,
			halves % 2 * 5);
	else
		fprintf(stderr, "\r\033[K%s ... %u.%us", progress.what, halves / 2, halves % 2 * 5);
	if (progress.all)
		fprintf(stderr, ", %zu of %zu files", progress.done, progress.all);
}

static void *progress_main(void *arg)
{
	struct timespec at;
	unsigned halves = 0;

	(void)arg;
	pthread_mutex_lock(&progress.lock);
	clock_gettime(CLOCK_REALTIME, &at);
	while (progress.running) {
		at.tv_nsec += PROGRESS_STEP_NS;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		while (progress.running && pthread_cond_timedwait(&progress.ended, &progress.lock, &at) == 0)
			;
		halves++;
		if (progress.running) {
			progress_show(halves);
			progress.shown = true;
		}
	}
	if (progress.shown)
		fputs("\r\033[K", stderr);
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void progress_begin(const char *what)
{
	if (!isatty(STDERR_FILENO) || is_sunk())
		return;
	progress.what = what;
	progress.done = progress.all = progress.on_way = 0;
	progress.asked[0] = '\0';
	progress.shown = false;
	progress.running = true;
	if (pthread_create(&progress.thread, NULL, progress_main, NULL) != 0)
		progress.running = false;
}

void progress_count(size_t done, size_t all)
{
	pthread_mutex_lock(&progress.lock);
	progress.done = done;
	progress.all = all;
	pthread_mutex_unlock(&progress.lock);
}

void progress_fetch(size_t left, int64_t seconds)
{
	pthread_mutex_lock(&progress.lock);
	progress.on_way = left;
	progress.seconds = seconds;
	pthread_mutex_unlock(&progress.lock);
}

void progress_asking(void *arg, const char *name, int64_t got, int64_t size)
{
	(void)arg;
	pthread_mutex_lock(&progress.lock);
	snprintf(progress.asked, sizeof(progress.asked), "%s", name ? path_base(name) : "");
	progress.got = got;
	progress.size = size;
	pthread_mutex_unlock(&progress.lock);
}

void progress_end(void)
{
	if (!progress.running)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.running = false;
	pthread_cond_signal(&progress.ended);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
}
