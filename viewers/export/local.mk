# viewers/export - other tools' formats

noinst_LIBRARIES += viewers/export/libexport.a
viewers_export_libexport_a_SOURCES = \
	viewers/export/callgrind.c \
	viewers/export/callgrind.h \
	viewers/export/compare.c \
	viewers/export/csv.c \
	viewers/export/csv_traces.c \
	viewers/export/dot.c \
	viewers/export/dot.h \
	viewers/export/dot_int.h \
	viewers/export/dot_label.c \
	viewers/export/export.h \
	viewers/export/folded.c \
	viewers/export/gzip.c \
	viewers/export/gzip.h \
	viewers/export/markdown.c \
	viewers/export/markdown.h \
	viewers/export/proto.c \
	viewers/export/raw.c \
	viewers/export/speedscope.c \
	viewers/export/stacks.c \
	viewers/export/stacks.h \
	viewers/export/topproto.c
