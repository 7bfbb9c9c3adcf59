# src/answer - from a profile and a query to a drawn report

noinst_LIBRARIES += src/answer/libanswer.a
src_answer_libanswer_a_SOURCES = \
	src/answer/anonymize.c \
	src/answer/anonymize.h \
	src/answer/draw.c \
	src/answer/draw.h \
	src/answer/explain.c \
	src/answer/explain.h \
	src/answer/flame.c \
	src/answer/flame.h \
	src/answer/answer.c \
	src/answer/answer.h \
	src/answer/web_reports.c \
	src/answer/web_reports.h \
	src/answer/picture.c \
	src/answer/picture.h \
	src/answer/report_options.c \
	src/answer/reports.c \
	src/answer/reports.h \
	src/answer/series.c \
	src/answer/series.h \
	src/answer/trend.c \
	src/answer/trend.h
