/*
 * save.c - the window that saves a view to a file, with the formats it offers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reports.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "engine/query.h"
#include "front/shell/complete.h"
#include "front/shell/option.h"
#include "front/shell/state.h"
#include "front/shell/widgets/editor.h"
#include "sources/sources.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct save_format {
	const char *title;               /* "JSON" */
	const char *ending;              /* ".json" */
	const char *option;              /* option of the view's line, for example "--json"; NULL or "": none */
	const struct report_type *other; /* the report that writes the format; NULL: the view's own */
};

enum { SAVE_FORMATS_MAX = 16 };

static bool has_format(const struct report_type *t, enum format format)
{
	return format == FORMAT_TEXT ? t->view != VIEW_FLAME : reports_has_format(t, format);
}

/* Can another report write the content of a view? Reports of source or instructions can only write views of source
   or instructions. */
static bool can_be_saved_by(const struct report_type *t, const struct report_type *other)
{
	return !reports_takes_pattern(other) || (t->needs & other->needs);
}

/* Find the formats in which a pane can be saved. Return their number. */
static int find_formats(const struct pane *p, struct save_format out[SAVE_FORMATS_MAX])
{
	const struct report_type *other;
	int n = 0;

	for (int i = 0; i < N_FORMATS; i++)
		if (has_format(p->type, (enum format)i))
			out[n++] = (struct save_format){ .title = report_formats[i].title,
							 .ending = report_formats[i].ending,
							 .option = report_formats[i].option };
	for (int rank = 1; (other = reports_saved(rank)); rank++) {
		if (!can_be_saved_by(p->type, other))
			continue;
		for (int i = 0; i < REPORT_FILES_MAX && other->file[i].ending; i++) {
			assert(n < SAVE_FORMATS_MAX);
			out[n++] = (struct save_format){ .title = other->file[i].title,
							 .ending = other->file[i].ending,
							 .other = other };
		}
	}
	return n;
}

/* Append the name of a profile's file without its usual extensions. */
static void add_stem(const char *source, struct buf *out)
{
	struct buf base = { 0 };
	size_t n;

	path_add_base(&base, source);
	n = sources_stem(buf_text(&base), base.len);
	for (size_t i = 0; i < n && i < 60; i++) {
		char c = base.data[i];
		bool fine = (unsigned char)c > ' ' && c != 0x7f && !strchr("'\"|>*?[]\\", c);

		buf_add(out, fine ? &c : "_", 1);
	}
	buf_release(&base);
}

/* Append the letters and digits of an expression, joined by single underscores. */
static void shell_save_add_words(const char *pattern, struct buf *out)
{
	size_t end = out->len + 40;
	bool gap = true;

	for (; *pattern && out->len < end; pattern++) {
		char low = (char)(*pattern | 0x20);
		bool fine = (low >= 'a' && low <= 'z') || (*pattern >= '0' && *pattern <= '9');

		if (fine)
			buf_add(out, pattern, 1);
		else if (!gap)
			buf_addz(out, "_");
		gap = !fine;
	}
	if (out->len && out->data[out->len - 1] == '_')
		out->data[--out->len] = 0;
}

/* Append a file name: profile, report, expression if any, and extension. */
static void shell_save_add_name(const struct shell *s, const struct pane *p, const struct save_format *f,
				struct buf *out)
{
	const struct report_type *t = f->other ? f->other : p->type;
	bool about = reports_takes_pattern(p->type) && p->settings && reports_takes_pattern(t);

	add_stem(s->options.sources[SIDE_NEW].n ? s->options.sources[SIDE_NEW].source[0] : "profile", out);
	if (strcmp(f->ending, ".pb.gz") != 0) /* the name of a copy of the profile contains no report name */
		buf_addf(out, "-%s", t->name);
	if (about) {
		buf_addz(out, "-");
		shell_save_add_words(settings_query(p->settings)->pattern, out);
	}
	buf_addz(out, f->ending);
}

/* Append the filters of the pane's own line as options for another line. */
static void shell_save_add_filters(const struct shell *s, const struct pane *p, struct buf *out)
{
	struct option o;
	size_t at = 0;

	while (p->settings && option_next(&at, &o)) {
		struct buf value = { 0 };

		if (o.opt->group == GROUP_FILTER && !option_is_same(&o, p->settings, s->settings)) {
			option_add_value(&o, p->settings, &value);
			buf_addf(out, " --%s=", o.name);
			option_add_word(buf_text(&value), out);
		}
		buf_release(&value);
	}
}

