# src/libcpaprof/target/unwind - the stack unwinder; runs in signal handlers of other programs

noinst_LIBRARIES += src/libcpaprof/target/unwind/libunwind.a
src_libcpaprof_target_unwind_libunwind_a_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=hidden
src_libcpaprof_target_unwind_libunwind_a_SOURCES = \
	src/libcpaprof/target/unwind/cfi.c \
	src/libcpaprof/target/unwind/expr.c \
	src/libcpaprof/target/unwind/find_object.c \
	src/libcpaprof/target/unwind/guess.c \
	src/libcpaprof/target/unwind/memo.c \
	src/libcpaprof/target/unwind/object.c \
	src/libcpaprof/target/unwind/regs.c \
	src/libcpaprof/target/unwind/row.c \
	src/libcpaprof/target/unwind/snapshot.c \
	src/libcpaprof/target/unwind/unwind.h \
	src/libcpaprof/target/unwind/walk.c \
	src/libcpaprof/target/unwind/walk_int.h
