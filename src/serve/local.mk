# src/serve - /debug/pprof: requests, answers, and a small server; runs in cpa run and in programs that link the library
#
# One name a line, so that branches which both add some can be merged.

noinst_LIBRARIES += src/serve/libserve.a
src_serve_libserve_a_SOURCES =
src_serve_libserve_a_SOURCES += src/serve/answer.c
src_serve_libserve_a_SOURCES += src/serve/answer.h
src_serve_libserve_a_SOURCES += src/serve/guard.c
src_serve_libserve_a_SOURCES += src/serve/guard.h
src_serve_libserve_a_SOURCES += src/serve/head.c
src_serve_libserve_a_SOURCES += src/serve/head.h
src_serve_libserve_a_SOURCES += src/serve/index.c
src_serve_libserve_a_SOURCES += src/serve/job.c
src_serve_libserve_a_SOURCES += src/serve/job.h
src_serve_libserve_a_SOURCES += src/serve/job_cpu.c
src_serve_libserve_a_SOURCES += src/serve/job_snap.c
src_serve_libserve_a_SOURCES += src/serve/job_symbol.c
src_serve_libserve_a_SOURCES += src/serve/job_trace.c
src_serve_libserve_a_SOURCES += src/serve/job_write.c
src_serve_libserve_a_SOURCES += src/serve/listen.c
src_serve_libserve_a_SOURCES += src/serve/listen.h
src_serve_libserve_a_SOURCES += src/serve/listen_int.h
src_serve_libserve_a_SOURCES += src/serve/listen_parse.c
src_serve_libserve_a_SOURCES += src/serve/listen_tcp.c
src_serve_libserve_a_SOURCES += src/serve/listen_unix.c
src_serve_libserve_a_SOURCES += src/serve/listen_usual.c
src_serve_libserve_a_SOURCES += src/serve/peer.c
src_serve_libserve_a_SOURCES += src/serve/peer.h
src_serve_libserve_a_SOURCES += src/serve/query.c
src_serve_libserve_a_SOURCES += src/serve/query.h
src_serve_libserve_a_SOURCES += src/serve/route.c
src_serve_libserve_a_SOURCES += src/serve/route.h
src_serve_libserve_a_SOURCES += src/serve/serve.c
src_serve_libserve_a_SOURCES += src/serve/serve.h
src_serve_libserve_a_SOURCES += src/serve/server.h
src_serve_libserve_a_SOURCES += src/serve/chunked.c
src_serve_libserve_a_SOURCES += src/serve/chunked.h
src_serve_libserve_a_SOURCES += src/serve/conn.c
src_serve_libserve_a_SOURCES += src/serve/conn_read.c
src_serve_libserve_a_SOURCES += src/serve/conn_work.c
src_serve_libserve_a_SOURCES += src/serve/conn_write.c
src_serve_libserve_a_SOURCES += src/serve/owned.c
src_serve_libserve_a_SOURCES += src/serve/owned.h
src_serve_libserve_a_SOURCES += src/serve/server.c
src_serve_libserve_a_SOURCES += src/serve/server_int.h
