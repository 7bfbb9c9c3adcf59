/*
 * sentences.c - descriptions of rows and results of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/ci/ci_int.h"

#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "viewers/text/gate.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void ci_add_name(const char *name, size_t max, struct buf *out)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, *name ? name : "?", *name ? strlen(name) : 1);
	for (size_t i = 0; i < safe.len; i++)
		if (safe.data[i] == '\t')
			safe.data[i] = ' ';
	utf8_add_short(out, buf_text(&safe), safe.len, max ? max : safe.len + 3);
	buf_release(&safe);
}

static void sentences_add_share(double share, struct buf *out)
{
	buf_addf(out, "%.*f%%", share < 0.00095 ? 2 : 1, 100 * share);
}

/* Append a percentage without trailing zeros: 20%, 2.5%. */
static void sentences_add_percent(const char *sign, double part, struct buf *out)
{
	buf_addf(out, "%s%.6g%%", sign, 100 * part);
}

static void sentences_add_aliases(const struct gate_row *r, struct buf *out)
{
	uint32_t shown = r->n_aliases <= CI_ALIASES ? r->n_aliases : CI_ALIASES - 1;

	for (uint32_t i = 0; i < shown; i++) {
		buf_addz(out, i ? ", " : "; the same samples: ");
		ci_add_name(r->alias[i], CI_NAME_MAX, out);
	}
	if (shown < r->n_aliases)
		buf_addf(out, " and %" PRIu32 " more", r->n_aliases - shown);
}

static void add_size(const struct gate_row *r, struct buf *out)
{
	double base = r->share[SIDE_BASE], now = r->share[SIDE_NEW];

	if (!isnan(r->ratio)) {
		text_gate_add_change(r->ratio, out);
		if (!isnan(r->lo) && !isnan(r->hi)) {
			buf_addz(out, " (90% interval ");
			text_gate_add_interval(r->lo, r->hi, out);
			buf_addz(out, ")");
		}
		if (r->kind == GATE_TOTAL)
			return;
		buf_addz(out, ", from ");
		sentences_add_share(base, out);
		buf_addz(out, " to ");
		sentences_add_share(now, out);
	} else if (base > 0 && now > 0) {
		buf_addz(out, "from ");
		sentences_add_share(base, out);
		buf_addz(out, " to ");
		sentences_add_share(now, out);
	} else {
		buf_addz(out, now > 0 ? "new, " : "gone, ");
		sentences_add_share(now > 0 ? now : base, out);
	}
	buf_addz(out, " of the total");
}

void ci_add_row(const struct gate_row *r, struct buf *out)
{
	add_size(r, out);
	if (!isnan(r->p_adjusted) && r->verdict != GATE_IMPROVED) {
		buf_addz(out, ", p=");
		text_gate_add_p(r->p_adjusted, out);
		buf_addz(out, ", limit ");
		sentences_add_percent("+", r->limit, out);
	}
	if (*r->reason) {
		buf_addz(out, "; ");
		ci_add_name(r->reason, 0, out);
	}
	if (*r->old_name) {
		buf_addz(out, "; was ");
		ci_add_name(r->old_name, CI_NAME_MAX, out);
	}
	sentences_add_aliases(r, out);
}

void ci_add_sides(const struct gate *g, struct buf *out)
{
	for (int side = 0; side < N_SIDES; side++) {
		const struct gate_side *s = &g->side[side];

		buf_addz(out, side == SIDE_BASE ? "base: " : "; new: ");
		text_gate_add_samples(s->samples, out);
		buf_addf(out, s->n_files == 1 ? " in a profile" : " in %" PRIu32 " profiles", s->n_files);
	}
	buf_addf(out, "; relative to %s; confidence ", text_gate_relative_to(g->options->normalize));
	sentences_add_percent("", g->options->confidence, out);
	buf_addz(out, ", threshold ");
	sentences_add_percent("+", g->options->threshold, out);
}

