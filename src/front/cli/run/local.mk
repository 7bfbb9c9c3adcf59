# src/front/cli/run - cpa run and cpa record: start a program and profile it

src_cpa_SOURCES += \
	src/front/cli/run/foreign.c \
	src/front/cli/run/options.c \
	src/front/cli/run/options.h \
	src/front/cli/run/record.c \
	src/front/cli/run/run.c \
	src/front/cli/run/sample.c
