# viewers/shell - the full-screen shell

noinst_LIBRARIES += viewers/shell/libshell.a
viewers_shell_libshell_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
if WITH_SHELL
viewers_shell_libshell_a_SOURCES = \
	viewers/shell/chips.c \
	viewers/shell/code_pane.c \
	viewers/shell/code_pane.h \
	viewers/shell/columns.c \
	viewers/shell/command.c \
	viewers/shell/complete.c \
	viewers/shell/complete.h \
	viewers/shell/palette.c \
	viewers/shell/palette.h \
	viewers/shell/editor.c \
	viewers/shell/editor.h \
	viewers/shell/event.c \
	viewers/shell/event.h \
	viewers/shell/find.c \
	viewers/shell/find.h \
	viewers/shell/frame.c \
	viewers/shell/grid.c \
	viewers/shell/grid.h \
	viewers/shell/headline.c \
	viewers/shell/headline.h \
	viewers/shell/help.c \
	viewers/shell/history.c \
	viewers/shell/history.h \
	viewers/shell/keys.c \
	viewers/shell/list.c \
	viewers/shell/loop.c \
	viewers/shell/menu.c \
	viewers/shell/menu.h \
	viewers/shell/name.c \
	viewers/shell/name.h \
	viewers/shell/number.c \
	viewers/shell/number.h \
	viewers/shell/option.c \
	viewers/shell/option.h \
	viewers/shell/options.c \
	viewers/shell/overlay.c \
	viewers/shell/pane.c \
	viewers/shell/picker.c \
	viewers/shell/prompt.c \
	viewers/shell/quote.c \
	viewers/shell/quote.h \
	viewers/shell/reload.c \
	viewers/shell/save.c \
	viewers/shell/screen.c \
	viewers/shell/screen.h \
	viewers/shell/screen_curses.c \
	viewers/shell/screen_curses.h \
	viewers/shell/screen_guard.c \
	viewers/shell/screen_input.c \
	viewers/shell/screen_int.h \
	viewers/shell/screen_paint.c \
	viewers/shell/screen_terminal.c \
	viewers/shell/search.c \
	viewers/shell/sheet.c \
	viewers/shell/sheet.h \
	viewers/shell/shell.c \
	viewers/shell/shell.h \
	viewers/shell/shell_int.h \
	viewers/shell/theme.c \
	viewers/shell/title.c \
	viewers/shell/view_asm.c \
	viewers/shell/view_calls.c \
	viewers/shell/view_calls.h \
	viewers/shell/view_calls_lines.c \
	viewers/shell/view_flame.c \
	viewers/shell/view_flame.h \
	viewers/shell/view_flame_draw.c \
	viewers/shell/view_flame_zoom.c \
	viewers/shell/view_labels.c \
	viewers/shell/view_source.c \
	viewers/shell/view_source.h \
	viewers/shell/view_source_rows.c \
	viewers/shell/view_text.c \
	viewers/shell/view_top.c \
	viewers/shell/view_top.h \
	viewers/shell/view_top_columns.c \
	viewers/shell/view_traces.c \
	viewers/shell/view_traces.h \
	viewers/shell/view_traces_rows.c \
	viewers/shell/view_tree.c \
	viewers/shell/view_tree.h \
	viewers/shell/view_tree_rows.c \
	viewers/shell/work.c \
	viewers/shell/wrap.c \
	viewers/shell/wrap.h
else
viewers_shell_libshell_a_SOURCES = viewers/shell/missing.c viewers/shell/shell.h viewers/shell/palette.h viewers/shell/palette.c
endif
