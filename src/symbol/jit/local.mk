# src/symbol/jit - names of generated code: perf maps and jitdumps

src_symbol_libsymbol_a_SOURCES += \
	src/symbol/jit/jit.c \
	src/symbol/jit/jit.h \
	src/symbol/jit/jit_process.c \
	src/symbol/jit/jit_process.h \
	src/symbol/jit/jit_profile.c
