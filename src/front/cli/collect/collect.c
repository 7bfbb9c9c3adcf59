/*
 * collect.c - cpa collect: scrape targets at intervals, receive pushes, and store the profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/cmd.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "front/cli/collect/options.h"
#include "front/cli/collect/status.h"
#include "front/cli/collect/watchers.h"
#include "front/cli/messages.h"
#include "front/cli/store/store.h"
#include "front/grafana/grafana.h"
#include "scrape/collector.h"
#include "scrape/target.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Context of the callbacks. */
struct console {
	const struct collect_args *args;
	pthread_mutex_t lock;
	bool is_terminal;
	bool has_line; /* the status line is on the screen */
	const char *store;
	struct watchers watchers;
};

/* ---- callbacks ---- */

/* Print a line above the status line. The lock is held. */
static void print_line(struct console *c, const char *line)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, line, strlen(line));
	fprintf(stderr, "%s%s\n", c->has_line ? "\r\033[K" : "", buf_text(&safe));
	c->has_line = false;
	buf_release(&safe);
}

/* Remove the status line. Sinks may log meanwhile. */
static void clear_line(struct console *c)
{
	pthread_mutex_lock(&c->lock);
	if (c->has_line)
		fputs("\r\033[K", stderr);
	c->has_line = false;
	pthread_mutex_unlock(&c->lock);
}

static void log_line(void *arg, const char *line)
{
	struct console *c = arg;
	struct buf text = { 0 };

	buf_addz(&text, "time=");
	time_add_utc(&text, clock_wall_ns(), TIME_ISO);
	buf_addf(&text, " %s", line);
	pthread_mutex_lock(&c->lock);
	print_line(c, text.data);
	pthread_mutex_unlock(&c->lock);
	buf_release(&text);
}

static void collect_progress(void *arg, const char *line)
{
	struct console *c = arg;

	pthread_mutex_lock(&c->lock);
	fprintf(stderr, "\r%s\033[K", line);
	c->has_line = true;
	pthread_mutex_unlock(&c->lock);
}

/* The first profile is stored: print which command reads it. */
static void first(void *arg, const char *service)
{
	struct console *c = arg;
	struct buf text = { 0 };

	buf_addf(&text, "cpa: the first profile is stored; try: cpa top store:%s", service);
	pthread_mutex_lock(&c->lock);
	print_line(c, text.data);
	pthread_mutex_unlock(&c->lock);
	buf_release(&text);
}

static int collect_run_command(void *arg, struct store_writer *w, const char *directory, const char *folder, int argc,
			       char **argv, struct buf *out)
{
	(void)arg;
	return cmd_store_run_in(w, directory, folder, argc, argv, out);
}

/* ---- the plan ---- */

/* at_once: the first scrapes begin at the start, as they do without a file. */
static int print_plan(const struct scrape_config *config, bool at_once)
{
	struct scrape_targets targets = { 0 };
	struct scrape_list list = { 0 };
	struct buf notes = { 0 }, text = { 0 };
	struct err err;
	size_t n_problems = scrape_find(config, &list, &notes);
	int status = n_problems > 0 ? STATUS_TROUBLE : STATUS_FINE;

	scrape_targets_update(&targets, config, &list, clock_wall_ns(), at_once, NULL, NULL, &notes);
	scrape_targets_add_plan(&targets, config, clock_wall_ns(), &text);
	for (char *at = notes.data, *end; at && (end = strchr(at, '\n')); at = end + 1)
		say("%.*s", (int)(end - at), at);
	if (io_write_fd(STDOUT_FILENO, buf_text(&text), text.len, &err) < 0)
		status = say_error("standard output: %s", err.msg);
	scrape_list_release(&list);
	scrape_targets_release(&targets);
	buf_release(&notes);
	buf_release(&text);
	return status;
}

/* ---- running ---- */

/* Block the signals in all threads, so that only the loop reads them. */
static int collect_catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int collect_watch(void *arg, const struct scrape_config *config, struct err *err)
{
	struct console *c = arg;
	int rc = watchers_check(config, err);

	return rc < 0 ? rc : watchers_start(&c->watchers, config, c->store, err);
}

