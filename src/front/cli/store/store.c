/*
 * store.c - run cpa store: options, subcommands, exit status
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/store/store.h"

#include "base/amount.h"
#include "base/io.h"
#include "base/mem.h"
#include "front/cli/cmd.h"
#include "front/cli/interrupt.h"
#include "front/cli/messages.h"
#include "front/cli/store/forward.h"
#include "store/local/layout.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define AT(field) offsetof(struct cmd_store_args, field)

/* clang-format off */
static const struct opt options[] = {
	{ "store", OPT_TEXT, AT(store), 0, "", "DIR", 0, true, "folder of the store (default $CPA_STORE, else ~/.local/share/cpa/store)" },
	{ "output", OPT_TEXT, AT(output), 0, "", "FILE", 0, true, "get, export: file or folder to write; -o for short" },
	{ "o", OPT_TEXT, AT(output), 0, "", "FILE", 0, true, "same as --output" },
	{ "service", OPT_TEXT, AT(service), 0, "", "NAME", 0, true, "import: service of the profiles (default: name of the program)" },
	{ "kind", OPT_TEXT, AT(kind), 0, "", "KIND", 0, true, "import: kind of the profiles (default: by their sample types)" },
	{ "label", OPT_LIST, AT(label), 0, NULL, "KEY=VALUE", 0, true, "import: label of the profiles; may be repeated" },
	{ "input_format", OPT_TEXT, AT(input_format), 0, "", "FORMAT", 0, true, "import: format of all files, for content that is ambiguous; see cpa help formats" },
	{ "cap", OPT_TEXT, AT(cap), 0, "", "BYTES", 0, true, "import, gc: max size of the store, from now on (20GiB)" },
	{ "time", OPT_TEXT, AT(time), 0, "", "TIME", 0, true, "mark: when it happened, such as 14:23 or now-2h (default: now)" },
	{ "pods", OPT_TEXT, AT(pods), 0, "1", "N", 0, true, "plan: number of instances" },
	{ "every", OPT_TEXT, AT(every), 0, "10m", "DURATION", 0, true, "plan: interval of the profiles" },
	{ "kinds", OPT_TEXT, AT(kinds), 0, "", "KIND,...", 0, true, "plan: only these kinds" },
	{ "measure", OPT_TEXT, AT(measure), 0, "", "SERVER", 0, true, "plan: take the profiles from this server" },
	{ "labels", OPT_BOOL, AT(labels), 0, "false", NULL, 0, true, "ls: list the labels of each series" },
	{ "profiles", OPT_BOOL, AT(profiles), 0, "false", NULL, 0, true, "ls: list each profile" },
	{ "marks", OPT_BOOL, AT(marks), 0, "false", NULL, 0, true, "ls: list marks" },
	{ "pins", OPT_BOOL, AT(pins), 0, "false", NULL, 0, true, "ls: list pins" },
	{ "releases", OPT_BOOL, AT(releases), 0, "false", NULL, 0, true, "ls: list releases" },
	{ "deep", OPT_BOOL, AT(deep), 0, "false", NULL, 0, true, "verify: decode all profiles and check their totals" },
	{ "dry_run", OPT_BOOL, AT(dry_run), 0, "false", NULL, 0, true, "gc, rm: only print what would be removed" },
	{ "partial", OPT_BOOL, AT(partial), 0, "false", NULL, 0, true, "leave out damaged parts instead of failing" },
	{ "cluster", OPT_TEXT, AT(cluster), 0, "", "NAME", 0, true, "init, gc: the tables are parts of this cluster of ClickHouse" },
	{ "replicated", OPT_BOOL, AT(replicated), 0, "false", NULL, 0, true, "init: the parts have replicas" },
	{ "print", OPT_BOOL, AT(print), 0, "false", NULL, 0, true, "init: only print the statements" },
	{ "retain", OPT_TEXT, AT(retain), 0, "", "DURATION", 0, true, "gc of ClickHouse: remove days that are older, such as 14d" },
	{ "json", OPT_BOOL, AT(json), 0, "false", NULL, 0, true, "ls, stat: write JSON" },
	{ "help", OPT_BOOL, AT(help), 0, "false", NULL, 0, true, "print this help" },
};

