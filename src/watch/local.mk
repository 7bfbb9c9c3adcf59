# src/watch - the stored windows that cpa watch compares, and its earlier alarms

noinst_LIBRARIES += src/watch/libwatch.a
src_watch_libwatch_a_SOURCES = \
	src/watch/plan.c \
	src/watch/plan.h \
	src/watch/reported.c \
	src/watch/reported.h
