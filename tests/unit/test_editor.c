/*
 * test_editor.c - editing a line of text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/editor.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Play keys (names as in event.h) on a line that begins with a text; a | in the expected text is the cursor. */
static void expect(const char *text, const char *keys, const char *expected)
{
	struct editor e = { 0 };
	struct buf got = { 0 };
	struct event event;

	editor_set(&e, text);
	while (event_parse(&keys, &event, NULL) == 0 && event.kind != EVENT_NONE)
		editor_key(&e, &event);
	buf_add(&got, buf_text(&e.text), e.cursor);
	buf_addz(&got, "|");
	buf_addz(&got, buf_text(&e.text) + e.cursor);
	assert_string_equal(buf_text(&got), expected);
	buf_release(&got);
	editor_release(&e);
}

static void typed_text_is_inserted_before_the_cursor(void **state)
{
	(void)state;
	expect("", "\"top10 -cum\"", "top10 -cum|");
	expect("tp", "Left o", "to|p");
	expect("", "ä 日 x", "ä日x|");
	expect("abc", "Home \"x y\"", "x y|abc");
}

static void the_cursor_moves_by_characters_and_words(void **state)
{
	(void)state;
	expect("añb", "Left Left", "a|ñb");
	expect("日本", "Left", "日|本");
	expect("日本", "Ctrl-A Ctrl-F", "日|本");
	expect("ab", "Ctrl-B Ctrl-B Ctrl-B", "|ab");
	expect("ab", "Home Right Right Right", "ab|");
	expect("peek main.work x", "Alt-b Alt-b", "peek main.|work x");
	expect("peek main.work x", "Ctrl-A Alt-f Alt-f", "peek main|.work x");
	expect("ab", "Home End", "ab|");
	expect("ab", "Ctrl-A Ctrl-E", "ab|");
}

static void combining_marks_move_with_their_character(void **state)
{
	(void)state;
	expect("ae\xcc\x81z", "Left Left", "a|e\xcc\x81z");
	expect("ae\xcc\x81z", "Left Backspace", "a|z");
	expect("ae\xcc\x81z", "Home Right Delete", "a|z");
	expect("ae\xcc\x81z", "Home Right Right", "ae\xcc\x81|z");
}

static void keys_erase_characters_words_and_parts_of_the_line(void **state)
{
	(void)state;
	expect("abc", "Backspace", "ab|");
	expect("", "Backspace Delete Ctrl-W Ctrl-K Ctrl-U Alt-d", "|");
	expect("a日", "Backspace", "a|");
	expect("abc", "Home Delete", "|bc");
	expect("abc", "Home Ctrl-D", "|bc");
	expect("peek main.work", "Ctrl-W", "peek |");
	expect("peek main.work", "Alt-Backspace", "peek main.|");
	expect("peek main.work", "Home Alt-d", "| main.work");
	expect("peek main", "Alt-b Ctrl-K", "peek |");
	expect("peek main", "Alt-b Ctrl-U", "|main");
}

static void cut_text_can_be_pasted(void **state)
{
	(void)state;
	expect("peek main", "Ctrl-W Home Ctrl-Y", "main|peek ");
	expect("peek main", "Ctrl-U Ctrl-Y Ctrl-Y", "peek mainpeek main|");
	expect("abc", "Backspace Ctrl-Y", "ab|"); /* there is no cut text to paste */
}

static void two_characters_are_swapped(void **state)
{
	(void)state;
	expect("ab", "Ctrl-T", "ba|");
	expect("a日c", "Left Ctrl-T", "ac日|");
	expect("a", "Ctrl-T", "a|");
	expect("ab", "Home Ctrl-T", "|ab");
}

static void control_characters_and_invalid_utf8_are_dropped(void **state)
{
	struct editor e = { 0 };
	struct event tab = { .kind = EVENT_KEY, .key = KEY_TAB }, wheel = { .kind = EVENT_WHEEL };

	(void)state;
	expect("a\x1b[31mb\xff\x80"
	       "7\n8\t9",
	       "", "a[31mb78 9|");
	expect("", "U+200E U+202E x", "x|"); /* bidirectional control characters */
	assert_int_equal(editor_key(&e, &tab), EDITOR_IGNORED);
	assert_int_equal(editor_key(&e, &wheel), EDITOR_IGNORED);
	editor_release(&e);
}

