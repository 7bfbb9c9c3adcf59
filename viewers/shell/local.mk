# viewers/shell - the full-screen shell

noinst_LIBRARIES += viewers/shell/libshell.a
viewers_shell_libshell_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
viewers_shell_libshell_a_SOURCES = \
	viewers/shell/depth.h \
	viewers/shell/event.h \
	viewers/shell/grid.h \
	viewers/shell/screen.h