/* Append the line at the prompt that writes the file. */
static void shell_save_add_line(const struct shell *s, const struct pane *p, const struct save_format *f,
				const char *file, struct buf *out)
{
	const struct report_type *other = f->other;

	if (!other || (other == p->type && other->view != VIEW_TEXT)) {
		buf_addz(out, p->line);
		if (p->type->shell_rows && p->settings && settings_query(p->settings)->nodecount == -1)
			buf_addz(out, " --nodecount=0"); /* write all rows, as the view shows them */
	} else {
		buf_addz(out, other->name);
		if (reports_takes_pattern(other) && p->settings) {
			buf_addz(out, " ");
			option_add_word(settings_query(p->settings)->pattern, out);
		}
		shell_save_add_filters(s, p, out);
	}
	if (f->option && *f->option)
		buf_addf(out, " %s", f->option);
	if (other && other->file[1].ending && !ends_with(file, f->ending))
		buf_addf(out, " --format=%s", f->ending + 1);
	buf_addz(out, " >");
	option_add_word(file, out);
}

enum { CTRL_C = 3, CTRL_N = 14, CTRL_P = 16, SAVE_COLUMNS = 72, ROWS_AROUND = 4 };

struct save_state {
	struct save_format format[SAVE_FORMATS_MAX];
	struct list list; /* the formats */
	struct editor name;
	struct complete complete;
	struct buf message; /* reason why the file was not written */
	bool is_error, may_overwrite;
	struct area box, rows, line;
	int name_x;
};

static const struct save_format *format_of(const struct save_state *state)
{
	return &state->format[state->list.selected];
}

static void shell_save_set_name(struct shell *s, struct save_state *state)
{
	struct buf name = { 0 };

	shell_save_add_name(s, shell_pane(s), format_of(state), &name);
	editor_set(&state->name, buf_text(&name));
	buf_release(&name);
}

/* Is the file name still the suggested one? */
static bool is_suggested(struct shell *s, const struct save_state *state)
{
	struct buf name = { 0 };
	bool same;

	shell_save_add_name(s, shell_pane(s), format_of(state), &name);
	same = strcmp(buf_text(&name), buf_text(&state->name.text)) == 0;
	buf_release(&name);
	return same;
}

/* Choose another format and change the file name or its extension. */
static void shell_save_choose(struct shell *s, struct save_state *state, uint32_t to)
{
	const char *old = format_of(state)->ending, *name = buf_text(&state->name.text);
	size_t n = state->name.text.len, k = strlen(old);
	bool is_default = is_suggested(s, state);

	shell_list_select(&state->list, to);
	if (is_default) {
		shell_save_set_name(s, state);
	} else if (n >= k && strcmp(name + n - k, old) == 0) {
		state->name.cursor = n;
		editor_replace(&state->name, n - k, format_of(state)->ending, strlen(format_of(state)->ending));
	}
	state->may_overwrite = false;
	state->message.len = 0;
}

static void draw_formats(struct save_state *state, struct grid *g)
{
	struct area a = state->rows;

	shell_list_fit(&state->list, state->list.n, a.height);
	for (int y = 0; y < a.height && state->list.top + (uint32_t)y < state->list.n; y++) {
		uint32_t row = state->list.top + (uint32_t)y;
		bool here = row == state->list.selected;
		struct style style = theme_style(here ? ROLE_SELECTED : ROLE_PLAIN);
		int x;

		grid_fill(g, (struct area){ a.x, a.y + y, a.width, 1 }, ' ', style);
		grid_text(g, a, 1, y, here ? ">" : " ", style);
		x = grid_text(g, a, 3, y, state->format[row].title, style);
		grid_text(g, a, x + 2, y, state->format[row].ending, here ? style : theme_style(ROLE_MUTED));
	}
	shell_list_draw_bar(&state->list, g, a, theme_style(ROLE_PLAIN));
}

static void shell_save_draw_foot(struct shell *s, struct save_state *state, struct grid *g, struct area a)
{
	struct buf line = { 0 };

	if (state->message.len) {
		grid_text(g, a, 1, 0, buf_text(&state->message), theme_style(state->is_error ? ROLE_ERROR : ROLE_KEY));
		return;
	}
	shell_save_add_line(s, shell_pane(s), format_of(state), buf_text(&state->name.text), &line);
	grid_text_short(g, a, 1, 0, buf_text(&line), a.width - 2, theme_style(ROLE_COMMAND));
	buf_release(&line);
}

