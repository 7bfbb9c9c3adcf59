/*
 * test_context.c - process contexts and thread-local variables read from memory that is not trusted
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/context.h"
#include "attach/tls.h"
#include "libcpaprof/collector/read/read_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N_MUTATIONS = 20000, SEED = 4719 };

/* service.name=shop and n=-1; then the version of thread contexts, and the keys op and tenant */
static const uint8_t message[] = "\x0a\x2b"
				 "\x0a\x14\x0a\x0cservice.name\x12\x04\x0a\x02hi"
				 "\x0a\x13\x0a\x04only\x12\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
				 "\x12\x2e\x0a\x1athreadlocal.schema_version\x12\x10\x0a\x0etlsdesc_v1_dev"
				 "\x12\x32\x0a\x1dthreadlocal.attribute_key_map\x12\x11\x2a\x0f"
				 "\x0a\x04\x0a\x02op\x0a\x07\x0a\x05te\xffnt";
enum { MESSAGE_SIZE = sizeof(message) - 1 };

static struct address_space own_space(void)
{
	return (struct address_space){ .pid = getpid(), .mem = -1 };
}

static void decodes_attributes_and_keys_of_labels(void **state)
{
	struct process_context c = { 0 };

	(void)state;
	assert_null(attach_context_decode(&c, message, MESSAGE_SIZE));
	assert_int_equal(c.n, 2);
	assert_string_equal(attach_context_value(&c, "service.name"), "hi");
	assert_string_equal(attach_context_value(&c, "only"), "-1");
	assert_null(attach_context_value(&c, "op"));
	assert_true(c.has_thread_contexts);
	assert_int_equal(c.n_label_keys, 2);
	assert_string_equal(c.text.data + c.label_key[0], "op");
	assert_string_equal(c.text.data + c.label_key[1], "te\xef\xbf\xbdnt");
	attach_context_release(&c);
}

static void a_damaged_message_changes_nothing(void **state)
{
	struct process_context c = { 0 };

	(void)state;
	assert_null(attach_context_decode(&c, message, MESSAGE_SIZE));
	for (size_t n = 1; n < MESSAGE_SIZE; n++) {
		const char *problem = attach_context_decode(&c, message, n);

		if (n != 45 && n != 93) /* ends of fields: these are shorter messages */
			assert_non_null(problem);
		else
			assert_null(attach_context_decode(&c, message, MESSAGE_SIZE));
		assert_string_equal(attach_context_value(&c, "service.name"), "hi");
		assert_int_equal(c.n_label_keys, 2);
	}
	attach_context_release(&c);
}

static void no_message_harms_the_reader(void **state)
{
	uint8_t bytes[MESSAGE_SIZE];
	unsigned seed = SEED;

	(void)state;
	for (int i = 0; i < N_MUTATIONS; i++) {
		struct process_context c = { 0 };

		memcpy(bytes, message, sizeof(bytes));
		for (int k = rand_r(&seed) % 4; k >= 0; k--)
			bytes[(unsigned)rand_r(&seed) % sizeof(bytes)] = (uint8_t)rand_r(&seed);
		attach_context_decode(&c, bytes, (unsigned)rand_r(&seed) % (sizeof(bytes) + 1));
		attach_context_release(&c);
	}
}

struct header {
	char signature[8];
	uint32_t version, size;
	uint64_t published_ns, payload;
};

static void reads_a_context_again_only_if_it_was_published_again(void **state)
{
	struct header h = { "OTEL_CT", 2, MESSAGE_SIZE, 1, (uint64_t)(uintptr_t)message };
	struct process_context c = { .address = (uint64_t)(uintptr_t)&h };
	struct address_space space = own_space();

	(void)state;
	assert_false(attach_context_read(&c, &space));
	assert_string_equal(c.problem, "the header is not one");
	h.signature[7] = 'X';
	h.version = 1;
	assert_false(attach_context_read(&c, &space));
	assert_string_equal(c.problem, "the version of the header is not 2");
	h.version = 2;
	h.published_ns = 0;
	assert_false(attach_context_read(&c, &space));
	assert_string_equal(c.problem, "it was changed whenever it was read");
	h.published_ns = 5;
	assert_true(attach_context_read(&c, &space));
	assert_null(c.problem);
	h.payload = 8; /* not mapped */
	assert_true(attach_context_read(&c, &space));
	assert_null(c.problem);
	h.published_ns = 6;
	assert_true(attach_context_read(&c, &space)); /* the attributes that were read before are kept */
	assert_string_equal(c.problem, "the message cannot be read");
	assert_string_equal(attach_context_value(&c, "service.name"), "hi");
	h.size = 65537;
	attach_context_read(&c, &space);
	assert_string_equal(c.problem, "the message is empty or larger than 64 KiB");
	attach_context_release(&c);
}

