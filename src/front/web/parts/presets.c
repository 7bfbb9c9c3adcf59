/*
 * presets.c - links that hide the frames of well-known libraries
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each preset is an expression of the option hide, joined to the others by "|", so it is a chip like any other filter and
 * can be saved in a config.
 */
#include "config.h"

#include "front/web/parts/frame.h"

#include "session/url_settings.h"

#include <string.h>

static const struct {
	const char *title, *help, *hide;
} presets[] = {
	{ "Go runtime", "Hide functions of Go's runtime", "^runtime[./]" },
	{ "C library", "Hide frames of the C library and of the loader",
	  "(^|/)(libc|libm|libpthread|ld-linux[^/]*|ld-musl[^/]*)[-.]" },
	{ "allocator", "Hide malloc, free, new and delete, with their internals",
	  "^(__libc_|_int_|je_|tc_)?(m|c|re)alloc|^(__libc_|_int_|cfree|je_|tc_)?free|^operator "
	  "(new|delete)|^runtime\\.(mallocgc|"
	  "newobject|makeslice|growslice)" },
	{ "C++ std::", "Hide functions of the C++ standard library", "^(std|__gnu_cxx|__cxxabiv1)::" },
};

/* Find an expression among those that are joined by "|". */
static const char *presets_find(const char *hide, const char *expression)
{
	const char *at = strstr(hide, expression);
	size_t n = strlen(expression);

	return at && (at == hide || at[-1] == '|') && (at[n] == '|' || at[n] == '\0') ? at : NULL;
}

/* Append the value of hide with the expression, or without it. */
static void add_hide(const char *hide, const char *expression, struct buf *out)
{
	const char *at = presets_find(hide, expression);
	size_t n = strlen(expression);

	if (!at) {
		buf_addf(out, "%s%s%s", hide, *hide ? "|" : "", expression);
		return;
	}
	buf_add(out, hide, (size_t)(at - hide));
	buf_addz(out, at + n + (at[n] == '|'));
	if (at[n] == '\0' && at > hide)
		out->data[--out->len] = '\0'; /* the separator before it */
}

void web_presets_draw(const struct web_page *page, struct buf *out)
{
	const char *hide = settings_query(page->settings)->hide;

	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		struct url_params *link = web_link_start(page);
		struct buf value = { 0 };

		add_hide(hide, presets[i].hide, &value);
		if (value.len)
			url_params_set(link, "h", buf_text(&value));
		else
			url_params_remove(link, "h");
		buf_addf(out, "<li><a%s title=\"%s\" href=\"",
			 presets_find(hide, presets[i].hide) ? " aria-current=\"true\"" : "", presets[i].help);
		web_link_end(link, page->view->path, out);
		buf_addf(out, "\">Hide %s</a></li>\n", presets[i].title);
		buf_release(&value);
	}
}
