// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packed files: read whole, refused when damaged, and what can't be read says what to do.
 */
#include <errno.h>
#include <lzma.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "samples.h"

static char path[] = "/tmp/idlest-packed-XXXXXX";

/* A text larger than the reader's buffers. */
static char *long_text(size_t *len, size_t lines)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	for (size_t i = 0; i < lines; i++)
		fprintf(f,
			"           a b-%zu     [%03zu] d..2.  %5zu.%06zu: sched_wakeup: comm=c%zu "
			"pid=%zu prio=120 target_cpu=%03zu\n",
			i % 100, i % 8, i / 1000000, i % 1000000, i % 77, i % 77 + 1, i % 8);
	fclose(f);
	return text;
}

static void store(const void *data, size_t len)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

static size_t pack_gzip(const char *text, size_t len, u8 *out, size_t room)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)text;
	z.avail_in = (uInt)len;
	z.next_out = out;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static size_t pack_xz(const char *text, size_t len, u8 *out, size_t room)
{
	size_t n = 0;

	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const u8 *)text, len,
						 out, &n, room),
			 LZMA_OK);
	return n;
}

static void check_packed(size_t (*pack)(const char *, size_t, u8 *, size_t))
{
	size_t lines = 20000, len, n;
	char *text = long_text(&len, lines);
	u8 *packed = malloc(2 * len);
	struct trace *t;
	struct err err = {0};

	assert_non_null(packed);
	n = pack(text, len, packed, 2 * len);
	store(packed, n);
	if (trace_read(path, &t, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(t->count[EV_WAKEUP], lines);
	assert_int_equal(t->lines, lines);
	trace_free(t);

	/* cut off anywhere: never fewer events in silence */
	for (size_t cut = 10; cut < n; cut += n / 17) {
		err_clear(&err);
		store(packed, cut);
		assert_int_equal(trace_read(path, &t, &err), -EBADMSG);
		assert_non_null(strstr(err.msg, "damaged or cut off"));
	}
	/* two of them, one behind the other, are one file */
	memcpy(packed + n, packed, n);
	err_clear(&err);
	store(packed, 2 * n);
	if (trace_read(path, &t, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(t->count[EV_WAKEUP], 2 * lines);
	trace_free(t);
	packed[n / 2] ^= 0x55;
	err_clear(&err);
	store(packed, n);
	assert_int_equal(trace_read(path, &t, &err), -EBADMSG);
	free(packed);
	free(text);
}

static void gzip(void **state)
{
	check_packed(pack_gzip);
}

static void xz(void **state)
{
	check_packed(pack_xz);
}

static size_t pack_zstd(const char *text, size_t len, u8 *out, size_t room)
{
	size_t n = ZSTD_compress(out, room, text, len, 1);

	assert_false(ZSTD_isError(n));
	return n;
}

static void zstd(void **state)
{
	check_packed(pack_zstd);
}

/* ---- memory ---- */

static long peak_kb(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* Lines of other events, without end; @mb of them go into @fd, with one wake-up a MB. */
static void send_lines(int fd, int mb)
{
	static const char other[] = "   a b-7  [003] d.h1. 5.000001: irq_handler_entry: irq=16 name=x\n";
	static const char wake[] = "   a b-7  [003] d..2. 5.000001: sched_wakeup: comm=c pid=2 prio=120 "
				   "target_cpu=003\n";
	FILE *f = fdopen(fd, "w");

	for (int i = 0; i < mb; i++) {
		fputs(wake, f);
		for (size_t n = 0; n < 1 << 20; n += sizeof(other) - 1)
			fputs(other, f);
	}
	fclose(f);
}

/* However long a text is, only the events that are kept take memory. */
static void constant_memory(void **state)
{
	int fd[2], mb = 64;
	long before = peak_kb();
	struct trace *t;
	struct err err = {0};
	pid_t child;
	char name[64];

	assert_int_equal(pipe(fd), 0);
	child = fork();
	if (!child) {
		close(fd[0]);
		send_lines(fd[1], mb);
		_exit(0);
	}
	close(fd[1]);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd[0]);
	if (trace_read(name, &t, &err))
		fail_msg("%s", err.msg);
	close(fd[0]);
	waitpid(child, NULL, 0);
	assert_int_equal(t->nr, mb);
	assert_true(t->others > 500000);
	trace_free(t);
	if (peak_kb() - before > 8192)
		fail_msg("%ld KB more for %d MB of text", peak_kb() - before, mb);
}

static void other_formats(void **state)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *word;
	} files[] = {
		{"PERFILE2........", 16, "perf script"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct trace *t;
		struct err err = {0};

		store(files[i].magic, files[i].len);
		assert_int_equal(trace_read(path, &t, &err), -EINVAL);
		if (!strstr(err.msg, files[i].word))
			fail_msg("'%s' doesn't say %s", err.msg, files[i].word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constant_memory),
		cmocka_unit_test(gzip),
		cmocka_unit_test(xz),
		cmocka_unit_test(zstd),
		cmocka_unit_test(other_formats),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
