/*
 * runtime_names.h - recognise functions of runtimes, libraries and the system by name and source file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_RUNTIME_NAMES_H
#define ENGINE_RUNTIME_NAMES_H

#include <stdbool.h>

/*
 * Is a function part of a language's runtime, of libc or of the kernel?
 *
 * file   its source file; "" when unknown
 */
bool function_is_runtime(const char *name, const char *file);

/*
 * Is a function part of a scheduler or a garbage collector: of Go, Node, the JVM, .NET, Python, Ruby, libc or the kernel?
 * Its time depends on the load of the machine and on when memory is collected, not only on the program.
 *
 * file   its source file; "" when unknown
 */
bool function_is_scheduler_or_gc(const char *name, const char *file);

/*
 * Is a function part of the program itself, and not of a language's library, an installed package or the system? False
 * when neither name nor file decides.
 *
 * file   its source file; "" when unknown
 */
bool function_is_own(const char *name, const char *file);

#endif
