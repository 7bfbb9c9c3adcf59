# src/engine/stats - distributions and statistical tests, on numbers only

noinst_LIBRARIES += src/engine/stats/libstats.a
src_engine_stats_libstats_a_SOURCES = \
	src/engine/stats/centre.c \
	src/engine/stats/change.c \
	src/engine/stats/change.h \
	src/engine/stats/change_int.h \
	src/engine/stats/change_model.c \
	src/engine/stats/judge.c \
	src/engine/stats/judge.h \
	src/engine/stats/judge_int.h \
	src/engine/stats/reference.c \
	src/engine/stats/points.c \
	src/engine/stats/ranks.c \
	src/engine/stats/runs.c \
	src/engine/stats/stats.c \
	src/engine/stats/stats.h
