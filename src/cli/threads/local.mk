# src/cli/threads - where each thread of a process is

src_cpa_SOURCES += \
	src/cli/threads/dump.c \
	src/cli/threads/dump.h \
	src/cli/threads/lines.c \
	src/cli/threads/lines.h \
	src/cli/threads/snap_names.c \
	src/cli/threads/snap_names.h \
	src/cli/threads/text.c \
	src/cli/threads/text.h \
	src/cli/threads/threads.c
