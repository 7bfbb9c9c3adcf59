# src/front/shell - the full-screen shell

noinst_LIBRARIES += src/front/shell/libshell.a
src_front_shell_libshell_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
if WITH_SHELL
src_front_shell_libshell_a_SOURCES = \
	src/front/shell/chips.c \
	src/front/shell/code_pane.c \
	src/front/shell/code_pane.h \
	src/front/shell/columns.c \
	src/front/shell/command.c \
	src/front/shell/complete.c \
	src/front/shell/complete.h \
	src/front/shell/palette.c \
	src/front/shell/palette.h \
	src/front/shell/editor.c \
	src/front/shell/editor.h \
	src/front/shell/event.c \
	src/front/shell/event.h \
	src/front/shell/find.c \
	src/front/shell/find.h \
	src/front/shell/frame.c \
	src/front/shell/grid.c \
	src/front/shell/grid.h \
	src/front/shell/headline.c \
	src/front/shell/headline.h \
	src/front/shell/help.c \
	src/front/shell/history.c \
	src/front/shell/history.h \
	src/front/shell/keys.c \
	src/front/shell/list.c \
	src/front/shell/loop.c \
	src/front/shell/menu.c \
	src/front/shell/menu.h \
	src/front/shell/name.c \
	src/front/shell/name.h \
	src/front/shell/number.c \
	src/front/shell/number.h \
	src/front/shell/option.c \
	src/front/shell/option.h \
	src/front/shell/options.c \
	src/front/shell/overlay.c \
	src/front/shell/pane.c \
	src/front/shell/picker.c \
	src/front/shell/prompt.c \
	src/front/shell/quote.c \
	src/front/shell/quote.h \
	src/front/shell/reload.c \
	src/front/shell/save.c \
	src/front/shell/screen.c \
	src/front/shell/screen.h \
	src/front/shell/screen_curses.c \
	src/front/shell/screen_curses.h \
	src/front/shell/screen_guard.c \
	src/front/shell/screen_input.c \
	src/front/shell/screen_int.h \
	src/front/shell/screen_paint.c \
	src/front/shell/screen_terminal.c \
	src/front/shell/search.c \
	src/front/shell/sheet.c \
	src/front/shell/sheet.h \
	src/front/shell/shell.c \
	src/front/shell/shell.h \
	src/front/shell/shell_int.h \
	src/front/shell/theme.c \
	src/front/shell/title.c \
	src/front/shell/view_asm.c \
	src/front/shell/view_calls.c \
	src/front/shell/view_calls.h \
	src/front/shell/view_calls_lines.c \
	src/front/shell/view_flame.c \
	src/front/shell/view_flame.h \
	src/front/shell/view_flame_draw.c \
	src/front/shell/view_flame_zoom.c \
	src/front/shell/view_labels.c \
	src/front/shell/view_source.c \
	src/front/shell/view_source.h \
	src/front/shell/view_source_rows.c \
	src/front/shell/view_text.c \
	src/front/shell/view_top.c \
	src/front/shell/view_top.h \
	src/front/shell/view_top_columns.c \
	src/front/shell/view_traces.c \
	src/front/shell/view_traces.h \
	src/front/shell/view_traces_rows.c \
	src/front/shell/view_tree.c \
	src/front/shell/view_tree.h \
	src/front/shell/view_tree_rows.c \
	src/front/shell/work.c \
	src/front/shell/wrap.c \
	src/front/shell/wrap.h
else
src_front_shell_libshell_a_SOURCES = src/front/shell/missing.c src/front/shell/shell.h src/front/shell/palette.h src/front/shell/palette.c
endif
