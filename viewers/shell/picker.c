/*
 * picker.c - lists to choose from
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

void picker_open(struct shell *s, const char *title, const struct pick *item, size_t n)
{
	(void)item;
	shell_say(s, true, "%s: %zu", title, n);
}

void picker_types(struct shell *s)
{
	prompt_open(s, "sample_index=");
}

void picker_grains(struct shell *s)
{
	prompt_open(s, "granularity=");
}

void picker_units(struct shell *s)
{
	prompt_open(s, "unit=");
}

void picker_labels(struct shell *s)
{
	prompt_open(s, "tagroot=");
}

void save_open(struct shell *s)
{
	prompt_open(s, "top >");
}

void options_open(struct shell *s)
{
	prompt_open(s, "");
}

void chips_open(struct shell *s)
{
	prompt_open(s, "focus=");
}

int frame_chips(struct shell *s, struct grid *g, struct area a)
{
	(void)s;
	(void)g;
	(void)a;
	return 0;
}
