# src/libcpaprof/collector - drains the shared segment of profiled processes, and makes profiles from it

noinst_LIBRARIES += src/libcpaprof/collector/libcollector.a
src_libcpaprof_collector_libcollector_a_SOURCES = \
	src/libcpaprof/collector/account.c \
	src/libcpaprof/collector/addresses.c \
	src/libcpaprof/collector/addresses.h \
	src/libcpaprof/collector/collect.c \
	src/libcpaprof/collector/collect.h \
	src/libcpaprof/collector/collect_int.h \
	src/libcpaprof/collector/counts.c \
	src/libcpaprof/collector/counts.h \
	src/libcpaprof/collector/demand.c \
	src/libcpaprof/collector/elfnames.c \
	src/libcpaprof/collector/elfnames.h \
	src/libcpaprof/collector/external.c \
	src/libcpaprof/collector/external.h \
	src/libcpaprof/collector/labels.c \
	src/libcpaprof/collector/labels.h \
	src/libcpaprof/collector/mappings.c \
	src/libcpaprof/collector/namespace.c \
	src/libcpaprof/collector/process.c \
	src/libcpaprof/collector/process.h \
	src/libcpaprof/collector/requests.c \
	src/libcpaprof/collector/requests.h \
	src/libcpaprof/collector/rings.c \
	src/libcpaprof/collector/sample_stack.c \
	src/libcpaprof/collector/sample_stack.h \
	src/libcpaprof/collector/self.c \
	src/libcpaprof/collector/snap.c \
	src/libcpaprof/collector/snap.h \
	src/libcpaprof/collector/stack_table.c \
	src/libcpaprof/collector/stack_table.h \
	src/libcpaprof/collector/threads.c \
	src/libcpaprof/collector/threads.h \
	src/libcpaprof/collector/unarmed.c
