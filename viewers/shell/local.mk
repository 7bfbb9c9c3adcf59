# viewers/shell - the full-screen shell

noinst_LIBRARIES += viewers/shell/libshell.a
viewers_shell_libshell_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
viewers_shell_libshell_a_SOURCES = \
	viewers/shell/depth.c \
	viewers/shell/depth.h \
	viewers/shell/event.c \
	viewers/shell/event.h \
	viewers/shell/grid.c \
	viewers/shell/grid.h \
	viewers/shell/grid_ascii.c \
	viewers/shell/grid_int.h \
	viewers/shell/grid_print.c \
	viewers/shell/grid_text.c \
	viewers/shell/screen.h
