/*
 * write.c - the answer of a gate, in all the formats that were asked for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/flame.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/gate/gate.h"
#include "cli/messages.h"
#include "cli/report/report.h"
#include "viewers/ci/ci.h"
#include "viewers/json/gate_json.h"
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

/* What is written where: a file for each format, NULL for none, and what standard output (or -o) gets. */
struct outputs {
	const char *file[N_SHAPES];
	enum shape main;
	bool annotations; /* behind the text, for GitHub to find them in the log */
};

static bool is_bare(const char *value)
{
	return strcmp(value, "true") == 0;
}

static int find_outputs(const struct args *a, struct outputs *o, struct err *err)
{
	const char *const mode[N_SHAPES] = {
		[SHAPE_JUNIT] = a->q.junit, [SHAPE_SARIF] = a->q.sarif, [SHAPE_GITHUB] = a->q.github
	};
	const char *other = NULL; /* what is to go to standard output besides */

	*o = (struct outputs){ .file = { [SHAPE_TEXT] = a->file[ARGS_TEXT],
					 [SHAPE_JSON] = a->file[ARGS_JSON],
					 [SHAPE_MARKDOWN] = a->file[ARGS_MARKDOWN] } };
	if (a->q.shape == FORMAT_CSV)
		return err_set(err, ERR_USAGE, "--csv has no meaning for gate; --json is for programs");
	o->main = a->q.shape == FORMAT_JSON ? SHAPE_JSON : a->q.shape == FORMAT_MARKDOWN ? SHAPE_MARKDOWN : SHAPE_TEXT;
	for (enum shape i = SHAPE_JUNIT; i < N_SHAPES; i++) {
		if (!*mode[i] || strcmp(mode[i], "false") == 0)
			continue;
		if (!is_bare(mode[i])) {
			o->file[i] = mode[i];
		} else if (i == SHAPE_GITHUB) {
			o->annotations = true;
		} else {
			if (o->main != SHAPE_TEXT)
				other = shape_name[o->main];
			o->main = i;
		}
	}
	if (o->annotations && o->main != SHAPE_TEXT)
		other = "github";
	if (other)
		return err_set(err, ERR_USAGE, "--%s and --%s cannot both go to standard output; name files: --%s=FILE",
			       other, shape_name[o->main], shape_name[o->main]);
	return 0;
}

enum { N_NAMES = N_SHAPES + 2 };

/* The files that are to be written; NULL for none. */
static void name_outputs(const struct args *a, const struct outputs *o, const char *name[N_NAMES])
{
	name[0] = a->file[ARGS_FLAME];
	name[1] = cmd_report_to_stdout(&a->q) ? NULL : a->q.output;
	for (int i = 0; i < N_SHAPES; i++)
		name[i + 2] = o->file[i];
}

/* Is it the same file, as far as names tell of one that need not be there? Devices take several answers. */
static bool is_same_name(const char *x, const char *y)
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

/* Two answers in one file would leave one of them. */
static int check_different(const struct args *a, const struct outputs *o, struct err *err)
{
	const char *name[N_NAMES];

	name_outputs(a, o, name);
	for (int i = 0; i < N_NAMES; i++) {
		if (name[i] && !*name[i])
			return err_set(err, ERR_USAGE, "an output has an empty name");
		for (int k = 0; k < i; k++)
			if (name[i] && name[k] && is_same_name(name[i], name[k]))
				return err_set(err, ERR_USAGE, "%s: two outputs are to be written to it", name[i]);
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
	if (a->q.mean)
		return err_set(err, ERR_USAGE, "-mean has no meaning for gate, which counts samples");
	if (a->q.granularity != GRAIN_FUNCTIONS)
		return err_set(err, ERR_USAGE, "gate compares functions; another granularity has no meaning for it");
	return 0;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
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
		if (*a->q.config && is_same_file(name[i], a->q.config))
			return err_set(err, ERR_USAGE, "%s: an output would take the place of the file of --config",
				       name[i]);
		for (size_t k = 0; k < n; k++)
			if (is_same_file(name[i], source[k]))
				return err_set(err, ERR_USAGE, "%s: an output would take the place of a profile",
					       name[i]);
	}
	return 0;
}

static int draw(const struct gate *g, enum shape shape, const struct args *a, bool color, struct buf *out,
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

/* The summary of a step of GitHub Actions is a file that steps append to. */
static bool is_summary(const char *file)
{
	const char *summary = getenv("GITHUB_STEP_SUMMARY");

	return summary && strcmp(summary, file) == 0;
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

static int write_file(const char *file, const struct buf *text, struct err *err)
{
	if (strcmp(file, "-") == 0)
		return io_write_fd(STDOUT_FILENO, buf_text(text), text->len, err);
	return is_summary(file) ? append_file(file, text, err) : io_write_file(file, buf_text(text), text->len, err);
}

static int write_main(const struct gate *g, const struct args *a, const struct outputs *o)
{
	bool color = cmd_report_to_stdout(&a->q) && say_color(STDOUT_FILENO, a->q.color);
	struct buf text = { 0 };
	struct err err;
	int status;

	if (draw(g, o->main, a, color, &text, &err) < 0)
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

		if (o.file[i] && (draw(g, i, a, false, &text, &err) < 0 || write_file(o.file[i], &text, &err) < 0))
			status = say_error("%s", err.msg);
		buf_release(&text);
	}
	return status;
}