/* Print where profiles go, what is scraped and when. */
static void say_start(const struct scrape_collector *c, const struct scrape_config *config)
{
	say("store %s", scrape_collector_store(c));
	say("status: cpa collect --status, or curl --unix-socket %s http://localhost/",
	    scrape_collector_address(c) + strlen("unix:"));
	for (size_t i = 0; i < config->n_jobs && i < 10; i++) {
		const struct scrape_job *job = &config->job[i];
		struct buf text = { 0 };

		for (size_t k = 0; k < job->n_kinds; k++) {
			buf_addf(&text, "%s%s", k ? ", " : "", job->kind[k].name);
			if (job->kind[k].capture_ns > 0) {
				buf_addz(&text, " for ");
				unit_add_label(&text, job->kind[k].capture_ns, "ns", "auto");
			}
			if (k + 1 == job->n_kinds || job->kind[k].every_ns != job->kind[k + 1].every_ns) {
				buf_addz(&text, " every ");
				unit_add_label(&text, job->kind[k].every_ns, "ns", "auto");
			}
		}
		say("%s%s%zu source%s: %s", job->name, *job->name ? ", " : "", job->n_sources,
		    job->n_sources == 1 ? "" : "s", buf_text(&text));
		buf_release(&text);
	}
}

/* The command line, for the lock file. */
static void collect_add_command(int argc, char **argv, struct buf *out)
{
	buf_addz(out, "cpa");
	for (int i = 0; i < argc; i++) {
		buf_addz(out, " ");
		utf8_add_safe(out, argv[i], strlen(argv[i]));
	}
}

static int collect_run(const struct collect_args *a, struct scrape_config *config, const char *command)
{
	struct console console = { .args = a, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct scrape_collector_options o = { .file = a->file,
					      .arguments = &a->arguments,
					      .config = config,
					      .command = command,
					      .once = a->once,
					      .grace_ns = a->grace_ns,
					      .log = log_line,
					      .run_command = collect_run_command,
					      .answer = grafana_answer,
					      .watch = collect_watch,
					      .arg = &console };
	struct scrape_collector *c;
	struct err err;
	size_t n_failed;

	console.is_terminal = say_can_rewrite(STDERR_FILENO);
	o.progress = console.is_terminal ? collect_progress : NULL;
	o.first = console.is_terminal || !a->file ? first : NULL;
	o.signals = collect_catch_signals();
	if (o.signals < 0)
		return say_error("cannot catch signals: %s", strerror(errno));
	if (scrape_collector_new(&o, &c, &err) < 0) {
		close(o.signals);
		return say_error("%s", err.msg);
	}
	console.store = scrape_collector_store(c);
	if (!a->once)
		say_start(c, config);
	if (!a->once && watchers_start(&console.watchers, config, console.store, &err) < 0)
		say_error("%s", err.msg);
	n_failed = scrape_collector_run(c);
	watchers_stop(&console.watchers);
	clear_line(&console);
	if (scrape_collector_free(c, &err) < 0) {
		close(o.signals);
		return say_error("the last profiles could not be written: %s", err.msg);
	}
	close(o.signals);
	return n_failed > 0 ? say_error("%zu target%s failed", n_failed, n_failed == 1 ? "" : "s") : STATUS_FINE;
}

static int collect_all(const struct collect_args *a, int argc, char **argv)
{
	struct scrape_config *config;
	struct buf command = { 0 };
	struct err err;
	size_t n_sources = 0;
	int status;

	if (a->status && !a->file)
		return cmd_collect_status(a->arguments.store, a->json);
	if (scrape_config_read(a->file, &a->arguments, &config, &err) < 0)
		return say_error("%s", err.msg);
	if (watchers_check(config, &err) < 0) {
		scrape_config_unref(config);
		return say_error("%s", err.msg);
	}
	for (size_t i = 0; i < config->n_jobs; i++)
		n_sources += config->job[i].n_sources;
	collect_add_command(argc, argv, &command);
	if (a->status)
		status = cmd_collect_status(config->store, a->json);
	else if (a->check)
		status = print_plan(config, !a->file);
	else if (n_sources == 0 && (a->once || (!a->file && a->listen.n == 0)))
		status = say_error("no target; try: cpa collect localhost:6060");
	else
		status = collect_run(a, config, command.data);
	scrape_config_unref(config);
	buf_release(&command);
	return status;
}

int cmd_collect(int argc, char **argv)
{
	struct collect_args a;
	struct err err;
	int status = STATUS_FINE;

	if (cmd_collect_options_parse(argc, argv, &a, &err) < 0)
		status = say_error("%s", err.msg);
	else if (a.help)
		cmd_help_command("collect");
	else
		status = collect_all(&a, argc, argv);
	cmd_collect_options_release(&a);
	return status;
}
