/*
 * cmd_threads.c - where each thread of a running process is
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing happens to the process: it is not stopped, gets no signal and no code of ours. Threads that run
 * at the moment are looked at again until they wait, but not for long.
 */
#include "config.h"

#include "base/io.h"
#include "base/opt.h"
#include "cli/cmd.h"
#include "cli/say.h"
#include "cli/snap_names.h"
#include "cli/threads_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct asked {
	int64_t debug;
	const char *output;
	bool proto, help;
	pid_t pid;
};

/* clang-format off */
static const struct opt options[] = {
	{ "debug", OPT_INT, offsetof(struct asked, debug), 0, "0", "N", 0, true, "as the text of Go's profiles" },
	{ "proto", OPT_BOOL, offsetof(struct asked, proto), 0, "false", NULL, 0, true, "as a profile" },
	{ "output", OPT_TEXT, offsetof(struct asked, output), 0, "", "FILE", 0, true, "where it goes" },
	{ "o", OPT_TEXT, offsetof(struct asked, output), 0, "", "FILE", 0, true, "where it goes" },
	{ "help", OPT_BOOL, offsetof(struct asked, help), 0, "false", NULL, 0, true, "print this" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]), PID_DIGITS = 9 };

static const char usage[] =
	"usage: cpa threads [--debug=N] [-proto] [-o FILE] PID\n"
	"\n"
	"Print where each thread of a process is, those with the same stack together. The process goes on:\n"
	"nothing is stopped and no signal is sent.\n"
	"\n"
	"  --debug=1    the text that Go writes for a profile of goroutines; 2: threads one by one\n"
	"  -proto       write a profile for cpa and pprof\n"
	"  -o FILE      where it goes (standard output)\n";

static int read_pid(const char *word, struct asked *to, struct err *err)
{
	size_t n = strspn(word, "0123456789");

	if (to->pid)
		return err_set(err, ERR_USAGE, "cpa threads takes one process");
	if (n == 0 || word[n] || n > PID_DIGITS || atoi(word) == 0)
		return err_set(err, ERR_USAGE, "%s is not the number of a process", word);
	to->pid = atoi(word);
	return 0;
}

static int read_options(int argc, char **argv, struct asked *to, struct err *err)
{
	int rc = 0;

	opt_preset(options, N_OPTIONS, to);
	for (int i = 1; i < argc && rc == 0; i++) {
		const char *name = argv[i] + 1 + (argv[i][1] == '-'), *value = strchr(name, '=');
		const struct opt *o;

		if (argv[i][0] != '-') {
			rc = read_pid(argv[i], to, err);
			continue;
		}
		o = opt_find(options, N_OPTIONS, name, value ? (size_t)(value - name) : strlen(name));
		if (!o)
			return err_set(err, ERR_USAGE, "cpa threads has no option %s; cpa threads --help lists them",
				       argv[i]);
		if (!value && !opt_is_flag(o) && ++i >= argc)
			return err_set(err, ERR_USAGE, "flag needs an argument: -%s", o->name);
		rc = opt_set(o, to, value ? value + 1 : opt_is_flag(o) ? NULL : argv[i], err);
	}
	if (rc == 0 && !to->help && !to->pid)
		return err_set(err, ERR_USAGE, "usage: cpa threads [--debug=N] [-proto] [-o FILE] PID");
	if (rc == 0 && (to->debug < 0 || to->debug > 2))
		return err_set(err, ERR_USAGE, "--debug: 0, 1 or 2");
	return rc;
}

/* Why a process cannot be looked at. */
static int refused(pid_t pid, int rc)
{
	char scope[2] = "0";
	int error = -rc;
	FILE *yama;

	if (error == ESRCH || error == EINVAL)
		return say_error("there is no process %d", (int)pid);
	if (error == ENOSYS)
		return say_error("process %d: the kernel does not tell where its threads are", (int)pid);
	if (error != EPERM && error != EACCES)
		return say_error("process %d: %s", (int)pid, strerror(error));
	yama = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	if (yama) {
		scope[fread(scope, 1, 1, yama)] = '\0';
		fclose(yama);
	}
	if (scope[0] > '0')
		return say_error("process %d may not be looked into: kernel.yama.ptrace_scope is %c", (int)pid,
				 scope[0]);
	return say_error("process %d may not be looked into: it is of another user, or protected", (int)pid);
}

static int add_bytes(void *arg, const void *data, size_t n)
{
	buf_add(arg, data, n);
	return 0;
}

/* All of what is to be written. */
static int make(const struct asked *a, const struct snap *s, struct buf *out, struct err *err)
{
	struct snap_names *names = NULL;
	int rc = 0;

	if (!a->proto)
		rc = snap_names_new(s, &names, err);
	if (rc == 0 && (a->proto || a->debug)) {
		rc = snap_write(s, (int)a->debug, a->proto ? NULL : snap_names_at, names, add_bytes, out);
		if (rc < 0)
			err_set(err, ERR_IO, "%s", strerror(-rc));
	} else if (rc == 0) {
		threads_text(s, names, out);
	}
	snap_names_free(names);
	return rc;
}

static int write_all(const struct asked *a, const struct snap *s)
{
	struct buf text = { 0 };
	struct err err;
	int rc = make(a, s, &text, &err);

	if (rc == 0 && *a->output)
		rc = io_write_file(a->output, text.data, text.len, &err);
	else if (rc == 0)
		rc = io_write_fd(STDOUT_FILENO, text.data, text.len, &err);
	buf_release(&text);
	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}

int cmd_threads(int argc, char **argv)
{
	struct asked a = { 0 };
	struct process *p = NULL;
	struct snap *s = NULL;
	struct err err;
	int rc, status;

	if (read_options(argc, argv, &a, &err) < 0)
		return say_error("%s", err.msg);
	if (a.help) {
		fputs(usage, stdout);
		return STATUS_FINE;
	}
	if (a.proto && !*a.output && isatty(STDOUT_FILENO))
		return say_error("a profile is no text for a terminal: -o FILE says where it goes");
	rc = process_open(a.pid, &p);
	if (rc == 0)
		rc = snap_take(p, SNAP_THREADS, 0, &s);
	status = rc < 0 ? refused(a.pid, rc) : write_all(&a, s);
	snap_free(s);
	process_close(p);
	return status;
}
