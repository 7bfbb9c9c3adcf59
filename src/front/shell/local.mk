# src/front/shell - the full-screen shell

noinst_LIBRARIES += src/front/shell/libshell.a
src_front_shell_libshell_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
if WITH_SHELL
src_front_shell_libshell_a_SOURCES = \
	src/front/shell/chips.c \
	src/front/shell/command.c \
	src/front/shell/complete.c \
	src/front/shell/complete.h \
	src/front/shell/frame.c \
	src/front/shell/help.c \
	src/front/shell/keys.c \
	src/front/shell/loop.c \
	src/front/shell/option.c \
	src/front/shell/option.h \
	src/front/shell/options.c \
	src/front/shell/overlay.c \
	src/front/shell/pane.c \
	src/front/shell/picker.c \
	src/front/shell/prompt.c \
	src/front/shell/quote.c \
	src/front/shell/quote.h \
	src/front/shell/save.c \
	src/front/shell/search.c \
	src/front/shell/shell.c \
	src/front/shell/shell.h \
	src/front/shell/state.h \
	src/front/shell/title.c \
	src/front/shell/work.c
include src/front/shell/terminal/local.mk
include src/front/shell/widgets/local.mk
include src/front/shell/views/local.mk
else
src_front_shell_libshell_a_SOURCES = src/front/shell/missing.c src/front/shell/terminal/palette.c
endif
