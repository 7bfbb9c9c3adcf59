# src/cli/run - cpa run and cpa record: start a program and profile it

src_cpa_SOURCES += \
	src/cli/run/env.c \
	src/cli/run/files.c \
	src/cli/run/names.c \
	src/cli/run/names.h \
	src/cli/run/naming.c \
	src/cli/run/naming.h \
	src/cli/run/options.c \
	src/cli/run/options.h \
	src/cli/run/profile.c \
	src/cli/run/program.c \
	src/cli/run/program.h \
	src/cli/run/program_elf.c \
	src/cli/run/program_elf.h \
	src/cli/run/program_run.c \
	src/cli/run/record.c \
	src/cli/run/run.c \
	src/cli/run/run.h \
	src/cli/run/serve.c \
	src/cli/run/serve.h \
	src/cli/run/tables.c \
	src/cli/run/tables.h
