/*
 * snapshot.c - run cpa snapshot
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/time.h"
#include "front/cli/cmd.h"
#include "front/cli/http_options.h"
#include "front/cli/messages.h"
#include "fetch/folder.h"
#include "snapshot/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_MAX = S_PER_DAY };

/* The options as given. Texts are borrowed. */
struct snapshot_args {
	struct snapshot_options options;
	struct http_options http;
	const char *source;
	const char *to_store;          /* "": not into a store; "true": the default store; else a folder */
	const char *release, *service; /* "": no release; the service of the program */
	struct opt_list comment;
	bool help;
};

#define AT(field) offsetof(struct snapshot_args, field)

/* clang-format off */
static const struct opt options[] = {
	{ "output", OPT_TEXT, AT(options.folder), 0, "", "DIR", 0, true, "folder for the files, created if needed; -o for short" },
	{ "o", OPT_TEXT, AT(options.folder), 0, "", "DIR", 0, true, "same as --output" },
	{ "to_store", OPT_MODE, AT(to_store), 0, "", "STORE", 0, true, "add the profiles to a store (default $CPA_STORE); -o may be omitted" },
	{ "release", OPT_TEXT, AT(release), 0, "", "VERSION", 0, true, "add them to the store, and keep them there as the release VERSION" },
	{ "service", OPT_TEXT, AT(service), 0, "", "NAME", 0, true, "service in the store (default: name of the program)" },
	{ "seconds", OPT_INT, AT(options.seconds), 0, "30", "N", 0, true, "length of the CPU profile" },
	{ "kinds", OPT_TEXT, AT(options.kinds), 0, "", "KIND,...", 0, true, "profiles to fetch (default cpu,heap,allocs,goroutine,block,mutex)" },
	{ "version", OPT_TEXT, AT(options.version), 0, "", "TEXT", 0, true, "version of the program, added to each profile as a comment" },
	{ "comment", OPT_LIST, AT(comment), 0, NULL, "TEXT", 0, true, "comment to add to each profile; may be repeated" },
	{ "dump", OPT_BOOL, AT(options.dump), 0, "false", NULL, 0, true, "also write the stack of every thread or goroutine as text" },
	{ "gc", OPT_BOOL, AT(options.gc), 0, "false", NULL, 0, true, "run a garbage collection before the heap profile" },
	{ "cmdline", OPT_BOOL, AT(options.cmdline), 0, "true", NULL, 0, true, "add the command line of the program as a comment (default); =false: omit it" },
	{ "force", OPT_BOOL, AT(options.force), 0, "false", NULL, 0, true, "replace existing files" },
	{ "help", OPT_BOOL, AT(help), 0, "false", NULL, 0, true, "print this help" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

static const char short_usage[] = "usage: cpa snapshot [OPTION]... -o DIR | --to-store SERVER";

const struct opt *cmd_snapshot_option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : cmd_http_option_at(i - N_OPTIONS);
}

static int snapshot_add_word(void *arg, const char *word, struct err *err)
{
	struct snapshot_args *to = arg;

	if (to->source)
		return err_set(err, ERR_USAGE, "cpa snapshot takes one server");
	to->source = word;
	return 0;
}

static int snapshot_read_options(int argc, char **argv, struct snapshot_args *to, struct err *err)
{
	const struct opt_table tables[] = { { options, N_OPTIONS, to }, cmd_http_options(&to->http) };
	int rc;

	opt_set_defaults(options, N_OPTIONS, to);
	cmd_http_set_defaults(&to->http);
	rc = opt_read_all("snapshot", tables, 2, argc - 1, argv + 1, snapshot_add_word, to, err);
	if (rc < 0)
		return rc;
	if (to->help)
		return 0;
	if (!to->source)
		return err_set(err, ERR_USAGE, "%s", short_usage);
	if (*to->release && !*to->to_store)
		to->to_store = "true";
	if (*to->release && !*to->options.version)
		to->options.version = to->release;
	if (*to->service && !*to->to_store)
		return err_set(err, ERR_USAGE, "--service needs --to-store or --release");
	if (!*to->options.folder && !*to->to_store)
		return err_set(err, ERR_USAGE, "-o DIR is missing; %s", short_usage);
	if (to->options.seconds < 1 || to->options.seconds > SECONDS_MAX)
		return err_set(err, ERR_USAGE, "--seconds must be 1 to %d", (int)SECONDS_MAX);
	return 0;
}

/* Check and write each profile. Returns the number written. */
static size_t write_shots(struct snapshot *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct snapshot_entry *x = &s->entry[i];

		snapshot_write_entry(s, x);
		n += x->state == SNAPSHOT_WRITTEN;
		if (x->state == SNAPSHOT_FAILED)
			say_error("%s: %s", x->kind, x->err.msg);
	}
	return n;
}

