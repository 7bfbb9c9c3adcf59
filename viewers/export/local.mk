# viewers/export - formats of other tools

noinst_LIBRARIES += viewers/export/libexport.a
viewers_export_libexport_a_SOURCES = \
	viewers/export/callgrind.c \
	viewers/export/cpuprofile.c \
	viewers/export/csv.c \
	viewers/export/dot.c \
	viewers/export/export.h \
	viewers/export/firefox.c \
	viewers/export/folded.c \
	viewers/export/markdown.c \
	viewers/export/prefixes.c \
	viewers/export/raw.c \
	viewers/export/speedscope.c \
	viewers/export/stacks.c \
	viewers/export/topproto.c
