# tests/runtime - programs under cpa run: what they used is in their profiles, and they behave as alone

runtime_tests = \
	tests/runtime/aarch64.t \
	tests/runtime/t100-cpu.t \
	tests/runtime/t110-shares.t \
	tests/runtime/t120-odd.t \
	tests/runtime/t130-refused.t \
	tests/runtime/t140-stress.t \
	tests/runtime/t150-engines.t \
	tests/runtime/t160-loader.t \
	tests/runtime/t200-linked.t \
	tests/runtime/t300-forms.t
	tests/runtime/t200-linked.t \
	tests/runtime/t210-environment.t
	tests/runtime/t210-environment.t \
	tests/runtime/t220-install.t \
	tests/runtime/t300-forms.t \
	tests/runtime/t400-threads.t \
	tests/runtime/t500-locks.t \
	tests/runtime/t510-locks-same.t \
	tests/runtime/t520-locks-cxx.t

# labels and custom profiles
runtime_tests += tests/runtime/t600-labels.t tests/runtime/t610-custom.t tests/runtime/t620-wrapper.t
EXTRA_DIST += tests/runtime/custom.c tests/runtime/labels.c tests/runtime/wrapper.cc

TESTS += $(runtime_tests)
EXTRA_DIST += $(runtime_tests) tests/runtime/burn.c tests/runtime/lib.sh tests/runtime/linked.c tests/runtime/odd.c \
EXTRA_DIST += $(runtime_tests) tests/runtime/burn.c tests/runtime/lib.sh tests/runtime/locks.c tests/runtime/odd.c \
EXTRA_DIST += $(runtime_tests) tests/runtime/burn.c tests/runtime/lib.sh tests/runtime/locks.c tests/runtime/locks.sh tests/runtime/locks_api.c \
	tests/runtime/locks_cxx.cc tests/runtime/locks_same.c \
	tests/runtime/t500-locks.t tests/runtime/t510-locks-same.t tests/runtime/t520-locks-cxx.t tests/runtime/odd.c \
EXTRA_DIST += $(runtime_tests) \
	tests/runtime/burn.c \
	tests/runtime/gperf.c \
	tests/runtime/t520-locks-cxx.t \
	tests/runtime/t530-locks-api.t

TESTS += $(runtime_tests)
EXTRA_DIST += $(runtime_tests) \
	tests/runtime/burn.c \
	tests/runtime/lib.sh \
	tests/runtime/linked.c \
	tests/runtime/locks.c \
	tests/runtime/locks.sh \
	tests/runtime/locks_cxx.cc \
	tests/runtime/locks_same.c \
	tests/runtime/odd.c \
	tests/runtime/t500-locks.t tests/runtime/t510-locks-same.t tests/runtime/t520-locks-cxx.t tests/runtime/t530-locks-api.t tests/runtime/odd.c \
	tests/runtime/locks_api.c \
	tests/runtime/locks_cxx.cc \
	tests/runtime/locks_same.c \
	tests/runtime/odd.c \
	tests/runtime/plug.c \
	tests/runtime/scribble.c \
	tests/runtime/stress.c
# One name a line, so that branches which both add some can be merged.
runtime_tests =
runtime_tests += tests/runtime/aarch64.t
runtime_tests += tests/runtime/t100-cpu.t
runtime_tests += tests/runtime/t110-shares.t
runtime_tests += tests/runtime/t120-odd.t
runtime_tests += tests/runtime/t130-refused.t
runtime_tests += tests/runtime/t140-stress.t
runtime_tests += tests/runtime/t150-engines.t
runtime_tests += tests/runtime/t160-loader.t
runtime_tests += tests/runtime/t200-linked.t
runtime_tests += tests/runtime/t300-forms.t
runtime_tests += tests/runtime/t400-threads.t
runtime_tests += tests/runtime/t500-locks.t
runtime_tests += tests/runtime/t510-locks-same.t
runtime_tests += tests/runtime/t520-locks-cxx.t

