# viewers/shell - the full-screen shell

noinst_LIBRARIES += viewers/shell/libshell.a
viewers_shell_libshell_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
viewers_shell_libshell_a_SOURCES = \
	viewers/shell/depth.c \
	viewers/shell/depth.h \
	viewers/shell/event.c \
	viewers/shell/event.h \
	viewers/shell/find.c \
	viewers/shell/find.h \
	viewers/shell/frame.c \
	viewers/shell/grid.c \
	viewers/shell/grid.h \
	viewers/shell/grid_ascii.c \
	viewers/shell/grid_int.h \
	viewers/shell/grid_print.c \
	viewers/shell/grid_text.c \
	viewers/shell/headline.c \
	viewers/shell/headline.h \
	viewers/shell/help.c \
	viewers/shell/keys.c \
	viewers/shell/list.c \
	viewers/shell/live.c \
	viewers/shell/loop.c \
	viewers/shell/overlay.c \
	viewers/shell/pane.c \
	viewers/shell/picker.c \
	viewers/shell/prompt.c \
	viewers/shell/screen.c \
	viewers/shell/screen.h \
	viewers/shell/screen_guard.c \
	viewers/shell/screen_input.c \
	viewers/shell/screen_int.h \
	viewers/shell/screen_paint.c \
	viewers/shell/screen_terminal.c \
	viewers/shell/sheet.c \
	viewers/shell/sheet.h \
	viewers/shell/sheet_draw.c \
	viewers/shell/shell.c \
	viewers/shell/shell.h \
	viewers/shell/shell_int.h \
	viewers/shell/subject.c \
	viewers/shell/theme.c \
	viewers/shell/theme.h \
	viewers/shell/view_calls.c \
	viewers/shell/view_calls.h \
	viewers/shell/view_calls_draw.c \
	viewers/shell/view_source.c \
	viewers/shell/view_source_draw.c \
	viewers/shell/view_source_find.c \
	viewers/shell/view_source_int.h \
	viewers/shell/view_source_model.c \
	viewers/shell/view_source_rows.c \
	viewers/shell/view_source_text.c \
	viewers/shell/view_text.c \
	viewers/shell/view_top.c \
	viewers/shell/view_top.h \
	viewers/shell/view_top_sheet.c \
	viewers/shell/work.c
