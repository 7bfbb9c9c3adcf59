/*
 * sample.c - sample running processes for cpa record
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/processes.h"
#include "attach/sample.h"
#include "base/mem.h"
#include "base/time.h"
#include "front/cli/interrupt.h"
#include "front/cli/messages.h"
#include "front/cli/run/options.h"
#include "sources/process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SECONDS_MAX = 1000000 };

static void run_sample_note(void *arg, const char *text)
{
	(void)arg;
	progress_end();
	say("%s", text);
}

static void run_sample_error(void *arg, const char *text)
{
	(void)arg;
	progress_end();
	say_error("%s", text);
}

int cmd_run_sample_check(const struct run_args *args, struct err *err)
{
	const struct run_sample_args *a = &args->sample;

	if (!!a->pids + a->all_cpus + !!a->cgroup > 1)
		return err_set(err, ERR_USAGE, "give only one of -p, -a and --cgroup");
	if (a->off_cpu && a->wall)
		return err_set(err, ERR_USAGE, "give only one of --off-cpu and --wall");
	if (a->events && (a->off_cpu || a->wall))
		return err_set(err, ERR_USAGE, "--event cannot be combined with %s", a->wall ? "--wall" : "--off-cpu");
	if (a->wall && (a->all_cpus || a->cgroup))
		return err_set(err, ERR_USAGE, "--wall needs -p PID, or a program");
	if (a->seconds < 0 || a->seconds > SECONDS_MAX)
		return err_set(err, ERR_USAGE, "--seconds must be 0 to %d", SECONDS_MAX);
	return a->events ? attach_check_events(a->events, err) : 0;
}

static void release_child(void *child)
{
	attach_child_release(child);
}

static bool is_none(const char *follow)
{
	return strcmp(follow, "none") == 0 || strcmp(follow, "false") == 0;
}

/* Find the processes of -p, and print those that were given by name. */
static int find_processes(const char *list, pid_t *pid, size_t *n, struct err *err)
{
	struct buf found = { 0 };
	int rc = attach_processes_find(list, pid, n, &found, err);
	const char *line = buf_text(&found);

	for (size_t len; rc == 0 && *line; line += len + 1) {
		len = strcspn(line, "\n");
		say("%.*s", (int)len, line);
	}
	buf_release(&found);
	if (rc < 0)
		err_wrap(err, "-p");
	return rc;
}

/* Fill in the options for the engine. pid has room for SAMPLE_PIDS_MAX process IDs. */
static int make_options(const struct run_args *args, pid_t *pid, struct sample_options *to, struct err *err)
{
	const struct run_sample_args *a = &args->sample;
	int rc = cmd_run_sample_check(args, err);

	*to = (struct sample_options){
		.kind = a->off_cpu ? SAMPLE_OFF_CPU
			: a->wall  ? SAMPLE_WALL
				   : SAMPLE_CPU,
		.pid = pid,
		.cgroup = a->cgroup,
		.events = a->events,
		.hz = (unsigned)args->hz,
		.max_depth = (uint32_t)args->max_depth,
		.duration_ns = (uint64_t)a->seconds * NS_PER_S,
		.follow = args->has_follow && !is_none(args->follow),
		.messages = { .note = run_sample_note, .error = run_sample_error },
	};
	return rc == 0 && a->pids ? find_processes(a->pids, pid, &to->n_pids, err) : rc;
}

static void print_result(const struct sample_result *result)
{
	struct buf text = { 0 };

	sources_process_add_result(result, &text);
	say("%s", buf_text(&text));
	buf_release(&text);
}

/* A command that runs while processes are sampled. */
struct timed_command {
	struct attach_child child;
	struct stop *stop;
	pthread_t waiter;
};

/* Let the command run, and stop sampling when it has ended. It is reaped later. */
static void *wait_for_command(void *arg)
{
	struct timed_command *c = arg;
	siginfo_t info;

	attach_child_release(&c->child);
	while (waitid(P_PID, (id_t)c->child.pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		continue;
	stop_set(c->stop);
	return NULL;
}

static int create_command(char **argv, struct timed_command *out, struct err *err)
{
	const struct attach_messages messages = cmd_run_messages();
	struct program program;
	struct buf path = { 0 };
	int rc = attach_program_check(argv[0], false, &path, &program, err);

	if (rc == 0 || program.can_be_sampled)
		rc = attach_child_create(buf_text(&path), argv, &messages, &out->child, err);
	buf_release(&path);
	return rc;
}

static int run_sample_start_command(struct timed_command *c, struct err *err)
{
	int error = pthread_create(&c->waiter, NULL, wait_for_command, c);

	return error ? err_set(err, ERR_IO, "pthread_create: %s", strerror(error)) : 0;
}

static void end_command(struct timed_command *c)
{
	kill(c->child.pid, SIGTERM); /* it has not been reaped, so this is its process ID, also if it has ended */
	pthread_join(c->waiter, NULL);
}

int cmd_run_sample(const struct run_options *o, char **command, struct buf *out, struct err *err)
{
	pid_t *pid = mem_alloc(SAMPLE_PIDS_MAX, sizeof(*pid));
	struct sample_options options;
	struct sample_result result;
	struct timed_command timed = { 0 };
	int rc = make_options(&o->args, pid, &options, err);

	if (rc == 0 && *command)
		rc = create_command(command, &timed, err);
	if (rc == 0) {
		options.stop = timed.stop = cmd_interrupt_catch_with_term();
		rc = *command ? run_sample_start_command(&timed, err) : 0;
		progress_begin("sampling; Ctrl-C ends it");
		if (rc == 0) {
			rc = attach_sample_packed(&options, out, &result, err);
			if (*command)
				end_command(&timed);
		}
		progress_end();
		cmd_interrupt_release();
	}
	if (timed.child.pid > 0)
		attach_child_wait(&timed.child);
	if (rc == 0)
		print_result(&result);
	if (rc == 0 && result.totals.n_stacks == 0 && result.kind == SAMPLE_CPU)
		say("no CPU time was used; --off-cpu shows where threads wait");
	free(pid);
	return rc;
}

int cmd_run_sample_child(const struct run_options *o, struct attach_child *child, struct buf *out, struct err *err)
{
	struct sample_options options;
	struct sample_result result;
	int rc = make_options(&o->args, NULL, &options, err);

	if (rc == 0 && o->attach.follow)
		rc = err_set(err, ERR_USAGE,
			     "--follow=%s: choose all or none for a program that cannot load the library of cpa",
			     o->args.follow);
	if (rc < 0)
		return rc;
	options.pid = &child->pid;
	options.n_pids = 1;
	options.follow = !o->args.has_follow || !is_none(o->args.follow);
	options.needs_events = true;
	options.begun = release_child;
	options.begun_arg = child;
	rc = attach_sample_packed(&options, out, &result, err);
	if (rc == 0 && out->len)
		print_result(&result);
	return rc;
}
