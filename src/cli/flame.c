/*
 * flame.c - the command flame
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/flame.h"

#include "report/flame.h"
#include "viewers/export/export.h"
#include "viewers/html/flame.h"
#include "viewers/pdf/pdf.h"
#include "viewers/svg/svg.h"

#include <string.h>

enum { MAX_LEVELS = 2000 };

static const char *const formats[] = {
	[FLAME_FORMAT_SVG] = "svg",   [FLAME_FORMAT_PDF] = "pdf",       [FLAME_FORMAT_PNG] = "png",
	[FLAME_FORMAT_HTML] = "html", [FLAME_FORMAT_FOLDED] = "folded", [FLAME_FORMAT_JSON] = "json",
};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

static bool find_word(const char *word, const char *const *words, int n, int *out)
{
	for (int i = 0; i < n; i++) {
		if (strcmp(word, words[i]) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

int flame_format(const struct query *q, enum flame_format *out, struct err *err)
{
	const char *slash = strrchr(q->output, '/'), *name = slash ? slash + 1 : q->output, *dot = strrchr(name, '.');
	int i = FLAME_FORMAT_SVG;

	if (*q->format && !find_word(q->format, formats, N_FORMATS, &i))
		return err_set(err, ERR_USAGE, "--format=%s: choose svg, pdf, png, html, folded or json", q->format);
	if (!*q->format && *q->output && strcmp(q->output, "-") != 0 &&
	    (!dot || !find_word(dot + 1, formats, N_FORMATS, &i)))
		return err_set(err, ERR_USAGE,
			       "%s: the ending says no format; choose .svg, .pdf, .png, .html, .folded or .json, "
			       "or name one with --format",
			       q->output);
	*out = (enum flame_format)i;
	return 0;
}

const char *flame_suffix(enum flame_format format)
{
	return formats[format];
}

static int choose(const char *option, const char *word, const char *const *words, int n, const char *advice, int *out,
		  struct err *err)
{
	if (find_word(word, words, n, out))
		return 0;
	return err_set(err, ERR_USAGE, "--%s=%s: choose %s", option, word, advice);
}

static int style_of(const struct query *q, struct flame_style *out, struct err *err)
{
	static const char *const orders[] = { "name", "weight" }, *const themes[] = { "auto", "light", "dark" },
				 *const colors[] = { "package", "module", "file", "function", "heat" };
	int order = 0, theme = 0, color = 0;

	if (choose("order", q->order, orders, 2, "name or weight", &order, err) < 0 ||
	    choose("theme", q->theme, themes, 3, "auto, light or dark", &theme, err) < 0 ||
	    choose("color-by", q->color_by, colors, 5, "package, module, file, function or heat", &color, err) < 0)
		return ERR_USAGE;
	*out = (struct flame_style){ .order = (enum flame_order)order,
				     .theme = (enum flame_theme)theme,
				     .color_by = (enum flame_color_by)color,
				     .icicle = q->icicle,
				     .diff_self = q->diff_self,
				     .width = (double)q->width,
				     .title = q->title };
	return 0;
}

int flame_check(const struct query *q, struct err *err)
{
	struct flame_style style;
	enum flame_format format;

	if (flame_format(q, &format, err) < 0 || style_of(q, &style, err) < 0)
		return ERR_USAGE;
	return 0;
}

static int draw(const struct report *r, const struct flame_style *style, enum flame_format format, struct buf *out,
		struct err *err)
{
	struct pdf_paper paper = { 0 };

	switch (format) {
	case FLAME_FORMAT_PDF:
		return pdf_draw(r, style, &paper, out, err);
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

int flame_answer(const struct view *v, const struct args *a, const struct query *q, struct buf *out, struct buf *notes,
		 bool *is_empty, struct err *err)
{
	struct flame_ask ask = { .max_levels = MAX_LEVELS };
	struct flame_style style;
	enum flame_format format;
	struct report r;
	int rc;

	(void)notes;
	if (flame_format(q, &format, err) < 0 || style_of(q, &style, err) < 0)
		return ERR_USAGE;
	if (format == FLAME_FORMAT_FOLDED)
		return folded_draw(v, q, out, err);
	if (format == FLAME_FORMAT_JSON)
		return speedscope_draw(v, q, out, err);
	style.min_width = min_width(q, format);
	ask.min_share = style.min_width / style.width;
	ask.side[FLAME_AFTER] = (struct flame_source){ .source = a->word, .n = a->n_words };
	ask.side[FLAME_BEFORE] = (struct flame_source){ .source = q->diff_base.item, .n = q->diff_base.n };
	rc = flame_make(v, q, &ask, &r, err);
	if (rc < 0)
		return rc;
	*is_empty = r.flame->width[0] == 0;
	rc = draw(&r, &style, format, out, err);
	report_release(&r);
	return rc;
}
