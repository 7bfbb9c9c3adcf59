/*
 * help.c - the view at hand explained, all keys, and what the words mean
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/page.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMNS = 132 };

struct help_state {
	struct page page;
	char *title;
};

static void draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct help_state *h = o->state;

	(void)s;
	page_draw(&h->page, g, h->title, HELP_COLUMNS);
}

static bool key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct help_state *h = o->state;

	if (!page_key(&h->page, e))
		overlay_close(s, o);
	return true;
}

static void end(struct overlay *o)
{
	struct help_state *h = o->state;

	page_release(&h->page);
	free(h->title);
}

static const struct overlay_class help = {
	.state_size = sizeof(struct help_state), .draw = draw, .key = key, .end = end
};

static struct page *open_page(struct shell *s, const char *title)
{
	struct help_state *h = overlay_open(s, &help)->state;

	h->title = mem_strndup(title, strlen(title));
	return &h->page;
}

/* Does a view tell of the first key of a binding itself? It may have taken it to do the same in its way. */
static bool is_told(const struct pane_class *class, const struct binding *key)
{
	const char *names = key->events;
	const struct binding *own;
	struct event e;

	if (event_parse(&names, &e, NULL) < 0)
		return false;
	own = key_find(class->key, class->n_keys, &e);
	return own && own->does;
}

/* A table of keys, but for those that a view has taken for itself. */
static void add_keys(struct page *page, const struct binding *k, size_t n, const struct pane_class *taken)
{
	for (size_t i = 0; i < n; i++) {
		struct buf does = { 0 };

		if (!k[i].does || (taken && is_told(taken, &k[i])))
			continue;
		buf_addz(&does, k[i].does);
		if (k[i].line)
			buf_addf(&does, " (:%s)", k[i].line);
		page_add(page, PART_KEY, k[i].events, buf_text(&does));
		buf_release(&does);
	}
}

static void add_mouse(struct page *page)
{
	static const char *const does[][2] = {
		{ "click",
		  "select what is there; a tab, a heading, a chip or a key in the line of hints does what it says" },
		{ "double click", "open what is there, as Enter" },
		{ "wheel", "scroll" },
		{ "right click", "back, as Backspace" },
		{ "Shift and drag", "select text, as the terminal does without a mouse; M switches the mouse off" },
	};

	page_add(page, PART_HEAD, NULL, "Mouse");
	for (size_t i = 0; i < sizeof(does) / sizeof(does[0]); i++)
		page_add(page, PART_KEY, does[i][0], does[i][1]);
}

static void add_prompt(struct page *page)
{
	static const char *const does[][2] = {
		{ "top20 -cum", "a view: 20 rows, sorted by cum" },
		{ "peek NAME",
		  "who calls functions that match, and what they call; also list, disasm, tree, traces, tags, flame" },
		{ "focus=NAME", "an option for all views; focus= clears it, o lists all of them" },
		{ "top NAME -OTHER", "for this view alone: only samples with NAME, none with OTHER" },
		{ "cpu", "the name of a sample type measures by it" },
		{ "top >FILE", "write to a file; top | less gives the text to a program" },
		{ "help WORD", "explain a command or an option" },
		{ ":", "alone: clear focus, ignore, hide, tagfocus and tagignore" },
		{ "Tab", "complete; Up Down the lines before; Ctrl-R searches them" },
	};

	page_add(page, PART_HEAD, NULL, "At the prompt (:)");
	page_add(page, PART_TEXT, NULL,
		 "Every key stands for a line at the prompt, which the lowest line shows. The language is that of "
		 "pprof. "
		 "NAME is a regular expression: main matches domain too, ^main$ does not.");
	for (size_t i = 0; i < sizeof(does) / sizeof(does[0]); i++)
		page_add(page, PART_KEY, does[i][0], does[i][1]);
}

static void add_words(struct page *page)
{
	static const char *const words[][2] = {
		{ "sample", "one stack that was seen, with its values: time, bytes, a count. The sample type says "
			    "which value counts (t)" },
		{ "flat", "what a function did itself: values of samples that it was the innermost function of" },
		{ "cum", "the same with all it called: values of samples that it was anywhere on the stack of" },
		{ "flat% cum%", "flat and cum as a share of the total, which is 100 %" },
		{ "sum%", "flat% of this row and all above it" },
		{ "heat", "colour by share of the total: from 5 % warm, from 20 % hot and bold; always with the number "
			  "beside it" },
		{ "base", "what a comparison takes off: cpa -base=OLD NEW or -diff_base=OLD NEW" },
		{ "+ -", "in a comparison, what grew and what shrank; red grew, green shrank, the sign says the same" },
		{ "inline", "a function whose code was put into the one that called it" },
		{ "chips",
		  "the line below the tabs: what is filtered or set; x on one takes it away, c walks on them" },
	};

	page_add(page, PART_HEAD, NULL, "Words, numbers and colours");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		page_add(page, PART_KEY, words[i][0], words[i][1]);
}

void help_open(struct shell *s)
{
	const struct pane *p = shell_pane(s);
	const struct pane_class *class = p->class;
	struct page *page;
	char title[80];

	snprintf(title, sizeof(title), "Help: %s", class->title);
	page = open_page(s, title);
	page_add(page, PART_TEXT, NULL, class->explain);
	page_add(page, PART_TEXT, NULL,
		 "What words, numbers and colours mean stands at the end: G goes there, g comes back.");
	page_add(page, PART_HEAD, NULL, "Keys of this view");
	add_keys(page, class->key, class->n_keys, NULL);
	page_add(page, PART_HEAD, NULL, "Keys everywhere");
	add_keys(page, shell_keys, shell_n_keys, class);
	add_mouse(page);
	add_prompt(page);
	add_words(page);
}

/* ---- help top ---- */

/* What the tables say of a command or an option; false when they have none of that name. */
static bool add_about(struct page *page, const char *word)
{
	struct buf text = { 0 };
	bool found = false;

	for (size_t i = 0; !found && i < n_reports; i++) {
		const struct report_type *t = &reports[i];

		found = strcmp(t->name, word) == 0;
		if (found)
			buf_addf(&text,
				 "%s%s [N] [NAME]... [-NAME]... [-cum] [--OPTION=VALUE]... [>FILE | \"| "
				 "PROGRAM\"]\n\n%s",
				 t->name, reports_takes_pattern(t) ? " REGEX" : "", t->help);
	}
	for (size_t i = 0; !found && i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		found = strcmp(o->name, word) == 0;
		if (found)
			buf_addf(&text, "%s=%s\n\n%s", o->name,
				 o->arg                ? o->arg
				 : o->kind == OPT_BOOL ? "true|false"
						       : "",
				 o->help);
	}
	if (found)
		page_add_lines(page, buf_text(&text));
	buf_release(&text);
	return found;
}

void help_about(struct shell *s, const char *words)
{
	const struct shell_host *host = &s->open.host;
	struct page *page;
	struct buf text = { 0 };
	struct err err;

	if (host->help && host->help(host->arg, words, s->now, &text, &err) < 0) {
		shell_say(s, true, "%s", err.msg);
		buf_release(&text);
		return;
	}
	page = open_page(s, words);
	if (text.len)
		page_add_lines(page, buf_text(&text));
	else if (!add_about(page, words)) {
		overlay_close(s, s->overlay);
		shell_say(s, true, "unknown command: %s", words);
	}
	buf_release(&text);
}
