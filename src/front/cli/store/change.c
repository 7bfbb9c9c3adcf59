/*
 * change.c - cpa store pin, unpin, mark, rm, gc, verify, repair
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/store/store.h"

#include "base/time.h"
#include "front/cli/cmd.h"
#include "store/local/layout.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Parse a selector of a subcommand that changes the store; marks come from a reader of the same store. */
static int select_in(struct store_command *c, const char *text, struct store **s, struct window **window,
		     struct store_query *query, struct err *err)
{
	int rc = local_open(c->directory, s, err);

	return rc < 0 ? rc : cmd_store_select_whole(text, *s, window, query, err);
}

static int store_change_count_one(void *arg, const struct store_item *item, struct err *err)
{
	(void)item;
	(void)err;
	++*(uint64_t *)arg;
	return 0;
}

int cmd_store_pin(struct store_command *c, struct err *err)
{
	const char *name = c->a->word[0];
	struct window *window = NULL;
	struct store_query query;
	struct store *s = NULL;
	struct buf spec = { 0 };
	uint64_t n = 0;
	int rc = cmd_store_open_writer(c, false, err);

	rc = rc < 0 ? rc : select_in(c, c->a->word[1], &s, &window, &query, err);
	rc = rc < 0 ? rc : store_list(s, &query, c->stop, store_change_count_one, &n, err);
	if (rc == 0 && n == 0)
		rc = err_set(err, ERR_IO, "%s: no profiles; cpa store ls lists the series", c->a->word[1]);
	if (rc == 0) {
		window_print(window, &query, &spec);
		rc = upkeep_pin(c->writer, name, &query, buf_text(&spec), err);
	}
	if (rc == 0)
		buf_addf(c->out, "pinned %" PRIu64 " profile%s as %s; read them with store:SERVICE@pin:%s\n", n,
			 n == 1 ? "" : "s", name, name);
	buf_release(&spec);
	window_free(window);
	cmd_store_close(c, s);
	return rc;
}

int cmd_store_unpin(struct store_command *c, struct err *err)
{
	int rc = cmd_store_open_writer(c, false, err);

	return rc < 0 ? rc : upkeep_unpin(c->writer, c->a->word[0], err);
}

/* The time of a mark. */
static int find_mark_time(const char *text, int64_t *out, struct err *err)
{
	struct window_clock clock;
	int64_t now;
	int rc;

	window_clock_init(NULL, &clock);
	clock.mark = NULL;
	now = clock.now_ns;
	*out = now;
	rc = *text ? window_parse_moment(text, &clock, out, err) : 0;
	if (rc == 0 && *out > now + NS_PER_S)
		rc = err_set(err, ERR_USAGE, "%s is in the future", text);
	return rc < 0 ? err_wrap(err, "--time") : 0;
}

int cmd_store_mark(struct store_command *c, struct err *err)
{
	static const char *const kinds[] = { "deploy", "incident", "note", "watch" };
	struct store_mark mark = { .env = (char *)(uintptr_t) "",
				   .kind = (char *)(uintptr_t)c->a->word[1],
				   .text = (char *)(uintptr_t)c->a->word[2] };
	bool is_known = false;
	int rc;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		is_known |= strcmp(mark.kind, kinds[i]) == 0;
	if (!is_known)
		return err_set(err, ERR_USAGE, "%s: a mark is a deploy, an incident or a note", mark.kind);
	rc = find_mark_time(c->a->time, &mark.time_ns, err);
	if (rc == 0 && strstr(c->directory, "://"))
		return cmd_store_mark_cluster(c, &mark, err);
	rc = rc < 0 ? rc : cmd_store_open_writer(c, false, err);
	rc = rc < 0 ? rc : writer_add_mark(c->writer, c->a->word[0], &mark, err);
	return rc < 0 ? rc : writer_commit(c->writer, err);
}

int cmd_store_rm(struct store_command *c, struct err *err)
{
	struct window *window = NULL;
	struct store_query query;
	struct store *s = NULL;
	uint64_t n = 0;
	int rc = c->a->dry_run ? 0 : cmd_store_open_writer(c, false, err);

	rc = rc < 0 ? rc : select_in(c, c->a->word[0], &s, &window, &query, err);
	if (rc == 0 && !window_has_time(window))
		rc = err_set(err, ERR_USAGE, "%s names no window; to remove everything of it: cpa store rm '%s@all'",
			     c->a->word[0], c->a->word[0]);
	if (rc == 0)
		rc = c->a->dry_run ? store_list(s, &query, c->stop, store_change_count_one, &n, err)
				   : upkeep_remove(c->writer, &query, &n, err);
	if (rc == 0)
		buf_addf(c->out, "%s %" PRIu64 " profile%s\n", c->a->dry_run ? "would remove" : "removed", n,
			 n == 1 ? "" : "s");
	window_free(window);
	cmd_store_close(c, s);
	return rc;
}

int cmd_store_gc(struct store_command *c, struct err *err)
{
	int rc;

	if (strstr(c->directory, "://"))
		return cmd_store_gc_cluster(c, err);
	rc = *c->a->retain ? err_set(err, ERR_USAGE,
				     "--retain is for stores in ClickHouse; collect.cpa has the rules of a directory")
			   : cmd_store_open_writer(c, false, err);
	rc = rc < 0 ? rc : upkeep_run(c->writer, true, c->a->dry_run, c->stop, c->out, err);
	if (rc == 0 && c->out->len == 0)
		buf_addz(c->out, "nothing to remove, nothing to join\n");
	return rc;
}

int cmd_store_verify(struct store_command *c, struct err *err)
{
	struct store *s = NULL;
	int rc = local_open(c->directory, &s, err);

	if (rc < 0)
		return rc;
	rc = upkeep_verify(s, c->a->deep, c->stop, c->out, err);
	store_close(s);
	if (rc == 0)
		buf_addz(c->out, "no damage found\n");
	return rc > 0 ? 1 : rc;
}

int cmd_store_repair(struct store_command *c, struct err *err)
{
	struct store_holder holder;
	bool has_collector = holder_find(c->directory, &holder) && holder.socket.len;
	int rc;

	if (has_collector)
		rc = err_set(
			err, ERR_IO,
			"%s: a collector writes it (process %s: %s), and repair needs the store alone: end it, repair, "
			"and start it again; cpa store verify works meanwhile",
			c->directory, buf_text(&holder.pid), buf_text(&holder.command));
	else
		rc = upkeep_repair(c->directory, c->out, err);
	holder_release(&holder);
	return rc;
}
