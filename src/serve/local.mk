# src/serve - /debug/pprof: requests, answers, and a small server; runs in cpa run and in programs that link the library
#
# One name a line, so that branches which both add some can be merged.

noinst_LIBRARIES += src/serve/libserve.a
src_serve_libserve_a_SOURCES =
src_serve_libserve_a_SOURCES += src/serve/guard.h
src_serve_libserve_a_SOURCES += src/serve/head.h
src_serve_libserve_a_SOURCES += src/serve/listen.h
src_serve_libserve_a_SOURCES += src/serve/serve.h
src_serve_libserve_a_SOURCES += src/serve/server.h
