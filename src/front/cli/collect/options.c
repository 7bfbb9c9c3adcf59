/*
 * options.c - the command line of cpa collect
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/collect/options.h"

#include "base/amount.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/cli/cmd.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(struct collect_args, field)

/* clang-format off */
static const struct opt options[] = {
	{ "store", OPT_TEXT, AT(arguments.store), 0, "", "DIR", 0, true, "folder of the store (default $CPA_STORE, else ~/.local/share/cpa/store)" },
	{ "cap", OPT_TEXT, AT(arguments.cap), 0, "", "BYTES", 0, true, "max size of the store (default 10GiB, at most a tenth of the file system)" },
	{ "every", OPT_TEXT, AT(arguments.every), 0, "", "TIME", 0, true, "interval between scrapes (default 10m)" },
	{ "cpu", OPT_TEXT, AT(arguments.cpu), 0, "", "TIME", 0, true, "length of CPU profiles (default 30s)" },
	{ "continuous", OPT_BOOL, AT(arguments.continuous), 0, "false", NULL, 0, true, "profile CPU all the time: --cpu=30s --every=30s" },
	{ "kinds", OPT_TEXT, AT(arguments.kinds), 0, "", "KIND,...", 0, true, "profiles to scrape (default cpu,heap,goroutine,mutex,block)" },
	{ "label", OPT_LIST, AT(label), 0, NULL, "K=V,...", 0, true, "labels of all profiles; may be repeated" },
	{ "keep_label", OPT_LIST, AT(keep_label), 0, NULL, "NAME,...", 0, true, "labels that samples keep (default: all, within limits); may be repeated" },
	{ "dapr", OPT_TEXT, AT(arguments.dapr), 0, "", "ADDRESS", 0, true, "also scrape a Dapr sidecar, as service daprd" },
	{ "dendrite", OPT_TEXT, AT(arguments.dendrite), 0, "", "ADDRESS", 0, true, "also scrape Dendrite, as service dendrite" },
	{ "listen", OPT_LIST, AT(listen), 0, NULL, "ADDRESS", 0, true, "also receive pushed profiles there: HOST:PORT, unix:PATH; may be repeated" },
	{ "once", OPT_BOOL, AT(once), 0, "false", NULL, 0, true, "scrape every target once, then exit" },
	{ "check", OPT_BOOL, AT(check), 0, "false", NULL, 0, true, "read the file, find the targets, print the plan; start nothing" },
	{ "status", OPT_BOOL, AT(status), 0, "false", NULL, 0, true, "print the state of the collector that runs on this store" },
	{ "json", OPT_BOOL, AT(json), 0, "false", NULL, 0, true, "with --status: print JSON" },
	{ "grace", OPT_TEXT, AT(grace), 0, "35s", "TIME", 0, true, "at the end, wait so long for captures that are more than half done" },
	{ "help", OPT_BOOL, AT(help), 0, "false", NULL, 0, true, "print this help" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

const struct opt *cmd_collect_option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : NULL;
}

/* Add a file or a target. */
static int collect_options_add_word(void *arg, const char *word, struct err *err)
{
	struct collect_args *to = arg;
	struct opt_list *l = &to->target;

	if (!ends_with(word, ".cpa")) {
		l->item = mem_grow(l->item, &l->cap, l->n + 1, sizeof(*l->item));
		l->item[l->n++] = word;
		return 0;
	}
	if (to->file)
		return err_set(err, ERR_USAGE, "%s: cpa collect takes one configuration file", word);
	to->file = word;
	return 0;
}

static int collect_options_check(struct collect_args *a, struct err *err)
{
	if (a->json && !a->status)
		return err_set(err, ERR_USAGE, "--json needs --status");
	if (a->status && (a->target.n > 0 || a->once || a->check))
		return err_set(err, ERR_USAGE, "--status takes only --store, --json and a configuration file");
	if (a->once && a->check)
		return err_set(err, ERR_USAGE, "--once and --check exclude each other");
	return amount_parse_duration("--grace", a->grace, &a->grace_ns, err);
}

int cmd_collect_options_parse(int argc, char **argv, struct collect_args *out, struct err *err)
{
	const struct opt_table table = { options, N_OPTIONS, out };
	int rc;

	*out = (struct collect_args){ 0 };
	opt_set_defaults(options, N_OPTIONS, out);
	rc = opt_read_all("collect", &table, 1, argc - 1, argv + 1, collect_options_add_word, out, err);
	if (rc < 0)
		return rc;
	out->arguments.label = out->label.item;
	out->arguments.n_labels = out->label.n;
	out->arguments.keep_label = out->keep_label.item;
	out->arguments.n_keep_labels = out->keep_label.n;
	out->arguments.listen = out->listen.item;
	out->arguments.n_listens = out->listen.n;
	out->arguments.target = out->target.item;
	out->arguments.n_targets = out->target.n;
	return out->help ? 0 : collect_options_check(out, err);
}

void cmd_collect_options_release(struct collect_args *a)
{
	opt_list_release(&a->label);
	opt_list_release(&a->keep_label);
	opt_list_release(&a->listen);
	opt_list_release(&a->target);
}
