# viewers/export - other tools' formats

noinst_LIBRARIES += viewers/export/libexport.a
viewers_export_libexport_a_SOURCES = \
	viewers/export/csv.c \
	viewers/export/export.h \
	viewers/export/markdown.c
