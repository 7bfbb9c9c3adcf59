# src/cli/threads - where each thread of a process is

src_cpa_SOURCES += \
	src/cli/threads/threads.c
