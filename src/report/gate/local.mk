# src/report/gate - is the new side slower than the base?

noinst_LIBRARIES += src/report/gate/libgate.a
src_report_gate_libgate_a_SOURCES = \
	src/report/gate/config.c \
	src/report/gate/gate.h \
	src/report/gate/gate_int.h \
	src/report/gate/how.c \
	src/report/gate/how.h \
	src/report/gate/how_int.h \
	src/report/gate/names.c \
	src/report/gate/names.h \
	src/report/gate/words.c
