/*
 * messages.c - messages and progress on standard error
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/messages.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/time.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool color;      /* print errors in colour; set once by main */
static bool no_rewrite; /* write no escape sequences; set by the prompt before other threads start */

static bool messages_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0") != 0;
}

bool say_wants_color(int fd, const char *choice)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR"), *cli = getenv("CLICOLOR");

	if (strcmp(choice, "auto") != 0)
		return strcmp(choice, "always") == 0;
	if ((no && *no) || (cli && strcmp(cli, "0") == 0))
		return false;
	if (messages_is_set("FORCE_COLOR") || messages_is_set("CLICOLOR_FORCE"))
		return true;
	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

void say_set_color(bool on)
{
	color = on;
}

bool say_can_rewrite(int fd)
{
	const char *term = getenv("TERM");
	struct winsize size;

	return !no_rewrite && isatty(fd) && term && *term && strcmp(term, "dumb") != 0 &&
	       ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
}

void say_disable_escapes(void)
{
	color = false;
	no_rewrite = true;
}

/* Destination of messages while the full screen is shown. */
static struct {
	pthread_mutex_t lock;
	struct buf *to;   /* NULL: standard error */
	char error[1024]; /* the last error */
} redirect = { .lock = PTHREAD_MUTEX_INITIALIZER };

void say_redirect(struct buf *to)
{
	pthread_mutex_lock(&redirect.lock);
	redirect.to = to;
	pthread_mutex_unlock(&redirect.lock);
}

static bool is_redirected(void)
{
	bool yes;

	pthread_mutex_lock(&redirect.lock);
	yes = redirect.to != NULL;
	pthread_mutex_unlock(&redirect.lock);
	return yes;
}

static void print_message(const char *style, bool is_error, const char *fmt, va_list ap)
{
	struct buf safe = { 0 };
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	utf8_add_safe(&safe, text, strlen(text));
	pthread_mutex_lock(&redirect.lock);
	if (is_error)
		snprintf(redirect.error, sizeof(redirect.error), "%s", buf_text(&safe));
	if (redirect.to)
		buf_addf(redirect.to, "%s\n", buf_text(&safe));
	else
		fprintf(stderr, "%scpa: %s%s\n", style, buf_text(&safe), *style ? "\033[0m" : "");
	pthread_mutex_unlock(&redirect.lock);
	buf_release(&safe);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message("", false, fmt, ap);
	va_end(ap);
}

int say_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(color ? "\033[31m" : "", true, fmt, ap);
	va_end(ap);
	return STATUS_TROUBLE;
}

const char *say_last_error(void)
{
	return redirect.error;
}

/* The thread that shows progress. lock guards all fields. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	pthread_t thread;
	bool running, shown;
	const char *what;
	size_t done, all;    /* items done, and their total; all is 0 if there is nothing to count */
	size_t n_fetching;   /* profiles being fetched or recorded */
	const char *verb;    /* "fetching", "recording" */
	int64_t seconds;     /* remaining time of these profiles */
	char requested[128]; /* file requested from a debuginfod server, "" for none */
	int64_t got, size;
	const struct stop *stop; /* the progress of what is done now; NULL for none */
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

enum { PROGRESS_STEP_NS = 500000000 };

/* Call with the lock held. */
static void progress_show_debuginfod(void)
{
	struct buf name = { 0 };

	utf8_add_safe(&name, progress.requested, strlen(progress.requested));
	fprintf(stderr, "\r\033[Kquerying debuginfod for %s", buf_text(&name));
	if (progress.size > 0)
		fprintf(stderr, ", %" PRId64 " of %" PRId64 " KiB", progress.got / 1024, progress.size / 1024);
	buf_release(&name);
}

/* Call with the lock held. */
static void progress_show_activity(void)
{
	const char *activity;
	int percent = progress.stop ? stop_percent(progress.stop, &activity) : -1;

	if (percent >= 0 && activity)
		fprintf(stderr, ", %s: %d %%", activity, percent);
}

/* Call with the lock held. */
static void progress_show(unsigned halves)
{
	const char *s = progress.n_fetching == 1 ? "" : "s";

	if (*progress.requested)
		progress_show_debuginfod();
	else if (progress.n_fetching && progress.seconds)
		fprintf(stderr, "\r\033[K%s %zu profile%s: %" PRId64 " s left", progress.verb, progress.n_fetching, s,
			progress.seconds);
	else if (progress.n_fetching)
		fprintf(stderr, "\r\033[K%s %zu profile%s ... %u.%us", progress.verb, progress.n_fetching, s,
			halves / 2, halves % 2 * 5);
	else
		fprintf(stderr, "\r\033[K%s ... %u.%us", progress.what, halves / 2, halves % 2 * 5);
	if (progress.all)
		fprintf(stderr, ", %zu of %zu files", progress.done, progress.all);
	progress_show_activity();
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
		at.tv_sec += at.tv_nsec / NS_PER_S;
		at.tv_nsec %= NS_PER_S;
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
	if (!say_can_rewrite(STDERR_FILENO) || is_redirected())
		return;
	progress.what = what;
	progress.done = progress.all = progress.n_fetching = 0;
	progress.requested[0] = '\0';
	progress.stop = NULL;
	progress.shown = false;
	progress.running = true;
	if (pthread_create(&progress.thread, NULL, progress_main, NULL) != 0)
		progress.running = false;
}

void progress_follow(const struct stop *stop)
{
	pthread_mutex_lock(&progress.lock);
	progress.stop = stop;
	pthread_mutex_unlock(&progress.lock);
}

void progress_count(size_t done, size_t all)
{
	pthread_mutex_lock(&progress.lock);
	progress.done = done;
	progress.all = all;
	pthread_mutex_unlock(&progress.lock);
}

static void set_remaining(const char *verb, size_t left, int64_t seconds)
{
	pthread_mutex_lock(&progress.lock);
	progress.verb = verb;
	progress.n_fetching = left;
	progress.seconds = seconds;
	pthread_mutex_unlock(&progress.lock);
}

void progress_fetch(size_t left, int64_t seconds)
{
	set_remaining("fetching", left, seconds);
}

void progress_record(size_t left, int64_t seconds)
{
	set_remaining("recording", left, seconds);
}

void progress_debuginfod(void *arg, const char *name, int64_t got, int64_t size)
{
	(void)arg;
	pthread_mutex_lock(&progress.lock);
	snprintf(progress.requested, sizeof(progress.requested), "%s", name ? path_base(name) : "");
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