TESTS += $(runtime_tests)
EXTRA_DIST += $(runtime_tests)
EXTRA_DIST += tests/runtime/burn.c
EXTRA_DIST += tests/runtime/lib.sh
EXTRA_DIST += tests/runtime/linked.c
EXTRA_DIST += tests/runtime/locks.c
EXTRA_DIST += tests/runtime/locks.sh
EXTRA_DIST += tests/runtime/locks_cxx.cc
EXTRA_DIST += tests/runtime/locks_same.c
EXTRA_DIST += tests/runtime/odd.c
EXTRA_DIST += tests/runtime/plug.c
EXTRA_DIST += tests/runtime/scribble.c
EXTRA_DIST += tests/runtime/stress.c

# The dump of threads: a program that makes it again and again, also for script/bench.

check_PROGRAMS += tests/runtime/threads_dump
tests_runtime_threads_dump_SOURCES = tests/runtime/threads_dump.c
tests_runtime_threads_dump_LDADD = $(collect_libs)
EXTRA_DIST += tests/runtime/depths.c tests/runtime/interrupted.c tests/runtime/waits.c

# The unwinder: programs print TAP without cmocka, so that they also run for another machine.

unwind_tests = \
	tests/runtime/unwind_bytes \
	tests/runtime/unwind_frames

check_PROGRAMS += $(unwind_tests)
TESTS += $(unwind_tests) tests/runtime/unwind_aarch64.t tests/runtime/unwind_steps.t tests/runtime/unwind_symbols.t
EXTRA_PROGRAMS += tests/runtime/lock_bench tests/runtime/unwind_bench
EXTRA_DIST += \
	tests/runtime/make_cfi.h \
	tests/runtime/tap.h \
	tests/runtime/unwind_aarch64.t \
	tests/runtime/unwind_compare.c \
	tests/runtime/unwind_compare.sh \
	tests/runtime/unwind_here.h \
	tests/runtime/unwind_steps.c \
	tests/runtime/unwind_steps.t \
	tests/runtime/unwind_symbols.t

unwind_libs = src/runtime/unwind/libcpaunwind.a $(BASE_LIBS)

tests_runtime_lock_bench_SOURCES = tests/runtime/lock_bench.c

tests_runtime_unwind_bench_SOURCES = tests/runtime/unwind_bench.c tests/runtime/unwind_here.h
tests_runtime_unwind_bench_LDADD = $(unwind_libs)

tests_runtime_unwind_bytes_SOURCES = tests/runtime/unwind_bytes.c tests/runtime/make_cfi.h tests/runtime/tap.h tests/runtime/unwind_here.h
tests_runtime_unwind_bytes_LDADD = $(unwind_libs)

tests_runtime_unwind_frames_SOURCES = tests/runtime/unwind_frames.c tests/runtime/tap.h tests/runtime/unwind_here.h
tests_runtime_unwind_frames_LDADD = $(unwind_libs)

# The heap: the tables themselves, read by a program that stands in for cpa run.

heap_tests = \
	tests/runtime/t300-heap.t \
	tests/runtime/t310-heap-rates.t \
	tests/runtime/t320-heap-others.t \
	tests/runtime/t330-heap-live.t \
	tests/runtime/t340-late.t \
	tests/runtime/t350-heap-run.t

TESTS += $(heap_tests)
EXTRA_DIST += $(heap_tests) \
	tests/runtime/heap.sh \
	tests/runtime/heap_exact.cc \
	tests/runtime/heap_live.c \
	tests/runtime/heap_load.c
check_PROGRAMS += tests/runtime/heap_watch
tests_runtime_heap_watch_SOURCES = tests/runtime/heap_watch.c
tests_runtime_heap_watch_LDADD = $(collect_libs)
EXTRA_PROGRAMS += tests/runtime/heap_bench
tests_runtime_heap_bench_SOURCES = tests/runtime/heap_bench.c
# Profiles of its own, as files.
check_PROGRAMS += tests/runtime/snap_files
tests_runtime_snap_files_SOURCES = tests/runtime/snap_files.c tests/unit/make_tables.h
tests_runtime_snap_files_LDADD = $(collect_libs)