/* writes: a collector that holds the store runs the subcommand. */
static const struct {
	const char *name, *arguments;
	size_t min, max; /* number of arguments */
	bool writes;
	bool takes_server; /* --store may be a URL */
	cmd_store_fn *run;
} subcommands[] = {
	{ "ls", "[SELECTOR]", 0, 1, false, true, cmd_store_ls },
	{ "stat", "", 0, 0, false, false, cmd_store_stat },
	{ "get", "ID | SELECTOR -o FILE", 1, 1, false, true, cmd_store_get },
	{ "export", "SELECTOR -o FILE.cpx | DIR", 1, 1, false, true, cmd_store_export },
	{ "import", "FILE...", 1, SIZE_MAX, true, false, cmd_store_import },
	{ "pin", "NAME SELECTOR", 2, 2, true, false, cmd_store_pin },
	{ "unpin", "NAME", 1, 1, true, false, cmd_store_unpin },
	{ "release", "VERSION [SELECTOR]", 1, 2, true, false, cmd_store_release },
	{ "mark", "SERVICE KIND TEXT", 3, 3, true, true, cmd_store_mark },
	{ "rm", "SELECTOR", 1, 1, true, false, cmd_store_rm },
	{ "gc", "", 0, 0, true, true, cmd_store_gc },
	{ "verify", "", 0, 0, false, false, cmd_store_verify },
	{ "repair", "", 0, 0, false, false, cmd_store_repair },
	{ "plan", "[FILE | store:SELECTOR]...", 0, SIZE_MAX, false, false, cmd_store_plan },
	{ "copy", "SELECTOR STORE", 2, 2, false, true, cmd_store_copy },
	{ "init", "[clickhouse://HOST/DATABASE]", 0, 1, false, true, cmd_store_init },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]), N_SUBCOMMANDS = sizeof(subcommands) / sizeof(subcommands[0]) };

const struct opt *cmd_store_option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : cmd_http_option_at(i - N_OPTIONS);
}

const char *cmd_store_subcommand_at(size_t i, const char **arguments)
{
	if (i >= N_SUBCOMMANDS)
		return NULL;
	*arguments = subcommands[i].arguments;
	return subcommands[i].name;
}

/* The first word is the subcommand. */
static int store_add_word(void *arg, const char *word, struct err *err)
{
	struct cmd_store_args *to = arg;

	(void)err;
	if (!to->name)
		to->name = word;
	else
		to->word[to->n_words++] = word;
	return 0;
}

static int read_arguments(int argc, char **argv, struct cmd_store_args *to, const char **word, struct err *err)
{
	const struct opt_table table[] = { { options, N_OPTIONS, to }, cmd_http_options(&to->http) };

	opt_set_defaults(options, N_OPTIONS, to);
	cmd_http_set_defaults(&to->http);
	to->word = word;
	return opt_read_all("store", table, 2, argc, argv, store_add_word, to, err);
}

