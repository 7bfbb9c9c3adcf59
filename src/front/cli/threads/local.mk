# src/front/cli/threads - cpa threads: the stacks of the threads of a process

src_cpa_SOURCES += \
	src/front/cli/threads/threads.c
