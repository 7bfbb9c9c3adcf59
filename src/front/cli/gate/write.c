/*
 * write.c - write the result of gate in all requested formats
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/flame.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "front/cli/gate/gate.h"
#include "front/cli/hints.h"
#include "front/cli/messages.h"
#include "front/cli/report/report.h"
#include "viewers/ci/ci.h"
#include "viewers/json/report_json.h"
#include "viewers/text/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum shape { SHAPE_TEXT, SHAPE_JSON, SHAPE_MARKDOWN, SHAPE_JUNIT, SHAPE_SARIF, SHAPE_GITHUB, N_SHAPES };

static const char *const shape_name[] = {
	[SHAPE_TEXT] = "text",   [SHAPE_JSON] = "json",   [SHAPE_MARKDOWN] = "markdown",
	[SHAPE_JUNIT] = "junit", [SHAPE_SARIF] = "sarif", [SHAPE_GITHUB] = "github",
};

/* Destinations: a file for each format, NULL for none, and the format of standard output (or -o). */
struct outputs {
	const char *file[N_SHAPES];
	enum shape main;
	bool annotations; /* print annotations after the main format; GitHub reads them from the log */
};

static bool is_without_value(const char *value)
{
	return strcmp(value, "true") == 0;
}

/* Fill in all outputs, even on failure. Fails if they contradict each other. */
static int find_outputs(const struct args *a, struct outputs *o, struct err *err)
{
	const char *const mode[N_SHAPES] = {
		[SHAPE_JUNIT] = a->q.junit, [SHAPE_SARIF] = a->q.sarif, [SHAPE_GITHUB] = a->q.github
	};
	const char *other = NULL; /* another format for standard output */

	*o = (struct outputs){ .file = { [SHAPE_TEXT] = a->file[ARGS_TEXT],
					 [SHAPE_JSON] = a->file[ARGS_JSON],
					 [SHAPE_MARKDOWN] = a->file[ARGS_MARKDOWN] } };
	o->main = a->q.shape == FORMAT_JSON ? SHAPE_JSON : a->q.shape == FORMAT_MARKDOWN ? SHAPE_MARKDOWN : SHAPE_TEXT;
	for (enum shape i = SHAPE_JUNIT; i < N_SHAPES; i++) {
		if (!*mode[i] || strcmp(mode[i], "false") == 0)
			continue;
		if (!is_without_value(mode[i])) {
			o->file[i] = mode[i];
		} else if (i == SHAPE_GITHUB) {
			o->annotations = true;
		} else {
			if (o->main != SHAPE_TEXT)
				other = shape_name[o->main];
			o->main = i;
		}
	}
	if (a->q.shape == FORMAT_CSV)
		return err_set(err, ERR_USAGE, "--csv does not apply to gate; use --json");
	if (o->annotations && o->main != SHAPE_TEXT)
		other = "github";
	if (other)
		return err_set(err, ERR_USAGE, "--%s and --%s cannot both go to standard output; name files: --%s=FILE",
			       other, shape_name[o->main], shape_name[o->main]);
	return 0;
}

enum { NAME_FLAME, NAME_MAIN, NAME_SHAPES, N_NAMES = NAME_SHAPES + N_SHAPES };

/* The files to write; NULL for none. */
static void name_outputs(const struct args *a, const struct outputs *o, const char *name[N_NAMES])
{
	name[NAME_FLAME] = a->file[ARGS_FLAME];
	name[NAME_MAIN] = cmd_report_to_stdout(&a->q) ? NULL : a->q.output;
	for (int i = 0; i < N_SHAPES; i++)
		name[NAME_SHAPES + i] = o->file[i];
}

/*
 * Do both names refer to the same file? Only names are compared, because the file may not exist. Devices accept
 * several outputs.
 */
static bool gate_write_is_same_name(const char *x, const char *y)
{
	struct buf a = { 0 }, b = { 0 };
	bool same;

	path_add_clean(&a, x);
	path_add_clean(&b, y);
	same = strcmp(buf_text(&a), buf_text(&b)) == 0 && !starts_with(buf_text(&a), "/dev/");
	buf_release(&a);
	buf_release(&b);
	return same;
}