static void a_text_beyond_the_limit_is_dropped(void **state)
{
	struct editor e = { 0 };
	struct buf much = { 0 };
	struct event x = { .kind = EVENT_KEY, .key = 'x' };

	(void)state;
	buf_fill(&much, 'a', EDITOR_MAX + 100);
	editor_set(&e, buf_text(&much));
	assert_int_equal(e.text.len, EDITOR_MAX);
	editor_key(&e, &x);
	assert_int_equal(e.text.len, EDITOR_MAX);
	buf_release(&much);
	editor_release(&e);
}

static void a_word_is_replaced_by_its_completion(void **state)
{
	struct editor e = { 0 };

	(void)state;
	editor_set(&e, "peek ma foo");
	e.cursor = 7;
	editor_replace(&e, 5, "main.work", 9);
	assert_string_equal(buf_text(&e.text), "peek main.work foo");
	assert_int_equal(e.cursor, 14);
	editor_release(&e);
}

/* Draw in this many columns. */
static void expect_drawn(struct editor *e, int columns, const char *row, int cursor)
{
	struct grid g = { 0 };
	struct buf out = { 0 };

	grid_resize(&g, columns, 1);
	editor_draw(e, &g, grid_area(&g), 2, 0, (struct style){ COLOR_DEFAULT, COLOR_DEFAULT, 0 });
	grid_add_text(&g, false, &out);
	assert_string_equal(buf_text(&out), row);
	assert_int_equal(g.cursor_x, cursor);
	buf_release(&out);
	grid_release(&g);
}

static void a_long_line_scrolls_with_the_cursor(void **state)
{
	struct editor e = { 0 };
	struct event key = { .kind = EVENT_KEY, .key = KEY_HOME_ };

	(void)state;
	editor_set(&e, "abcdefghij");
	expect_drawn(&e, 14, "  abcdefghij\n", 12);
	expect_drawn(&e, 8, " <fghij\n", 7);
	editor_key(&e, &key);
	expect_drawn(&e, 8, "  abcdef\n", 2);
	key.key = KEY_END_;
	editor_key(&e, &key);
	expect_drawn(&e, 8, " <fghij\n", 7);
	expect_drawn(&e, 14, "  abcdefghij\n", 12); /* scroll back as far as there is room */
	editor_set(&e, "日本語日本");
	expect_drawn(&e, 8, " <日本\n", 6);
	editor_release(&e);
}

static void a_click_places_the_cursor(void **state)
{
	struct editor e = { 0 };

	(void)state;
	editor_set(&e, "a日b");
	editor_click(&e, 0);
	assert_int_equal(e.cursor, 0);
	editor_click(&e, 2); /* the right half of the wide character */
	assert_int_equal(e.cursor, 1);
	editor_click(&e, 3);
	assert_int_equal(e.cursor, 4);
	editor_click(&e, 50);
	assert_int_equal(e.cursor, 5);
	editor_release(&e);
}

/* Guards the commit "viewers/shell: keep the cursor in a text that shrank before a click". */
static void a_click_after_the_text_shrank_stays_within_the_text(void **state)
{
	struct editor e = { 0 };
	struct grid g = { 0 };
	struct style style = { COLOR_DEFAULT, COLOR_DEFAULT, 0 };
	struct event erase = { .kind = EVENT_KEY, .key = 'u' - 'a' + 1 };

	(void)state;
	grid_resize(&g, 4, 1);
	editor_set(&e, "longer than four columns");
	editor_draw(&e, &g, grid_area(&g), 0, 0, style); /* scrolls */
	editor_key(&e, &erase);
	editor_click(&e, 1);
	editor_insert(&e, "ab", 2);
	assert_string_equal(buf_text(&e.text), "ab");
	assert_int_equal(e.cursor, 2);
	editor_release(&e);
	grid_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typed_text_is_inserted_before_the_cursor),
		cmocka_unit_test(the_cursor_moves_by_characters_and_words),
		cmocka_unit_test(combining_marks_move_with_their_character),
		cmocka_unit_test(keys_erase_characters_words_and_parts_of_the_line),
		cmocka_unit_test(cut_text_can_be_pasted),
		cmocka_unit_test(two_characters_are_swapped),
		cmocka_unit_test(control_characters_and_invalid_utf8_are_dropped),
		cmocka_unit_test(a_text_beyond_the_limit_is_dropped),
		cmocka_unit_test(a_word_is_replaced_by_its_completion),
		cmocka_unit_test(a_long_line_scrolls_with_the_cursor),
		cmocka_unit_test(a_click_places_the_cursor),
		cmocka_unit_test(a_click_after_the_text_shrank_stays_within_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