static int snapshot_write_all(struct snapshot *s, bool prints_table)
{
	struct buf text = { 0 };
	struct err err;
	int made = snapshot_make_folder(s, &err), status = STATUS_FINE;

	if (made < 0)
		return say_error("%s", err.msg);
	if (write_shots(s) == 0) {
		if (made)
			rmdir(s->options->folder);
		return s->interrupted ? say_error("interrupted; nothing was written")
				      : say_error("nothing was written");
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->entry[i].state == SNAPSHOT_FAILED || s->entry[i].state == SNAPSHOT_INTERRUPTED)
			status = STATUS_TROUBLE;
	if (snapshot_write_manifest(s, &err) < 0)
		status = say_error("%s", err.msg);
	if (s->interrupted)
		status = say_error("interrupted; complete profiles were written");
	if (prints_table)
		snapshot_table(s, &text);
	if (io_write_fd(STDOUT_FILENO, text.data, text.len, &err) < 0)
		status = say_error("standard output: %s", err.msg);
	buf_release(&text);
	return status;
}

static bool snapshot_snapshot_fetch(void *arg, struct fetch_request *get, size_t n, const char *what)
{
	return cmd_http_fetch(arg, get, n, what);
}

/* Make a folder for files that are only on their way to a store. The caller frees out. */
static int snapshot_snapshot_make_folder(char **out, struct err *err)
{
	const char *parent = getenv("TMPDIR");
	struct buf name = { 0 };

	buf_addf(&name, "%s/cpa-snapshot-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(name.data)) {
		err_set(err, ERR_IO, "%s: %s", name.data, strerror(errno));
		buf_release(&name);
		return ERR_IO;
	}
	*out = name.data;
	return 0;
}

/* Remove the folder and the files of the snapshot. */
static void snapshot_remove_folder(const char *folder)
{
	DIR *d = opendir(folder);

	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(folder);
}

/* Run a command of cpa store. A collector that holds the store runs it. Words that are NULL are left out. */
static int snapshot_run_store(const struct snapshot_args *a, const char *const *word, size_t n)
{
	char *argv[8] = { (char *)(uintptr_t) "store" };
	struct buf store = { 0 };
	int argc = 1, status;

	buf_addf(&store, "--store=%s", a->to_store);
	if (strcmp(a->to_store, "true") != 0)
		argv[argc++] = store.data;
	for (size_t i = 0; i < n; i++)
		if (word[i])
			argv[argc++] = (char *)(uintptr_t)word[i];
	status = cmd_store(argc, argv);
	buf_release(&store);
	return status;
}

/* Import the files, and make the release of them. */
static int import(const struct snapshot_args *a)
{
	struct buf service = { 0 }, label = { 0 };
	const char *import[] = { "import", NULL, NULL, a->options.folder }, *release[] = { "release", a->release };
	int status;

	if (*a->service) {
		buf_addf(&service, "--service=%s", a->service);
		import[1] = service.data;
	}
	if (*a->release) {
		buf_addf(&label, "--label=release=%s", a->release);
		import[2] = label.data;
	}
	status = snapshot_run_store(a, import, 4);
	if (status == STATUS_FINE && *a->release)
		status = snapshot_run_store(a, release, 2);
	buf_release(&service);
	buf_release(&label);
	return status;
}

int cmd_snapshot(int argc, char **argv)
{
	struct snapshot_args a = { 0 };
	struct snapshot s = { 0 };
	struct url folder;
	struct err err;
	char *temporary = NULL;
	int rc = snapshot_read_options(argc, argv, &a, &err), status = STATUS_FINE;

	if (rc == 0 && !a.help && !*a.options.folder) {
		rc = snapshot_snapshot_make_folder(&temporary, &err);
		a.options.folder = temporary;
	}
	if (rc == 0 && a.help) {
		cmd_help_command("snapshot");
		opt_list_release(&a.comment);
		return STATUS_FINE;
	}
	if (rc == 0)
		rc = fetch_folder(a.source, &folder, &err);
	if (rc == ERR_UNKNOWN)
		err_wrap(&err, "cpa snapshot needs a server");
	if (rc == 0) {
		a.options.comment = a.comment.item;
		a.options.n_comments = a.comment.n;
		a.options.max_inflated = cmd_http_max_inflated(&a.http);
		a.options.fetch = snapshot_snapshot_fetch;
		a.options.arg = &a.http;
		rc = snapshot_plan(&a.options, &folder, &s, &err);
	}
	if (rc == 0)
		rc = snapshot_fetch(&s, &err);
	status = rc < 0 ? say_error("%s", err.msg) : snapshot_write_all(&s, !temporary);
	if (rc == 0 && *a.to_store && access(a.options.folder, F_OK) == 0) {
		int imported = import(&a);

		status = status == STATUS_FINE ? imported : status;
	}
	if (temporary)
		snapshot_remove_folder(temporary);
	free(temporary);
	snapshot_release(&s);
	opt_list_release(&a.comment);
	return status;
}
