# src/doctor - findings of cpa doctor: rules on captured profiles and stacks

noinst_LIBRARIES += src/doctor/libdoctor.a
src_doctor_libdoctor_a_SOURCES = \
	src/doctor/cpu.c \
	src/doctor/cpu.h \
	src/doctor/doctor.c \
	src/doctor/doctor.h \
	src/doctor/frames.c \
	src/doctor/frames.h \
	src/doctor/growth.c \
	src/doctor/growth.h \
	src/doctor/groups.c \
	src/doctor/groups.h \
	src/doctor/print.c \
	src/doctor/rules.h \
	src/doctor/rules_memory.c \
	src/doctor/rules_slow.c \
	src/doctor/rules_threads.c
