# src/cli/run - cpa run and cpa record: start a program and profile it

src_cpa_SOURCES += \
	src/cli/run/foreign.c \
	src/cli/run/options.c \
	src/cli/run/options.h \
	src/cli/run/record.c \
	src/cli/run/run.c \
	src/cli/run/sample.c
