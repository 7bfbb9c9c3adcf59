# src/engine/stats - distributions and tests, on numbers alone

noinst_LIBRARIES += src/engine/stats/libstats.a
src_engine_stats_libstats_a_SOURCES = \
	src/engine/stats/adjust.c \
	src/engine/stats/judge.h \
	src/engine/stats/stats.h
