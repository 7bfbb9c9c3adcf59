# src/symbol/demangle - names of C++, Rust and D as people write them

src_symbol_libsymbol_a_SOURCES += \
	src/symbol/demangle/demangle.c \
	src/symbol/demangle/demangle.h \
	src/symbol/demangle/demangle_cplus.c \
	src/symbol/demangle/demangle_d.c \
	src/symbol/demangle/demangle_int.h \
	src/symbol/demangle/demangle_rust.c
