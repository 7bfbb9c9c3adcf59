/*
 * judge.c - run the gate for a check of cpa watch, and read its verdict
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The gate is another process: it frees its profiles when it ends, a stop kills it, and its command line is what a user
 * runs to see the whole report.
 */
#include "config.h"

#include "front/cli/watch/watch.h"

#include "base/child.h"
#include "base/jansson.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { OUTPUT_MAX = 256 << 20, SECONDS_MAX = 3600 };

static const char *const words[] = {
	[WATCH_PASS] = "PASS",
	[WATCH_FAIL] = "FAIL",
	[WATCH_INCONCLUSIVE] = "INCONCLUSIVE",
};

const char *cmd_watch_outcome_word(enum cmd_watch_outcome o)
{
	return words[o];
}

void cmd_watch_verdict_release(struct cmd_watch_verdict *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->function[i].name);
	free(v->function);
	*v = (struct cmd_watch_verdict){ 0 };
}

static const char *judge_text(const struct jansson *lib, const json_t *object, const char *key)
{
	const json_t *value = lib->object_get(object, key);

	return json_is_string(value) ? lib->string_value(value) : "";
}

static double judge_number(const struct jansson *lib, const json_t *object, const char *key)
{
	const json_t *value = lib->object_get(object, key);

	return json_is_integer(value) ? (double)lib->integer_value(value)
	       : json_is_real(value)  ? lib->real_value(value)
				      : 0;
}

static void add_function(const struct jansson *lib, const json_t *row, struct cmd_watch_verdict *out)
{
	const char *name = judge_text(lib, row, "name");

	if (strcmp(judge_text(lib, row, "verdict"), "fail") != 0)
		return;
	out->function = mem_grow(out->function, &out->cap, out->n + 1, sizeof(*out->function));
	out->function[out->n++] = (struct cmd_watch_function){ .name = mem_strndup(name, strlen(name)),
							       .change = judge_number(lib, row, "ratio") - 1,
							       .share_before = judge_number(lib, row, "share_before"),
							       .share_after = judge_number(lib, row, "share_after") };
}

static int read_verdict(const struct jansson *lib, const json_t *root, struct cmd_watch_verdict *out, struct err *err)
{
	static const char *const names[] = {
		[WATCH_PASS] = "pass",
		[WATCH_FAIL] = "fail",
		[WATCH_INCONCLUSIVE] = "inconclusive",
	};
	const char *verdict = judge_text(lib, root, "verdict");
	const json_t *rows = lib->object_get(root, "rows");
	size_t o = 0;

	while (o < sizeof(names) / sizeof(names[0]) && strcmp(names[o], verdict) != 0)
		o++;
	if (o == sizeof(names) / sizeof(names[0]))
		return err_set(err, ERR_IO, "%.900s", judge_text(lib, root, "error"));
	out->outcome = (enum cmd_watch_outcome)o;
	for (size_t i = 0; json_is_array(rows) && i < lib->array_size(rows); i++)
		add_function(lib, lib->array_get(rows, i), out);
	return 0;
}

int cmd_watch_judge(char *const *argv, const struct stop *stop, struct cmd_watch_verdict *out, struct err *err)
{
	const struct jansson *lib;
	json_error_t reason;
	struct buf text = { 0 };
	json_t *root = NULL;
	int rc = jansson_load(&lib, err);

	*out = (struct cmd_watch_verdict){ 0 };
	if (rc < 0)
		return rc;
	rc = child_read((const char *const *)argv, OUTPUT_MAX, SECONDS_MAX, stop, &text, err);
	/* an exit status that is not 0 is a failure here, and a verdict for the gate */
	if (text.len && (rc == 0 || rc == ERR_IO))
		root = lib->loadb(text.data, text.len, 0, &reason);
	if (root)
		rc = read_verdict(lib, root, out, err);
	else if (rc == 0)
		rc = err_set(err, ERR_IO, "cpa gate printed no JSON");
	if (root)
		lib->delete (root);
	buf_release(&text);
	return rc;
}
