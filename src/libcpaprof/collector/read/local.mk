# src/libcpaprof/collector/read - reads memory, stacks, mappings, threads and events of processes from the kernel

src_libcpaprof_collector_libcollector_a_SOURCES += \
	src/libcpaprof/collector/read/busy.c \
	src/libcpaprof/collector/read/busy.h \
	src/libcpaprof/collector/read/clock.h \
	src/libcpaprof/collector/read/elffile.c \
	src/libcpaprof/collector/read/elffile.h \
	src/libcpaprof/collector/read/kallsyms.c \
	src/libcpaprof/collector/read/kallsyms.h \
	src/libcpaprof/collector/read/maps.c \
	src/libcpaprof/collector/read/maps.h \
	src/libcpaprof/collector/read/memory.c \
	src/libcpaprof/collector/read/memory.h \
	src/libcpaprof/collector/read/order.c \
	src/libcpaprof/collector/read/order.h \
	src/libcpaprof/collector/read/perf_rings.c \
	src/libcpaprof/collector/read/perf_rings.h \
	src/libcpaprof/collector/read/read_sample.c \
	src/libcpaprof/collector/read/read_stack.c \
	src/libcpaprof/collector/read/read_stack.h \
	src/libcpaprof/collector/read/task.c \
	src/libcpaprof/collector/read/task.h
