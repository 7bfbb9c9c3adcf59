# src/front/cli/shell - the prompt and the full screen

src_cpa_SOURCES += \
	src/front/cli/shell/editor.h \
	src/front/cli/shell/help.c \
	src/front/cli/shell/help.h \
	src/front/cli/shell/history.c \
	src/front/cli/shell/history.h \
	src/front/cli/shell/report.c \
	src/front/cli/shell/report.h \
	src/front/cli/shell/screen.c \
	src/front/cli/shell/screen.h \
	src/front/cli/shell/shell.c
if WITH_SHELL
src_cpa_SOURCES += src/front/cli/shell/editor.c
else
src_cpa_SOURCES += src/front/cli/shell/missing.c
endif