/* Fail if two outputs are written to the same file. */
static int check_different(const struct args *a, const struct outputs *o, struct err *err)
{
	const char *name[N_NAMES];

	name_outputs(a, o, name);
	for (int i = 0; i < N_NAMES; i++) {
		if (name[i] && !*name[i])
			return err_set(err, ERR_USAGE, "an output file has an empty name");
		for (int k = 0; k < i; k++)
			if (name[i] && name[k] && gate_write_is_same_name(name[i], name[k]))
				return err_set(err, ERR_USAGE, "%s: given for two outputs", name[i]);
	}
	return 0;
}

int cmd_gate_check(const struct args *a, struct err *err)
{
	struct outputs o;

	if (find_outputs(a, &o, err) < 0 || check_different(a, &o, err) < 0)
		return ERR_USAGE;
	if (cmd_gate_wants_flame(a)) {
		struct query q = a->q;

		q.output = a->file[ARGS_FLAME];
		if (answer_flame_check(&q, err) < 0)
			return ERR_USAGE;
	}
	return hint_foreign_option(a, err);
}

int cmd_gate_check_sources(const struct args *a, const char *const *source, size_t n, struct err *err)
{
	const char *name[N_NAMES];
	struct outputs o;
	int rc = find_outputs(a, &o, err);

	if (rc < 0)
		return rc;
	name_outputs(a, &o, name);
	for (int i = 0; i < N_NAMES; i++) {
		if (!name[i])
			continue;
		if (*a->q.config && cmd_gate_is_same_file(name[i], a->q.config))
			return err_set(err, ERR_USAGE, "%s: an output would overwrite the file of --config", name[i]);
		for (size_t k = 0; k < n; k++)
			if (cmd_gate_is_same_file(name[i], source[k]))
				return err_set(err, ERR_USAGE, "%s: an output would overwrite a profile", name[i]);
	}
	return 0;
}

static int gate_write_draw(const struct gate *g, enum shape shape, const struct args *a, bool color, struct buf *out,
			   struct err *err)
{
	switch (shape) {
	case SHAPE_JSON:
		json_draw_gate(g, out);
		return 0;
	case SHAPE_MARKDOWN:
		ci_draw_markdown(g, out);
		return 0;
	case SHAPE_JUNIT:
		return junit_draw(g, out, err);
	case SHAPE_SARIF:
		sarif_draw(g, out);
		return 0;
	case SHAPE_GITHUB:
		github_draw(g, out);
		return 0;
	default:
		text_draw_gate(g, color, a->q.all, out);
		return 0;
	}
}

static int append_file(const char *file, const struct buf *text, struct err *err)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	int rc = fd < 0 ? err_set(err, ERR_IO, "%s", strerror(errno)) : 0;

	if (rc == 0)
		rc = io_write_fd(fd, buf_text(text), text->len, err);
	if (fd >= 0 && close(fd) < 0 && rc == 0)
		rc = err_set(err, ERR_IO, "%s", strerror(errno));
	if (rc < 0)
		err_wrap(err, "%s", file);
	return rc;
}

static int gate_write_file(const char *file, const struct buf *text, struct err *err)
{
	if (strcmp(file, "-") == 0)
		return io_write_fd(STDOUT_FILENO, buf_text(text), text->len, err);
	return cmd_gate_is_summary(file) ? append_file(file, text, err)
					 : io_write_file(file, buf_text(text), text->len, err);
}

static int write_main(const struct gate *g, const struct args *a, const struct outputs *o)
{
	bool color = cmd_report_to_stdout(&a->q) && say_wants_color(STDOUT_FILENO, a->q.color);
	struct buf text = { 0 };
	struct err err;
	int status;

	if (gate_write_draw(g, o->main, a, color, &text, &err) < 0)
		status = say_error("%s", err.msg);
	else {
		if (o->annotations)
			github_draw(g, &text);
		status = cmd_report_write(&text, a);
	}
	buf_release(&text);
	return status;
}

