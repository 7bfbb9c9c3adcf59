/*
 * threads.c - where each thread of a running process is, or was
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process is only read (attach/threads.h). The answers of servers and the contents of files are texts (reader/stacks.h).
 */
#include "config.h"

#include "attach/threads.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/regex.h"
#include "cli/cmd.h"
#include "cli/http_options.h"
#include "cli/messages.h"
#include "cli/threads/dump.h"
#include "fetch/folder.h"
#include "fetch/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct threads_args {
	struct http_options http;
	int64_t debug;
	const char *output, *focus, *ignore;
	bool proto, help;
	const char *source; /* as it was given; NULL: none */
	pid_t pid;          /* 0: a file or a server */
};

/* clang-format off */
static const struct opt options[] = {
	{ "debug", OPT_INT, offsetof(struct threads_args, debug), 0, "0", "N", 0, true, "as the text of Go's profiles" },
	{ "proto", OPT_BOOL, offsetof(struct threads_args, proto), 0, "false", NULL, 0, true, "as a profile" },
	{ "output", OPT_TEXT, offsetof(struct threads_args, output), 0, "", "FILE", 0, true, "where it goes" },
	{ "o", OPT_TEXT, offsetof(struct threads_args, output), 0, "", "FILE", 0, true, "where it goes" },
	{ "focus", OPT_TEXT, offsetof(struct threads_args, focus), 0, "", "REGEX", 0, true, "only stacks with such a function" },
	{ "ignore", OPT_TEXT, offsetof(struct threads_args, ignore), 0, "", "REGEX", 0, true, "only stacks without one" },
	{ "help", OPT_BOOL, offsetof(struct threads_args, help), 0, "false", NULL, 0, true, "print this" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]), PID_DIGITS = 9 };

enum { HTTP_NOT_FOUND = 404 };

static const char usage[] =
	"usage: cpa threads [OPTION]... PID | SERVER | FILE\n"
	"\n"
	"Print where each thread of a process is, those with the same stack together. The process goes on:\n"
	"nothing is stopped and no signal is sent. SERVER (http://HOST:PORT, HOST:PORT, unix:SOCKET) tells it of\n"
	"its threads or goroutines; FILE (- for standard input) is what Go prints when it panics, or what a server\n"
	"said (/debug/pprof/goroutine?debug=2).\n"
	"\n"
	"  -o FILE               where it goes (standard output)\n"
	"Of a process:\n"
	"  --debug=1             the text that Go writes for a profile of goroutines; 2: threads one by one\n"
	"  -proto                write a profile for cpa and pprof\n"
	"Of servers and files:\n"
	"  --focus=REGEX         only stacks with a function that matches\n"
	"  --ignore=REGEX        only stacks without one\n";

static int read_source(const char *word, struct threads_args *to, struct err *err)
{
	size_t n = strspn(word, "0123456789");

	if (to->source)
		return err_set(err, ERR_USAGE, "cpa threads takes one process");
	to->source = word;
	if (n == 0 || word[n])
		return 0;
	if (n > PID_DIGITS || atoi(word) == 0)
		return err_set(err, ERR_USAGE, "%s is not the number of a process", word);
	to->pid = atoi(word);
	return 0;
}

static int check(const struct threads_args *a, struct err *err)
{
	if (!a->source)
		return err_set(err, ERR_USAGE, "usage: cpa threads [OPTION]... PID | SERVER | FILE");
	if (a->debug < 0 || a->debug > 2)
		return err_set(err, ERR_USAGE, "--debug: 0, 1 or 2");
	if (!a->pid && (a->proto || a->debug))
		return err_set(err, ERR_USAGE,
			       "%s is of processes only; a server has it itself: cpa -proto URL/goroutine",
			       a->proto ? "-proto" : "--debug");
	if (a->pid && (*a->focus || *a->ignore))
		return err_set(err, ERR_USAGE, "--focus and --ignore are of servers and files only");
	return 0;
}

/* One option, with the words it takes. Gives how many these are. */
static int read_one(int left, char **argv, struct threads_args *to, struct err *err)
{
	const char *name = argv[0] + 1 + (argv[0][1] == '-'), *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	const struct opt *o = opt_find(options, N_OPTIONS, name, n);
	void *target = to;
	bool two;
	int rc;

	if (!o) {
		o = cmd_http_option(name, n);
		target = &to->http;
	}
	if (!o)
		return err_set(err, ERR_USAGE, "cpa threads has no option %s; cpa threads --help lists them", argv[0]);
	two = !value && !opt_is_flag(o);
	if (two && left < 2)
		return err_set(err, ERR_USAGE, "flag needs an argument: -%s", o->name);
	rc = opt_set(o, target, value ? value + 1 : two ? argv[1] : NULL, err);
	return rc < 0 ? rc : 1 + two;
}

