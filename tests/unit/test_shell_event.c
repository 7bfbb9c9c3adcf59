/*
 * test_shell_event.c - names of keys and mouse events
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/terminal/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Append the names of the events of a text. */
static int name_all(const char *text, struct buf *out, struct err *err)
{
	struct event e;
	int rc;

	while ((rc = event_parse(&text, &e, err)) == 0 && e.kind != EVENT_NONE) {
		buf_addz(out, out->len ? " " : "");
		event_add_name(&e, out);
	}
	return rc;
}

static void assert_names(const char *text, const char *names)
{
	struct buf out = { 0 };
	struct err err;

	assert_int_equal(name_all(text, &out, &err), 0);
	assert_string_equal(buf_text(&out), names);
	buf_release(&out);
}

static void every_key_reads_back_as_itself(void **state)
{
	(void)state;
	for (uint32_t alt = 0; alt < 2; alt++)
		for (uint32_t key = 0; key <= KEY_LAST; key += key > 0x3000 && key < 0x10ff00 ? 251 : 1) {
			struct event in = { .kind = EVENT_KEY, .key = key | (alt ? KEY_ALT : 0) }, out;
			struct buf name = { 0 };
			const char *text;

			if (key == KEY_FUNCTION)
				continue;
			event_add_name(&in, &name);
			text = buf_text(&name);
			assert_int_equal(event_parse(&text, &out, NULL), 0);
			assert_int_equal(out.kind, EVENT_KEY);
			assert_int_equal(out.key, in.key);
			assert_string_equal(text, "");
			buf_release(&name);
		}
}

static void names_are_separated_by_blanks(void **state)
{
	(void)state;
	assert_names(" j  Enter\tCtrl-L\nAlt-x F12 ", "j Enter Ctrl-L Alt-x F12");
	assert_names("", "");
	assert_names("Ctrl-i Ctrl-M Ctrl-[", "Tab Enter Esc");
}

static void quoted_words_are_typed(void **state)
{
	(void)state;
	assert_names(": \"top 5\" Enter \"x\"", ": t o p Space 5 Enter x");
	assert_names("\"\" j \"\"", "j");
	assert_names("\"\xc3\xa9\"Enter", "\xc3\xa9 Enter");
}

static void names_of_mouse_and_resize_events_contain_numbers(void **state)
{
	(void)state;
	assert_names("Click(3,5) Double(0,0) RightClick(399,119) Wheel(1,2,-3) Resize(80,24) Wake Stop",
		     "Click(3,5) Double(0,0) RightClick(399,119) Wheel(1,2,-3) Resize(80,24) Wake Stop");
}

static void invisible_characters_are_named_by_number(void **state)
{
	(void)state;
	assert_names("U+200b U+1B", "U+200B Esc");
}

static void unknown_names_are_refused(void **state)
{
	static const char *const bad[] = { "Foo",        "Ctrl-",      "Ctrl-1",           "Alt-",      "F0",
					   "F13",        "Click",      "Click(3)",         "Click(3,5", "Click(3,5,6)",
					   "Wheel(1,2)", "Click(a,b)", "Click(1,,)",       "U+",        "U+110000",
					   "U+GG",       "\xff",       "Resize(80,99999)", "jj",        "\"open" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct buf out = { 0 };
		struct err err;

		if (name_all(bad[i], &out, &err) != ERR_USAGE)
			fail_msg("%s is taken for %s", bad[i], buf_text(&out));
		buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_reads_back_as_itself),
		cmocka_unit_test(names_are_separated_by_blanks),
		cmocka_unit_test(quoted_words_are_typed),
		cmocka_unit_test(names_of_mouse_and_resize_events_contain_numbers),
		cmocka_unit_test(invisible_characters_are_named_by_number),
		cmocka_unit_test(unknown_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
