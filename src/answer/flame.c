/*
 * flame.c - flame graphs: check the options, make the model, draw it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/flame.h"

#include "base/path.h"
#include "engine/query.h"
#include "report/flame.h"
#include "viewers/export/export.h"
#include "viewers/flame/flame.h"
#include "viewers/html/html.h"
#include "viewers/pdf/pdf.h"
#include "viewers/svg/svg.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { MAX_LEVELS = 2000, MIN_WIDTH = 100, MAX_WIDTH = 30000 };

static const char *const formats[] = {
	[FLAME_FORMAT_SVG] = "svg",   [FLAME_FORMAT_PDF] = "pdf",       [FLAME_FORMAT_PNG] = "png",
	[FLAME_FORMAT_HTML] = "html", [FLAME_FORMAT_FOLDED] = "folded", [FLAME_FORMAT_JSON] = "json",
};

enum { N_FLAME_FORMATS = sizeof(formats) / sizeof(formats[0]) };

static bool answer_flame_find_word(const char *word, const char *const *words, int n, int *out)
{
	for (int i = 0; i < n; i++) {
		if (strcasecmp(word, words[i]) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

int answer_flame_format(const struct query *q, enum flame_format *out, struct err *err)
{
	const char *dot = strrchr(path_base(q->output), '.');
	int i = FLAME_FORMAT_SVG;

	if (*q->format && !answer_flame_find_word(q->format, formats, N_FLAME_FORMATS, &i))
		return err_set(err, ERR_USAGE, "--format=%s: choose svg, pdf, png, html, folded or json", q->format);
	if (!*q->format && *q->output && strcmp(q->output, "-") != 0 &&
	    (!dot || !answer_flame_find_word(dot + 1, formats, N_FLAME_FORMATS, &i)))
		return err_set(err, ERR_USAGE,
			       "%s: unknown suffix; choose .svg, .pdf, .png, .html, .folded or .json, or use --format",
			       q->output);
	*out = (enum flame_format)i;
	return 0;
}

const char *answer_flame_suffix(const struct query *q)
{
	enum flame_format format;

	return answer_flame_format(q, &format, NULL) == 0 && format != FLAME_FORMAT_FOLDED ? formats[format] : NULL;
}

/* Read the style of the picture, and the paper size. */
static int answer_flame_style_of(const struct query *q, struct flame_style *out, struct pdf_paper *paper,
				 struct err *err)
{
	struct flame_style style = {
		.icicle = q->icicle, .diff_self = q->diff_self, .width = (double)q->width, .title = q->title
	};

	if (flame_style_read(q->order, q->theme, q->color_by, &style, err) < 0 ||
	    pdf_paper_find(q->paper, paper, err) < 0 || pdf_index_parse(q->index, &paper->index_max, err) < 0)
		return ERR_USAGE;
	if (q->width < MIN_WIDTH || q->width > MAX_WIDTH)
		return err_set(err, ERR_USAGE, "--width=%" PRId64 ": choose a number from %d to %d", q->width,
			       MIN_WIDTH, MAX_WIDTH);
	if (q->min_width != -1 && !(q->min_width >= 0 && q->min_width <= (double)q->width))
		return err_set(err, ERR_USAGE, "--min-width=%g: choose a number from 0 to the width, or -1",
			       q->min_width);
	*out = style;
	return 0;
}

/* Fail if an option does not apply to this format. */
static int answer_flame_check_format(const struct query *q, enum flame_format format, struct err *err)
{
	enum {
		PAGES = 1u << FLAME_FORMAT_PDF,
		DRAWN = PAGES | 1u << FLAME_FORMAT_SVG | 1u << FLAME_FORMAT_PNG | 1u << FLAME_FORMAT_HTML
	};
	const struct {
		bool is_given;
		unsigned formats; /* formats that support the option */
		const char *name;
	} given[] = {
		{ strcmp(q->paper, "fit") != 0, PAGES, "paper" },
		{ strcmp(q->index, "40") != 0, PAGES, "index" },
		{ *q->title, DRAWN, "title" },
		{ q->icicle, DRAWN, "icicle" },
		{ strcmp(q->order, "name") != 0, DRAWN, "order" },
		{ strcmp(q->color_by, "package") != 0, DRAWN, "color-by" },
		{ q->diff_self, DRAWN, "diff-self" },
		{ strcmp(q->theme, "auto") != 0, DRAWN, "theme" },
		{ q->width != 1200, DRAWN, "width" },
		{ q->min_width != -1, DRAWN, "min-width" },
	};

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		if (given[i].is_given && !(given[i].formats >> format & 1))
			return err_set(err, ERR_USAGE, "--%s does not apply to %s", given[i].name, formats[format]);
	return 0;
}