static int read_options(int argc, char **argv, struct threads_args *to, struct err *err)
{
	opt_preset(options, N_OPTIONS, to);
	cmd_http_preset(&to->http);
	for (int i = 1, used = 1; i < argc; i += used) {
		bool is_option = argv[i][0] == '-' && argv[i][1];

		used = is_option ? read_one(argc - i, argv + i, to, err) : 1;
		if (used < 0)
			return used;
		if (!is_option && read_source(argv[i], to, err) < 0)
			return err->code;
	}
	return to->help ? 0 : check(to, err);
}

static int write_text(const struct threads_args *a, const struct buf *text, struct err *err)
{
	return *a->output ? io_write_file(a->output, text->data, text->len, err)
			  : io_write_fd(STDOUT_FILENO, text->data, text->len, err);
}

/* The text of a server: of threads if it knows them, else of goroutines. */
static int ask(const struct threads_args *a, struct bytes *out, struct err *err)
{
	static const char *const name[] = { "threads", "goroutine" };
	struct url folder, url;
	struct buf shown = { 0 };
	int rc = fetch_folder(a->source, &folder, err);

	if (rc < 0)
		return rc;
	for (int i = 0; i < 2; i++) {
		struct fetch get = { .url = &url };

		fetch_folder_url(&folder, name[i], "debug=2", 0, &url);
		cmd_http_fetch(&a->http, &get, 1, "waiting for the server");
		shown.len = 0;
		url_show(&url, &shown);
		url_release(&url);
		*out = get.bytes;
		*err = get.err;
		rc = get.rc;
		if (get.status != HTTP_NOT_FOUND)
			break;
	}
	url_release(&folder);
	if (rc < 0)
		rc = err_wrap(err, "%s", buf_text(&shown));
	buf_release(&shown);
	return rc;
}

static int read_text(const struct threads_args *a, struct bytes *out, struct err *err)
{
	bool is_file = strcmp(a->source, "-") == 0 || access(a->source, F_OK) == 0;
	uint64_t max = a->http.max_input < 0 ? mem_quarter() : (uint64_t)a->http.max_input;
	int rc = is_file ? fetch_read(a->source, max, out, err) : ask(a, out, err);

	if (rc == ERR_UNKNOWN)
		return err_set(err, ERR_USAGE, "%s is not the number of a process, no file, and no server", a->source);
	return rc < 0 && is_file ? err_wrap(err, "%s", a->source) : rc;
}

static int draw(const struct threads_args *a, const struct stacks *s, struct buf *out, struct err *err)
{
	struct regex *focus = NULL, *ignore = NULL;
	int rc = *a->focus ? regex_new(a->focus, &focus, err) : 0;

	if (rc == 0 && *a->ignore)
		rc = regex_new(a->ignore, &ignore, err);
	if (rc == 0)
		rc = cmd_threads_dump(s, focus, ignore, out, err);
	regex_free(focus);
	regex_free(ignore);
	return rc;
}

/* What a server or a file says. Gives the exit status. */
static int text_of_stacks(const struct threads_args *a)
{
	struct bytes bytes = { 0 };
	struct stacks s = { 0 };
	struct buf text = { 0 };
	struct err err;
	int rc = read_text(a, &bytes, &err);

	if (rc == 0 && (rc = stacks_parse((const char *)bytes.data, bytes.n, &s, &err)) < 0) {
		url_redact(a->source, &text); /* a file's name has no secret */
		err_wrap(&err, "%.300s", buf_text(&text));
	}
	if (rc == 0)
		rc = draw(a, &s, &text, &err);
	if (rc == 0)
		rc = write_text(a, &text, &err);
	stacks_release(&s);
	buf_release(&text);
	free(bytes.data);
	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}

/* The threads of a process. Gives the exit status. */
static int threads_of_process(const struct threads_args *a)
{
	const struct attach_threads_options o = { .debug = a->debug, .proto = a->proto };
	struct buf text = { 0 };
	struct err err;
	int rc = attach_threads(a->pid, &o, &text, &err);

	if (rc == 0)
		rc = write_text(a, &text, &err);
	buf_release(&text);
	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}

int cmd_threads(int argc, char **argv)
{
	struct threads_args a = { 0 };
	struct err err;

	if (read_options(argc, argv, &a, &err) < 0)
		return say_error("%s", err.msg);
	if (a.help) {
		fputs(usage, stdout);
		cmd_http_help();
		return STATUS_FINE;
	}
	if (a.proto && !*a.output && isatty(STDOUT_FILENO))
		return say_error("a profile is no text for a terminal: -o FILE says where it goes");
	return a.pid ? threads_of_process(&a) : text_of_stacks(&a);
}
