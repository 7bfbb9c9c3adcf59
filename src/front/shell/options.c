/*
 * options.c - the window of all options and their values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/menu.h"
#include "front/shell/option.h"
#include "front/shell/state.h"

#include "base/mem.h"
#include "engine/query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_COLUMNS = 116 };

struct options_state {
	struct menu menu;
	struct settings *defaults;
	struct settings *shown; /* the settings that the rows show */
};

/* Add the rows of one group below its heading. The line of a row is the name of its option. */
static void shell_options_add_group(struct options_state *state, int group)
{
	struct buf text = { 0 }, help = { 0 };
	size_t at = 0;
	bool is_first = true;
	struct option o;

	while (option_next(&at, &o)) {
		if (o.opt->group != group)
			continue;
		if (is_first)
			menu_add(&state->menu, query_group_title[group], NULL, NULL, false);
		is_first = false;
		text.len = help.len = 0;
		buf_addf(&text, "%s=", o.name);
		option_add_value(&o, state->shown, &text);
		option_add_help(&o, &help);
		menu_add(&state->menu, buf_text(&text), buf_text(&help), o.name,
			 !option_is_same(&o, state->shown, state->defaults));
	}
	buf_release(&text);
	buf_release(&help);
}

static void shell_options_fill(struct shell *s, struct options_state *state)
{
	if (state->shown && settings_equal(state->shown, s->settings))
		return;
	settings_free(state->shown);
	state->shown = settings_copy(s->settings);
	menu_clear(&state->menu);
	for (int group = 0; group < N_GROUPS; group++)
		shell_options_add_group(state, group);
	menu_filter(&state->menu);
}

static void shell_options_draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct options_state *state = o->state;

	shell_options_fill(s, state);
	menu_draw(&state->menu, g, "Options (* = changed)", "type to filter  Enter edit  Left Right change  Esc close",
		  OPTIONS_COLUMNS);
}

/* Find the word after or before the current word in a list such as "name|weight". Return false for other texts. */
static bool shell_options_next_word(const char *words, const char *now, int by, struct buf *out)
{
	const char *word[16];
	size_t len[16], n = 0, at = 0;

	if (!words || !strchr(words, '|'))
		return false;
	for (; n < sizeof(len) / sizeof(len[0]); words += len[n++] + 1) {
		word[n] = words;
		len[n] = strcspn(words, "|");
		if (strlen(now) == len[n] && memcmp(now, words, len[n]) == 0)
			at = n;
		if (!words[len[n]]) {
			n++;
			break;
		}
	}
	assert(n > 0 && at < n);
	at = (at + n + (size_t)by) % n;
	buf_add(out, word[at], len[at]);
	return true;
}

/* Append the values of a choice as a list for next_word. */
static void add_picks(const struct option *o, struct buf *out)
{
	if (strcmp(o->name, "shape") == 0)
		buf_addz(out, "text|");
	for (size_t i = 0; i < query_n_options; i++)
		if (query_options[i].kind == OPT_CHOICE && query_options[i].at == o->opt->at)
			buf_addf(out, "%s|", query_options[i].name);
	out->data[--out->len] = 0;
}

/* Change an option by one step. An option without steps opens the prompt, if may_type. */
static void shell_options_change(struct shell *s, const char *name, int by, bool may_type)
{
	struct buf now = { 0 }, words = { 0 }, value = { 0 }, line = { 0 };
	struct option o;

	if (!option_find(name, &o))
		return;
	option_add_value(&o, s->settings, &now);
	if (o.choice)
		add_picks(&o, &words);
	else
		buf_addz(&words, o.opt->kind == OPT_BOOL ? "false|true" : o.opt->arg ? o.opt->arg : "");
	if (shell_options_next_word(buf_text(&words), buf_text(&now), by, &value)) {
		option_add_line(name, buf_text(&value), &line);
		shell_run_line(s, buf_text(&line), true);
	} else if (may_type) {
		option_add_line(name, buf_text(&now), &line);
		prompt_open(s, buf_text(&line));
	}
	buf_release(&now);
	buf_release(&words);
	buf_release(&value);
	buf_release(&line);
}

static bool shell_options_key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct options_state *state = o->state;
	enum menu_result result = menu_key(&state->menu, e);
	const struct menu_item *item = menu_selected(&state->menu);

	if (result == MENU_CANCELLED)
		overlay_close(s, o);
	else if (result == MENU_CHOSEN)
		shell_options_change(s, item->line, 1, true);
	else if (result == MENU_IGNORED && item && e->kind == EVENT_KEY && e->key == KEY_RIGHT_)
		shell_options_change(s, item->line, 1, false);
	else if (result == MENU_IGNORED && item && e->kind == EVENT_KEY && e->key == KEY_LEFT_)
		shell_options_change(s, item->line, -1, false);
	return true;
}

static void shell_options_release_state(struct overlay *o)
{
	struct options_state *state = o->state;

	menu_release(&state->menu);
	settings_free(state->defaults);
	settings_free(state->shown);
}

static const struct overlay_class options = { .state_size = sizeof(struct options_state),
					      .draw = shell_options_draw,
					      .key = shell_options_key,
					      .release = shell_options_release_state };

void shell_options_open(struct shell *s)
{
	struct options_state *state = overlay_open(s, &options)->state;

	state->defaults = option_defaults();
	shell_options_fill(s, state);
}