static void shell_save_draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct save_state *state = o->state;
	struct area in;

	state->box = grid_box(g, SAVE_COLUMNS, (int)state->list.n + ROWS_AROUND + 2, theme_style(ROLE_WINDOW));
	in = grid_frame(g, state->box, "Save this view", theme_style(ROLE_WINDOW));
	if (in.height < 1)
		in = state->box;
	state->line = (struct area){ in.x, in.y, in.width, 1 };
	state->rows = (struct area){ in.x, in.y + 1, in.width, in.height - 3 > 0 ? in.height - 3 : 0 };
	draw_formats(state, g);
	if (in.height > 1)
		shell_save_draw_foot(s, state, g,
				     (struct area){ in.x, in.y + in.height - 2 + (in.height == 2), in.width, 1 });
	if (in.height > 2)
		grid_text(g, in, 1, in.height - 1, "Up Down format  Tab complete  Enter write  Esc cancel",
			  theme_style(ROLE_MUTED));
	state->name_x = in.width > 30 ? grid_text(g, state->line, 1, 0, "file: ", theme_style(ROLE_KEY)) : 1;
	editor_draw(&state->name, g, state->line, state->name_x, 0, theme_style(ROLE_PLAIN));
	shell_complete_draw(&state->complete, g, in.x + state->name_x, g->height);
}

/* Write the file. An existing file is only overwritten after a second Enter. */
static void shell_save_write_file(struct shell *s, struct overlay *o)
{
	struct save_state *state = o->state;
	const char *name = buf_text(&state->name.text);
	struct buf line = { 0 };

	state->message.len = 0;
	state->is_error = false;
	if (!*name) {
		buf_addz(&state->message, "enter a file name");
		return;
	}
	if (!state->may_overwrite && access(name, F_OK) == 0) {
		buf_addf(&state->message, "%s exists; press Enter again to overwrite it", name);
		state->may_overwrite = true;
		return;
	}
	shell_save_add_line(s, shell_pane(s), format_of(state), name, &line);
	shell_run_line(s, buf_text(&line), true);
	buf_release(&line);
	state->is_error = s->message_is_error && s->message.len;
	if (state->is_error) {
		buf_addz(&state->message, buf_text(&s->message));
		s->message.len = 0;
		return;
	}
	overlay_close(s, o); /* a worker writes the file, and the shell shows the result */
}

static void shell_save_type(struct shell *s, struct overlay *o, const struct event *e)
{
	struct save_state *state = o->state;
	uint32_t at = state->list.selected, n = state->list.n;

	switch (e->key) {
	case KEY_ESC:
	case CTRL_C:
		overlay_close(s, o);
		break;
	case KEY_ENTER_:
		shell_save_write_file(s, o);
		break;
	case KEY_UP_:
	case CTRL_P:
		shell_save_choose(s, state, (at + n - 1) % n);
		break;
	case KEY_DOWN_:
	case CTRL_N:
		shell_save_choose(s, state, (at + 1) % n);
		break;
	case KEY_TAB:
		shell_complete_tab(&state->complete, s, &state->name, "top > ");
		break;
	default:
		if (editor_key(&state->name, e) == EDITOR_CHANGED) {
			state->may_overwrite = false;
			state->message.len = 0;
		}
		break;
	}
}

static bool shell_save_key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct save_state *state = o->state;
	uint32_t row;

	if (shell_complete_key(&state->complete, &state->name, e))
		return true;
	if (e->kind == EVENT_KEY) {
		shell_save_type(s, o, e);
	} else if (e->kind == EVENT_RIGHT ||
		   ((e->kind == EVENT_CLICK || e->kind == EVENT_DOUBLE) && !grid_has(state->box, e->x, e->y))) {
		overlay_close(s, o);
	} else if (e->kind == EVENT_CLICK && grid_has(state->line, e->x, e->y)) {
		editor_click(&state->name, e->x - state->line.x - state->name_x);
	} else if (e->kind == EVENT_CLICK && grid_has(state->rows, e->x, e->y) &&
		   shell_list_row_at(&state->list, e->y - state->rows.y, &row)) {
		shell_save_choose(s, state, row);
	} else if (e->kind == EVENT_WHEEL && state->list.n) {
		shell_save_choose(s, state,
				  e->lines < 0 ? (state->list.selected ? state->list.selected - 1 : 0)
					       : state->list.selected + 1);
	}
	return true;
}

static void shell_save_release_state(struct overlay *o)
{
	struct save_state *state = o->state;

	editor_release(&state->name);
	shell_complete_release(&state->complete);
	buf_release(&state->message);
}

static const struct overlay_class save = { .state_size = sizeof(struct save_state),
					   .draw = shell_save_draw,
					   .key = shell_save_key,
					   .release = shell_save_release_state };

void shell_save_open(struct shell *s)
{
	struct save_state *state = overlay_open(s, &save)->state;

	state->list.n = (uint32_t)find_formats(shell_pane(s), state->format);
	shell_save_set_name(s, state);
}