void ci_add_power(const struct gate *g, struct buf *out)
{
	struct buf lines = { 0 };

	text_gate_add_power(g, &lines);
	for (size_t i = 0; i < lines.len; i++)
		if (lines.data[i] != '\n')
			buf_add(out, lines.data + i, 1);
		else if (i + 1 < lines.len)
			buf_addz(out, "; ");
	buf_release(&lines);
}

bool ci_has_enough_samples(const struct gate *g)
{
	return g->n_tests > 0 && !g->is_underpowered;
}

/*
 * Servers show a result at its line only if the path is relative to the repository, but profiles have absolute paths,
 * paths of the build machine, or paths of a module (go build -trimpath). Such a path is searched for by its suffixes,
 * longest first. The file name alone is sufficient only if its directory has the name of the repository, since names
 * such as main.go are common.
 */

enum { PARTS_MAX = 64 }; /* max suffixes of a path that are tried */

/* The rest of a path after a directory; NULL if it is not below the directory. */
static const char *path_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	if (n == 0 || strncmp(path, folder, n) != 0)
		return NULL;
	if (folder[n - 1] == '/')
		return path + n;
	return path[n] == '/' ? path + n + 1 : NULL;
}

static bool ci_path_is_file(const char *folder, const char *path)
{
	struct buf whole = { 0 };
	struct stat st;
	bool is;

	buf_addf(&whole, "%s/%s", folder, path);
	is = *folder && stat(buf_text(&whole), &st) == 0 && S_ISREG(st.st_mode);
	buf_release(&whole);
	return is;
}

/* Returns true if end identifies the file: it is the whole path, or has more than one component, or is preceded by a
   directory of that name. */
static bool is_unique(const char *path, const char *end, const char *folder)
{
	const char *name = path_base(folder);
	size_t n;

	if (end == path || strchr(end, '/'))
		return true;
	n = strlen(name);
	return n && end - path > (ptrdiff_t)n && end[-1] == '/' && memcmp(end - 1 - n, name, n) == 0 &&
	       (end - 1 - n == path || end[-2 - (ptrdiff_t)n] == '/');
}

/* Longest suffix of a path that is a file below a directory; NULL for none. */
static const char *ci_path_find_end(const char *folder, const char *path)
{
	const char *end = path + (*path == '/');

	while (starts_with(end, "../"))
		end += 3;
	for (int i = 0; i < PARTS_MAX; i++) {
		if (is_unique(path, end, folder) && ci_path_is_file(folder, end))
			return end;
		end = strchr(end, '/');
		if (!end)
			break;
		end++;
	}
	return NULL;
}

static bool ci_path_add_place(const char *path, const char *root, const char *here, struct buf *out)
{
	const char *end = *path == '/' ? path_below(path, root) : NULL, *inside = path_below(here, root);

	if (!end && *path == '/')
		end = path_below(path, here);
	if (!end && *path != '/' && inside && ci_path_is_file(here, path) && !ci_path_is_file(root, path)) {
		buf_addf(out, "%s/%s", inside, path);
		return true;
	}
	if (!end)
		end = ci_path_find_end(root, path);
	if (!end && *path != '/' && !starts_with(path, "../"))
		end = path;
	buf_addz(out, end ? end : path);
	return end != NULL;
}

bool ci_add_path(const char *file, struct buf *out)
{
	struct buf path = { 0 }, root = { 0 };
	const char *workspace = getenv("GITHUB_WORKSPACE");
	char *here = getcwd(NULL, 0);
	bool is_there = false;

	path_add_clean(&path, file);
	path_add_clean(&root, workspace && *workspace == '/' ? workspace : here ? here : "");
	if (path.len)
		is_there = ci_path_add_place(path.data, buf_text(&root), here ? here : "", out);
	buf_release(&path);
	buf_release(&root);
	free(here);
	return is_there;
}

int ci_line(int64_t line)
{
	return line < 1 ? 1 : line > INT_MAX ? INT_MAX : (int)line;
}
