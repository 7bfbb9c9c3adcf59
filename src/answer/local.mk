# src/answer - from sources and a query to a loaded profile, a report, and drawn output

noinst_LIBRARIES += src/answer/libanswer.a
src_answer_libanswer_a_SOURCES = \
	src/answer/bundle.c \
	src/answer/bundle.h \
	src/answer/compare.c \
	src/answer/compare.h \
	src/answer/draw.c \
	src/answer/draw.h \
	src/answer/explain.c \
	src/answer/explain.h \
	src/answer/files.c \
	src/answer/files.h \
	src/answer/flame.c \
	src/answer/flame.h \
	src/answer/load.c \
	src/answer/load.h \
	src/answer/load_each.c \
	src/answer/load_each.h \
	src/answer/loaded.c \
	src/answer/loaded.h \
	src/answer/make.c \
	src/answer/make.h \
	src/answer/names.c \
	src/answer/names.h \
	src/answer/pages.c \
	src/answer/pages.h \
	src/answer/picture.c \
	src/answer/picture.h \
	src/answer/remote.c \
	src/answer/remote.h \
	src/answer/report_options.c \
	src/answer/reports.c \
	src/answer/reports.h \
	src/answer/save.c \
	src/answer/save.h \
	src/answer/profile_server.c \
	src/answer/profile_server.h \
	src/answer/sides.c \
	src/answer/sides.h \
	src/answer/sides_join.c \
	src/answer/sides_split.c \
	src/answer/sources.c \
	src/answer/sources.h \
	src/answer/stored.c \
	src/answer/stored.h \
	src/answer/stored_split.c \
	src/answer/stored_browse.c \
	src/answer/stored_browse.h \
	src/answer/stored_totals.c \
	src/answer/stored_totals.h \
	src/answer/symbolize.c \
	src/answer/symbolize.h \
	src/answer/symbolz.c \
	src/answer/symbolz.h \
	src/answer/trend.c \
	src/answer/trend.h
