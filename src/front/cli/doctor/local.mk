# src/front/cli/doctor - cpa doctor: capture evidence, compare, explain

src_cpa_SOURCES += \
	src/front/cli/doctor/baseline.c \
	src/front/cli/doctor/capture.c \
	src/front/cli/doctor/doctor.c \
	src/front/cli/doctor/doctor_int.h \
	src/front/cli/doctor/evidence.c \
	src/front/cli/doctor/process.c \
	src/front/cli/doctor/service.c
