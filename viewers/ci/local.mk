# viewers/ci - results of a gate in formats for CI servers

noinst_LIBRARIES += viewers/ci/libci.a
viewers_ci_libci_a_SOURCES = \
	viewers/ci/ci.h \
	viewers/ci/ci_int.h \
	viewers/ci/github.c \
	viewers/ci/junit.c \
	viewers/ci/markdown.c \
	viewers/ci/sarif.c \
	viewers/ci/sentences.c
