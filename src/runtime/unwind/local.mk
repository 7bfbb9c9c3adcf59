# src/runtime/unwind - from registers and a stack to return addresses; runs in handlers of other people's programs

noinst_LIBRARIES += src/runtime/unwind/libcpaunwind.a
src_runtime_unwind_libcpaunwind_a_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=hidden
src_runtime_unwind_libcpaunwind_a_SOURCES = \
	src/runtime/unwind/cfi.c \
	src/runtime/unwind/expr.c \
	src/runtime/unwind/guess.c \
	src/runtime/unwind/here.c \
	src/runtime/unwind/memo.c \
	src/runtime/unwind/object.c \
	src/runtime/unwind/regs.c \
	src/runtime/unwind/row.c \
	src/runtime/unwind/snapshot.c \
	src/runtime/unwind/unwind.h \
	src/runtime/unwind/walk.c \
	src/runtime/unwind/walk_int.h