/* The index of the subcommand. Fails ERR_USAGE. */
static int find_subcommand(const struct cmd_store_args *a, struct err *err)
{
	struct buf names = { 0 };
	int rc;

	for (int i = 0; a->name && i < N_SUBCOMMANDS; i++) {
		if (strcmp(a->name, subcommands[i].name) != 0)
			continue;
		if (a->n_words < subcommands[i].min || a->n_words > subcommands[i].max)
			return err_set(err, ERR_USAGE, "usage: cpa store %s%s%s", a->name,
				       *subcommands[i].arguments ? " " : "", subcommands[i].arguments);
		return i;
	}
	for (int i = 0; i < N_SUBCOMMANDS; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", subcommands[i].name);
	rc = a->name ? err_set(err, ERR_USAGE, "cpa store has no command %s; it has %s", a->name, buf_text(&names))
		     : err_set(err, ERR_USAGE, "cpa store needs a command: %s", buf_text(&names));
	buf_release(&names);
	return rc;
}

int cmd_store_open_writer(struct store_command *c, bool create, struct err *err)
{
	struct store_writer_options o = { .owner = "cpa store", .group = "" };

	if (c->is_forwarded && *c->a->cap)
		return err_set(err, ERR_USAGE,
			       "--cap: a collector runs on this store, and its --cap or cap line counts");
	if (c->writer)
		return 0;
	if (*c->a->cap && amount_parse_bytes("--cap", c->a->cap, &o.cap, err) < 0)
		return err->code;
	return upkeep_open_writer(c->directory, create, &o, &c->writer, NULL, err);
}

void cmd_store_close(struct store_command *c, struct store *s)
{
	if (s)
		buf_addz(&c->missing, store_get_damage(s));
	store_close(s);
}

/* Say on standard error what the output lacks, or what the writer mended, a line each. */
static void store_say_lines(const struct buf *lines)
{
	for (const char *line = buf_text(lines); *line;) {
		size_t n = strcspn(line, "\n");

		say("%.*s", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

int cmd_store_run_in(struct store_writer *w, const char *directory, const char *folder, int argc, char **argv,
		     struct buf *out)
{
	const char **word = mem_alloc((size_t)argc + 1, sizeof(*word));
	struct cmd_store_args a = { 0 };
	struct buf text = { 0 };
	struct store_command c = {
		.a = &a, .directory = directory, .folder = folder, .writer = w, .is_forwarded = true, .out = &text
	};
	struct err err;
	int rc = read_arguments(argc, argv, &a, word, &err), i = rc < 0 ? rc : find_subcommand(&a, &err);

	rc = i < 0 ? i : subcommands[i].run(&c, &err);
	if (rc == 0 && c.missing.len)
		rc = err_set(&err, ERR_FORMAT, "done, but the store is damaged: %.*s",
			     (int)strcspn(c.missing.data, "\n"), c.missing.data);
	buf_release(&c.missing);
	if (rc < 0)
		buf_add(out, err.msg, strlen(err.msg) + 1);
	buf_add(out, text.data, text.len);
	buf_release(&text);
	opt_list_release(&a.label);
	free(word);
	return rc < 0 ? STATUS_TROUBLE : rc;
}

/* Find out whether the subcommand takes the store, and set the options of requests. */
static int store_check_place(struct store_command *c, int i, struct err *err)
{
	bool is_url = strstr(c->directory, "://") != NULL;

	cmd_http_fill_options(&c->a->http, &c->fetch);
	if (is_url && !subcommands[i].takes_server)
		return err_set(err, ERR_USAGE, "cpa store %s needs a store in a directory, not %s", c->a->name,
			       c->directory);
	return i;
}

static int run_here(struct store_command *c, cmd_store_fn *run, struct err *err)
{
	struct buf notes = { 0 };
	struct err late;
	int rc = run(c, err);

	if (c->writer) {
		writer_take_notes(c->writer, &notes);
		store_say_lines(&notes);
		buf_release(&notes);
	}
	if (c->writer && upkeep_close_writer(c->writer, &late) < 0 && rc >= 0) {
		*err = late;
		rc = late.code;
	}
	return rc;
}

static int store_run(const struct cmd_store_args *a, int argc, char **argv)
{
	struct buf directory = { 0 }, out = { 0 };
	struct store_command c = { .a = a, .out = &out };
	struct store_holder holder = { 0 };
	struct err err, io;
	int i = find_subcommand(a, &err), rc = i;

	store_directory(a->store, &directory);
	c.directory = buf_text(&directory);
	i = rc = i < 0 ? i : store_check_place(&c, i, &err);
	if (i >= 0 && subcommands[i].writes && holder_find(c.directory, &holder) && holder.socket.len) {
		rc = cmd_store_forward(buf_text(&holder.socket), argc, argv, &out, &err);
	} else if (i >= 0) {
		c.stop = cmd_interrupt_catch();
		rc = run_here(&c, subcommands[i].run, &err);
		cmd_interrupt_release();
	}
	holder_release(&holder);
	if (out.len && io_write_fd(STDOUT_FILENO, out.data, out.len, &io) < 0 && rc >= 0) {
		rc = io.code;
		err = io;
		err_wrap(&err, "standard output");
	}
	store_say_lines(&c.missing);
	if (rc == 0 && c.missing.len)
		rc = STATUS_TROUBLE;
	buf_release(&c.missing);
	buf_release(&directory);
	buf_release(&out);
	return rc < 0 ? say_error("%s", err.msg) : rc;
}

int cmd_store(int argc, char **argv)
{
	const char **word = mem_alloc((size_t)argc + 1, sizeof(*word));
	struct cmd_store_args a = { 0 };
	struct err err;
	int status;

	if (read_arguments(argc - 1, argv + 1, &a, word, &err) < 0) {
		status = say_error("%s", err.msg);
	} else if (a.help) {
		cmd_help_command("store");
		status = STATUS_FINE;
	} else {
		status = store_run(&a, argc - 1, argv + 1);
	}
	opt_list_release(&a.label);
	free(word);
	return status;
}