int cmd_gate_write(const struct gate *g, const struct args *a)
{
	struct outputs o;
	struct err err;
	int status;

	if (find_outputs(a, &o, &err) < 0)
		return say_error("%s", err.msg);
	status = write_main(g, a, &o);
	for (enum shape i = 0; i < N_SHAPES; i++) {
		struct buf text = { 0 };

		if (o.file[i] &&
		    (gate_write_draw(g, i, a, false, &text, &err) < 0 || gate_write_file(o.file[i], &text, &err) < 0))
			status = say_error("%s", err.msg);
		buf_release(&text);
	}
	return status;
}

/* Is this file also a source or the file of --config? */
static bool is_taken(const struct args *a, const struct side_sources from[N_SIDES], const char *file)
{
	const struct opt_list *base[] = { &a->q.base, &a->q.diff_base };
	bool yes = *a->q.config && cmd_gate_is_same_file(file, a->q.config);

	for (size_t i = 0; i < a->n_words; i++)
		yes |= cmd_gate_is_same_file(file, a->word[i]);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < base[k]->n; i++)
			yes |= cmd_gate_is_same_file(file, base[k]->item[i]);
	for (int side = 0; side < N_SIDES; side++)
		for (size_t i = 0; i < from[side].n; i++)
			yes |= cmd_gate_is_same_file(file, from[side].source[i]);
	return yes;
}

/* Is it a stream, to which output is only appended? */
static bool is_stream(const char *file)
{
	struct stat st;

	return strcmp(file, "-") == 0 || starts_with(file, "/dev/std") || starts_with(file, "/dev/fd/") ||
	       starts_with(file, "/proc/") || cmd_gate_is_summary(file) ||
	       (stat(file, &st) == 0 && !S_ISREG(st.st_mode));
}

static void remove_picture(const struct args *a)
{
	const char *file = a->file[ARGS_FLAME];
	struct query q = a->q;
	struct stat st;

	q.output = file;
	if (answer_flame_check(&q, NULL) == 0 && lstat(file, &st) == 0 && !S_ISDIR(st.st_mode) && !is_stream(file))
		unlink(file);
}

/* Write an error to an output; if that fails, truncate the file. */
static void write_error(const struct gate *g, const struct args *a, const char *file, enum shape shape,
			bool annotations)
{
	struct buf text = { 0 };

	if (gate_write_draw(g, shape, a, false, &text, NULL) == 0 && annotations)
		github_draw(g, &text);
	if ((!text.len || gate_write_file(file, &text, NULL) < 0) && !is_stream(file) && truncate(file, 0) < 0)
		cmd_gate_discard_file(file);
	buf_release(&text);
}

void cmd_gate_write_error(const struct args *a, const struct side_sources from[N_SIDES], const char *why, bool is_final)
{
	const struct gate g = { .outcome = GATE_ERROR, .status = STATUS_TROUBLE, .error = why };
	const char *name[N_NAMES];
	struct outputs o;
	bool is_clear = find_outputs(a, &o, NULL) == 0, to_stdout = cmd_report_to_stdout(&a->q);

	name_outputs(a, &o, name);
	for (int i = 0; i < N_NAMES; i++) {
		bool is_twice = false;

		for (int k = 0; name[i] && k < N_NAMES; k++)
			is_twice |= k != i && name[k] && gate_write_is_same_name(name[i], name[k]);
		if (!name[i] || !*name[i] || is_taken(a, from, name[i]) || (!is_final && is_stream(name[i])))
			continue;
		if (is_twice || (i == NAME_MAIN && !is_clear))
			cmd_gate_discard_file(name[i]);
		else if (i == NAME_FLAME)
			remove_picture(a);
		else
			write_error(&g, a, name[i], i == NAME_MAIN ? o.main : (enum shape)(i - NAME_SHAPES),
				    i == NAME_MAIN && o.annotations);
	}
	if (is_final && to_stdout && is_clear && (o.main != SHAPE_TEXT || o.annotations))
		write_error(&g, a, "-", o.main == SHAPE_TEXT ? SHAPE_GITHUB : o.main, false);
}