/* Fail if an option does not apply to comparisons, or needs a comparison and there is none. */
static int check_sides(const struct query *q, bool has_base, struct err *err)
{
	if (has_base && strcmp(q->color_by, "package") != 0)
		return err_set(err, ERR_USAGE,
			       "--color-by does not apply to comparisons, whose colours show the change");
	if (!has_base && q->diff_self)
		return err_set(err, ERR_USAGE, "--diff-self needs a comparison; add -base=FILE");
	return 0;
}

int answer_flame_check(const struct query *q, struct err *err)
{
	struct flame_style style;
	struct pdf_paper paper;
	enum flame_format format;

	if (q->mean)
		return err_set(err, ERR_USAGE, "-mean does not apply to flame: averages cannot be added");
	if (answer_flame_format(q, &format, err) < 0 || answer_flame_style_of(q, &style, &paper, err) < 0 ||
	    answer_flame_check_format(q, format, err) < 0)
		return ERR_USAGE;
	return q->base.n || q->diff_base.n ? check_sides(q, true, err) : 0;
}

static int answer_flame_draw(const struct report *r, const struct flame_style *style, const struct pdf_paper *paper,
			     enum flame_format format, struct buf *out, struct err *err)
{
	switch (format) {
	case FLAME_FORMAT_PDF:
		return pdf_draw(r, style, paper, out, err);
	case FLAME_FORMAT_PNG:
		return png_draw(r, style, out, err);
	case FLAME_FORMAT_HTML:
		html_flame_draw(r, style, out);
		return 0;
	default:
		return svg_draw(r, style, out, err);
	}
}

static double min_width(const struct query *q, enum flame_format format)
{
	const double picture = 0.1, page = 0.01;

	return q->min_width >= 0 ? q->min_width : format == FLAME_FORMAT_HTML ? page : picture;
}

int answer_flame(const struct view *v, const struct side_sources from[N_SIDES], const struct query *q, struct buf *out,
		 bool *is_empty, struct err *err)
{
	struct flame_options options = { .max_levels = MAX_LEVELS, .from = from };
	struct flame_style style;
	struct pdf_paper paper;
	enum flame_format format;
	struct report r;
	int rc;

	if (answer_flame_format(q, &format, err) < 0 || answer_flame_style_of(q, &style, &paper, err) < 0)
		return ERR_USAGE;
	if (format == FLAME_FORMAT_FOLDED)
		return export_folded(v, q, out, err);
	if (format == FLAME_FORMAT_JSON)
		return export_speedscope(v, q, out, err);
	style.min_width = min_width(q, format);
	options.min_share =
		style.min_width / (format == FLAME_FORMAT_PDF ? pdf_width(&paper, style.width) : style.width);
	/* HTML and PDF list the functions with their sums. */
	options.wants_sums = format == FLAME_FORMAT_HTML || format == FLAME_FORMAT_PDF;
	options.wants_functions = format == FLAME_FORMAT_HTML;
	rc = report_flame_make(v, q, &options, &r, err);
	if (rc < 0)
		return rc;
	*is_empty = r.flame->width[0] == 0;
	rc = check_sides(q, r.flame->has_base, err);
	if (rc == 0)
		rc = answer_flame_draw(&r, &style, &paper, format, out, err);
	report_release(&r);
	return rc;
}

int answer_flame_part(const struct view *v, const struct side_sources from[N_SIDES], const struct query *query,
		      const struct flame_part *part, struct flame_style *style, struct report *out, struct err *err)
{
	struct query q = *query;
	struct flame_options options = { .min_share = part->min_share,
					 .max_levels = part->max_levels ? part->max_levels : MAX_LEVELS,
					 .path = part->path,
					 .n_path = part->n_path,
					 .wants_sums = !part->part,
					 .wants_functions = part->wants_functions,
					 .only = part->only,
					 .part = part->part,
					 .pivot = part->pivot,
					 .keep = part->keep,
					 .from = from };
	struct pdf_paper paper;
	int rc = answer_flame_style_of(&q, style, &paper, err);

	if (rc < 0)
		return rc;
	q.trim = true;
	q.nodefraction = 0;
	q.nodecount = part->max_boxes;
	rc = report_flame_make(v, &q, &options, out, err);
	if (rc < 0)
		return rc;
	rc = check_sides(&q, out->flame->has_base, err);
	if (rc < 0)
		report_release(out);
	return rc;
}
