# src/front/shell/terminal - the terminal: cells, colours, styles, keys and the mouse

src_front_shell_libshell_a_SOURCES += \
	src/front/shell/terminal/event.c \
	src/front/shell/terminal/event.h \
	src/front/shell/terminal/grid.c \
	src/front/shell/terminal/grid.h \
	src/front/shell/terminal/palette.c \
	src/front/shell/terminal/palette.h \
	src/front/shell/terminal/screen.c \
	src/front/shell/terminal/screen.h \
	src/front/shell/terminal/screen_curses.c \
	src/front/shell/terminal/screen_curses.h \
	src/front/shell/terminal/screen_guard.c \
	src/front/shell/terminal/screen_input.c \
	src/front/shell/terminal/screen_int.h \
	src/front/shell/terminal/screen_paint.c \
	src/front/shell/terminal/screen_terminal.c \
	src/front/shell/terminal/theme.c \
	src/front/shell/terminal/theme.h
