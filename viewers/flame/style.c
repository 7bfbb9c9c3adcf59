/*
 * style.c - options of pictures, read from text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/flame/flame.h"

#include <strings.h>

static int parse_choice(const char *option, const char *word, const char *const *words, int n, const char *advice,
			int *out, struct err *err)
{
	for (int i = 0; i < n; i++) {
		if (strcasecmp(word, words[i]) == 0) {
			*out = i;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "--%s=%s: choose %s", option, word, advice);
}

int flame_style_read(const char *order, const char *theme, const char *color_by, struct flame_style *style,
		     struct err *err)
{
	static const char *const orders[] = { "name", "weight" }, *const themes[] = { "auto", "light", "dark" },
				 *const colors[] = { "package", "module", "file", "function", "heat" };
	int by = 0, theme_index = 0, color = 0;

	if (parse_choice("order", order, orders, 2, "name or weight", &by, err) < 0 ||
	    parse_choice("theme", theme, themes, 3, "auto, light or dark", &theme_index, err) < 0 ||
	    parse_choice("color-by", color_by, colors, 5, "package, module, file, function or heat", &color, err) < 0)
		return ERR_USAGE;
	style->order = (enum flame_order)by;
	style->theme = (enum flame_theme)theme_index;
	style->color_by = (enum flame_color_by)color;
	return 0;
}
