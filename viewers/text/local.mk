# viewers/text - reports as text

noinst_LIBRARIES += viewers/text/libtext.a
viewers_text_libtext_a_SOURCES = \
	viewers/text/calls.c \
	viewers/text/compare.c \
	viewers/text/diff.c \
	viewers/text/disasm.c \
	viewers/text/gate.c \
	viewers/text/gate.h \
	viewers/text/labels.c \
	viewers/text/list.c \
	viewers/text/series.c \
	viewers/text/tags.c \
	viewers/text/text.c \
	viewers/text/text.h \
	viewers/text/text_int.h \
	viewers/text/traces.c \
	viewers/text/trend.c
