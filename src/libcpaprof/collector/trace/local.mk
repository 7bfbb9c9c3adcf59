# src/libcpaprof/collector/trace - records timelines of the threads of a process, and writes them

src_libcpaprof_collector_libcollector_a_SOURCES += \
	src/libcpaprof/collector/trace/trace.c \
	src/libcpaprof/collector/trace/trace.h \
	src/libcpaprof/collector/trace/trace_int.h \
	src/libcpaprof/collector/trace/trace_names.c \
	src/libcpaprof/collector/trace/trace_names.h \
	src/libcpaprof/collector/trace/trace_sched.c \
	src/libcpaprof/collector/trace/trace_sched.h \
	src/libcpaprof/collector/trace/trace_spans.c \
	src/libcpaprof/collector/trace/trace_spans.h \
	src/libcpaprof/collector/trace/trace_write.c \
	src/libcpaprof/collector/trace/trace_write_int.h \
	src/libcpaprof/collector/trace/trace_write_sched.c
