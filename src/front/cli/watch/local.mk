# src/front/cli/watch - compare stored windows with earlier ones, and report what became slower

src_cpa_SOURCES += \
	src/front/cli/watch/judge.c \
	src/front/cli/watch/check.c \
	src/front/cli/watch/check.h \
	src/front/cli/watch/send.c \
	src/front/cli/watch/watch.c \
	src/front/cli/watch/watch.h
