# src/libcpaprof/endpoint - /debug/pprof: requests, answers, and a small server; runs in cpa run and in programs that link the library
#
# One name per line, so that branches that add names can be merged.

noinst_LIBRARIES += src/libcpaprof/endpoint/libendpoint.a
src_libcpaprof_endpoint_libendpoint_a_SOURCES =
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/reply.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/access.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/access.h
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/request_head.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/request_head.h
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/index.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/job.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/job.h
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/job_cpu.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/job_snap.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/job_symbol.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/job_trace.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/request_query.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/request_query.h
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/route.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/route.h
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/serve.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/serve.h
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/server.h
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/chunked.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/chunked.h
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/conn.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/server.c
src_libcpaprof_endpoint_libendpoint_a_SOURCES += src/libcpaprof/endpoint/server_int.h