static void knows_the_names_of_mappings(void **state)
{
	(void)state;
	assert_true(attach_context_is_mapping("/memfd:OTEL_CTX (deleted)"));
	assert_true(attach_context_is_mapping("[anon_shmem:OTEL_CTX]"));
	assert_true(attach_context_is_mapping("[anon:OTEL_CTX]"));
	assert_false(attach_context_is_mapping("/tmp/memfd:OTEL_CTX"));
	assert_false(attach_context_is_mapping("[anon:OTEL]"));
}

#if defined(__x86_64__)

/* An object whose memory is this structure: addresses in it are relative to its start. */
struct image {
	Elf64_Ehdr head;
	Elf64_Phdr segment[3];
	Elf64_Dyn dynamic[8];
	Elf64_Sym symbol[2];
	Elf64_Rela relocation[1];
	struct {
		uint32_t n_buckets, first, n_bloom, shift;
		uint64_t bloom;
		uint32_t bucket, chain;
	} hash;
	char names[32];
	uint64_t slot[2], block[2];
};

enum { ALIGN = 64, BLOCK_SIZE = 100, SYMBOL_AT = 16 };

static void make_image(struct image *m, uint32_t relocation)
{
	static const char name[] = "otel_thread_ctx_v1";
	uint32_t h = 5381;

	for (const char *s = name; *s; s++)
		h = h * 33 + (unsigned char)*s;
	memset(m, 0, sizeof(*m));
	memcpy(m->head.e_ident, ELFMAG, SELFMAG);
	m->head.e_ident[EI_CLASS] = ELFCLASS64;
	m->head.e_machine = EM_X86_64;
	m->head.e_phnum = 3;
	m->head.e_phentsize = sizeof(*m->segment);
	m->head.e_phoff = offsetof(struct image, segment);
	m->segment[0] = (Elf64_Phdr){ .p_type = PT_LOAD };
	m->segment[1] = (Elf64_Phdr){ .p_type = PT_TLS, .p_vaddr = 0x20, .p_memsz = BLOCK_SIZE, .p_align = ALIGN };
	m->segment[2] = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
				      .p_vaddr = offsetof(struct image, dynamic),
				      .p_memsz = sizeof(m->dynamic) };
	m->dynamic[0] = (Elf64_Dyn){ DT_SYMTAB, { offsetof(struct image, symbol) } };
	m->dynamic[1] = (Elf64_Dyn){ DT_STRTAB, { offsetof(struct image, names) } };
	m->dynamic[2] = (Elf64_Dyn){ DT_GNU_HASH, { offsetof(struct image, hash) } };
	if (relocation) {
		m->dynamic[3] = (Elf64_Dyn){ DT_RELA, { offsetof(struct image, relocation) } };
		m->dynamic[4] = (Elf64_Dyn){ DT_RELASZ, { sizeof(m->relocation) } };
		m->relocation[0] = (Elf64_Rela){ offsetof(struct image, slot), ELF64_R_INFO(1, relocation), 0 };
	}
	m->symbol[1] = (Elf64_Sym){ 1, ELF64_ST_INFO(STB_GLOBAL, STT_TLS), STV_DEFAULT, 1, SYMBOL_AT, 8 };
	memcpy(m->names + 1, name, sizeof(name));
	m->hash.n_buckets = m->hash.first = m->hash.n_bloom = 1;
	m->hash.bucket = 1;
	m->hash.chain = h | 1;
}

static bool find(struct image *m, bool is_program, struct tls_variable *out)
{
	struct address_space space = own_space();
	uint32_t n_steps = TLS_STEPS_MAX;
	struct tls_object o;

	return attach_tls_open(&o, &space, (uint64_t)(uintptr_t)m, is_program, &n_steps) &&
	       attach_tls_find(&o, "otel_thread_ctx_v1", out);
}

static void finds_variables_of_each_access_model(void **state)
{
	struct tls_variable v;
	struct image m;

	(void)state;
	make_image(&m, 0);
	assert_false(find(&m, false, &v)); /* a library without a relocation */
	assert_true(find(&m, true, &v));
	/* the block has 100 bytes and begins at 0x20 modulo 64, so at thread pointer - 160 */
	assert_int_equal(v.offset, SYMBOL_AT - 160);
	make_image(&m, R_X86_64_TPOFF64);
	m.slot[0] = (uint64_t)-40;
	assert_true(find(&m, false, &v) && !v.is_dynamic);
	assert_int_equal(v.offset, -40);
	make_image(&m, R_X86_64_TLSDESC);
	m.slot[1] = (uint64_t)-48;
	assert_true(find(&m, false, &v) && !v.is_dynamic);
	assert_int_equal(v.offset, -48);
	m.slot[1] = (uint64_t)(uintptr_t)m.block;
	m.block[0] = 3;
	m.block[1] = 24;
	assert_true(find(&m, false, &v) && v.is_dynamic);
	assert_int_equal(v.module, 3);
	assert_int_equal(v.offset, 24);
	make_image(&m, R_X86_64_DTPMOD64);
	m.slot[0] = 2;
	m.slot[1] = 8;
	assert_true(find(&m, false, &v) && v.is_dynamic);
	assert_int_equal(v.module, 2);
	assert_int_equal(v.offset, 8);
}

