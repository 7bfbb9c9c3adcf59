# tests/runtime - what runs in other people's programs; programs print TAP without cmocka, so that they
# also run for another machine

runtime_tests = \
	tests/runtime/unwind_bytes \
	tests/runtime/unwind_frames

check_PROGRAMS += $(runtime_tests)
TESTS += $(runtime_tests) tests/runtime/unwind_aarch64.t tests/runtime/unwind_steps.t tests/runtime/unwind_symbols.t
EXTRA_PROGRAMS += tests/runtime/unwind_bench
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

tests_runtime_unwind_bench_SOURCES = tests/runtime/unwind_bench.c tests/runtime/unwind_here.h
tests_runtime_unwind_bench_LDADD = $(unwind_libs)

tests_runtime_unwind_bytes_SOURCES = tests/runtime/unwind_bytes.c tests/runtime/make_cfi.h tests/runtime/tap.h tests/runtime/unwind_here.h
tests_runtime_unwind_bytes_LDADD = $(unwind_libs)

tests_runtime_unwind_frames_SOURCES = tests/runtime/unwind_frames.c tests/runtime/tap.h tests/runtime/unwind_here.h
tests_runtime_unwind_frames_LDADD = $(unwind_libs)
