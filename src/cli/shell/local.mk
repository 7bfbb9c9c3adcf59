# src/cli/shell - the prompt and the full screen

src_cpa_SOURCES += \
	src/cli/shell/editor.h \
	src/cli/shell/help.c \
	src/cli/shell/help.h \
	src/cli/shell/history.c \
	src/cli/shell/history.h \
	src/cli/shell/report.c \
	src/cli/shell/report.h \
	src/cli/shell/screen.c \
	src/cli/shell/screen.h \
	src/cli/shell/shell.c
if WITH_SHELL
src_cpa_SOURCES += src/cli/shell/editor.c
else
src_cpa_SOURCES += src/cli/shell/missing.c
endif