static void a_search_without_end_is_given_up(void **state)
{
	struct address_space space = own_space();
	uint32_t n_steps = TLS_STEPS_MAX / 8;
	struct tls_variable v;
	struct tls_object o;
	struct image *m = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	make_image(m, R_X86_64_TPOFF64);
	m->hash.bucket = 1000; /* its chain continues over all memory that follows */
	assert_true(attach_tls_open(&o, &space, (uint64_t)(uintptr_t)m, false, &n_steps));
	assert_false(attach_tls_find(&o, "otel_thread_ctx_v1", &v));
	assert_int_equal(n_steps, 0);
	make_image(m, R_X86_64_TPOFF64);
	assert_false(attach_tls_find(&o, "otel_thread_ctx_v1", &v));
	munmap(m, 1 << 20);
}

static void finds_blocks_of_modules_through_the_vector(void **state)
{
	uint64_t vector[8] = { 3, 0, 9, 0, 0x1000, 0, UINT64_MAX, 0 },
		 thread[2] = { 0, (uint64_t)(uintptr_t)(vector + 2) };
	struct address_space space = own_space();
	uint64_t pointer = (uint64_t)(uintptr_t)thread;
	struct tls_variable v = { true, 24, 1 };

	(void)state;
	assert_int_equal(attach_tls_address(&space, &v, pointer), 0x1018);
	v.module = 2; /* its block is not allocated yet */
	assert_int_equal(attach_tls_address(&space, &v, pointer), 0);
	v.module = 4; /* beyond the vector */
	assert_int_equal(attach_tls_address(&space, &v, pointer), 0);
	assert_int_equal(attach_tls_address(&space, &v, 8), 0);
	v = (struct tls_variable){ .offset = -8 };
	assert_int_equal(attach_tls_address(&space, &v, 4096), 4088);
}

static void no_object_harms_the_reader(void **state)
{
	static const uint32_t types[] = { 0, R_X86_64_TPOFF64, R_X86_64_TLSDESC, R_X86_64_DTPMOD64 };
	struct image *m = malloc(sizeof(*m));
	unsigned seed = SEED;
	struct tls_variable v;

	(void)state;
	for (int i = 0; i < N_MUTATIONS; i++) {
		make_image(m, types[i % 4]);
		for (int k = rand_r(&seed) % 4; k >= 0; k--)
			((uint8_t *)m)[(unsigned)rand_r(&seed) % sizeof(*m)] = (uint8_t)rand_r(&seed);
		find(m, i % 2, &v);
	}
	free(m);
}

static void finds_the_thread_pointer_of_this_thread(void **state)
{
	struct address_space space = own_space();
	uint64_t pointer;

	(void)state;
	__asm__("movq %%fs:0, %0" : "=r"(pointer));
	assert_int_equal(attach_tls_thread_pointer(&space, (uint32_t)syscall(SYS_gettid)), pointer);
	assert_int_equal(attach_tls_thread_pointer(&space, UINT32_MAX >> 1), 0);
}

#else

static void finds_nothing_on_this_machine(void **state)
{
	struct address_space space = own_space();

	(void)state;
	assert_int_equal(attach_tls_thread_pointer(&space, (uint32_t)syscall(SYS_gettid)), 0);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_attributes_and_keys_of_labels),
		cmocka_unit_test(a_damaged_message_changes_nothing),
		cmocka_unit_test(no_message_harms_the_reader),
		cmocka_unit_test(reads_a_context_again_only_if_it_was_published_again),
		cmocka_unit_test(knows_the_names_of_mappings),
#if defined(__x86_64__)
		cmocka_unit_test(finds_variables_of_each_access_model),
		cmocka_unit_test(a_search_without_end_is_given_up),
		cmocka_unit_test(finds_blocks_of_modules_through_the_vector),
		cmocka_unit_test(no_object_harms_the_reader),
		cmocka_unit_test(finds_the_thread_pointer_of_this_thread),
#else
		cmocka_unit_test(finds_nothing_on_this_machine),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
