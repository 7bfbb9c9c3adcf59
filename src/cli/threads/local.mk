# src/cli/threads - cpa threads: the stacks of the threads of a process

src_cpa_SOURCES += \
	src/cli/threads/threads.c
