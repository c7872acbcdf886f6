// SPDX-License-Identifier: BSD-2-Clause
/*
 * Perfetto's packets: what is written is read again and says what the text of
 * the same run says; columns, interned names, losses and packed packets are
 * read as they were meant; damage is counted and never fatal.
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/rng.h"
#include "runs.h"
#include "trace/perfetto.pb-c.h"
#include "trace/write.h"

static char path[] = "/tmp/idlest-perfetto-XXXXXX";

/* ---- packets put together by hand ---- */

#define MAX_PACKETS 8

static struct {
	u8 data[65536];
	size_t len;
} file;

static size_t put_varint(u8 *to, u64 v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (u8)(v | 0x80);
	to[n++] = (u8)v;
	return n;
}

static void add_packet(const Perfetto__TracePacket *p)
{
	file.data[file.len++] = 0x0a;
	file.len += put_varint(file.data + file.len, perfetto__trace_packet__get_packed_size(p));
	file.len += perfetto__trace_packet__pack(p, file.data + file.len);
	assert_true(file.len < sizeof(file.data));
}

static void add_bundle(Perfetto__FtraceEventBundle *b)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

	p.ftrace_events = b;
	add_packet(&p);
}

static struct trace *read_packets(const u8 *data, size_t len)
{
	u8 *copy = malloc(len + 1); /* a step beyond is seen */
	struct trace *t;
	struct err err = { 0 };

	memcpy(copy, data, len);
	if (trace_read_packets(copy, len, &t, &err))
		fail_msg("%s", err.msg);
	free(copy);
	return t;
}

static struct trace *read_file(void)
{
	struct trace *t = read_packets(file.data, file.len);

	file.len = 0;
	return t;
}

static void expect(const struct trace *t, const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	sample_print(f, t);
	fclose(f);
	if (strcmp(text, expected))
		fail_msg("expected\n%s\ngot\n%s", expected, text);
	free(text);
}

/*
 * CPU 3 switches at 1000 to 10, at 1500 to idle, at 4000 to 11; in between 10
 * wakes 11 and idle wakes 10.
 */
static void compact_bundle(Perfetto__FtraceEventBundle *b, Perfetto__CompactSched *c)
{
	static u64 switched[] = { 1000, 500, 2500 }, waking[] = { 1200, 2000 };
	static int64_t state[] = { 0, 1, 0 };
	static int32_t next[] = { 10, 0, 11 }, prio[] = { 120, 120, 98 };
	static int32_t wakee[] = { 11, 10 }, target[] = { 3, 5 }, wakee_prio[] = { 98, 120 };
	static u32 comm[] = { 0, 1, 2 }, wakee_comm[] = { 2, 0 }, flags[] = { 1, 1 | 8 };
	static char *names[] = { "ten", "swapper/3", "eleven" };

	perfetto__ftrace_event_bundle__init(b);
	perfetto__compact_sched__init(c);
	b->has_cpu = true;
	b->cpu = 3;
	b->compact_sched = c;
	c->n_switch_timestamp = c->n_switch_prev_state = c->n_switch_next_pid =
		c->n_switch_next_prio = c->n_switch_next_comm_index = 3;
	c->switch_timestamp = switched;
	c->switch_prev_state = state;
	c->switch_next_pid = next;
	c->switch_next_prio = prio;
	c->switch_next_comm_index = comm;
	c->n_waking_timestamp = c->n_waking_pid = c->n_waking_target_cpu = c->n_waking_prio =
		c->n_waking_comm_index = c->n_waking_common_flags = 2;
	c->waking_timestamp = waking;
	c->waking_pid = wakee;
	c->waking_target_cpu = target;
	c->waking_prio = wakee_prio;
	c->waking_comm_index = wakee_comm;
	c->waking_common_flags = flags;
	c->n_intern_table = 3;
	c->intern_table = names;
}

static void columns(void **state)
{
	Perfetto__FtraceEventBundle b;
	Perfetto__CompactSched c;
	struct trace *t;

	compact_bundle(&b, &c);
	add_bundle(&b);
	t = read_file();
	expect(t,
	       "0.000001200 cpu3 sched_waking curr='ten':10 task='eleven':11 prio=98 target=3 "
	       "[irqs-off depth 0]\n"
	       "0.000001500 cpu3 sched_switch curr='ten':10 task='swapper/3':0 prio=120 "
	       "prev_prio=120 state=S bits=1\n"
	       "0.000003200 cpu3 sched_waking curr='':0 task='ten':10 prio=120 target=5 "
	       "[irqs-off hardirq depth 0]\n"
	       "0.000004000 cpu3 sched_switch curr='swapper/3':0 task='eleven':11 prio=98 "
	       "prev_prio=120 state=R bits=0\n"
	       "6 CPUs, 1 lines, 0 comments, 0 other events\n"
	       "note: 1 event skipped: a compact event at a time when it isn't known who ran on "
	       "its CPU\n");
	trace_free(t);
}

/* What follows a loss doesn't follow from what came before it. */
static void lost_events(void **state)
{
	Perfetto__FtraceEventBundle b;
	Perfetto__CompactSched c;
	struct trace *t;

	compact_bundle(&b, &c);
	add_bundle(&b);
	c.switch_timestamp[0] = 9000;
	c.waking_timestamp[0] = 9200;
	b.has_lost_events = b.lost_events = true;
	add_bundle(&b);
	c.switch_timestamp[0] = 1000;
	c.waking_timestamp[0] = 1200;
	t = read_file();
	assert_int_equal(t->gaps, 1);
	assert_int_equal(t->skip[SKIP_NO_PREV].count, 2);
	assert_int_equal(t->count[EV_SWITCH], 4);
	assert_int_equal(t->count[EV_WAKING], 4);
	trace_free(t);

	/* without a loss it does */
	b.lost_events = false;
	add_bundle(&b);
	c.switch_timestamp[0] = 9000;
	c.waking_timestamp[0] = 9200;
	add_bundle(&b);
	c.switch_timestamp[0] = 1000;
	c.waking_timestamp[0] = 1200;
	t = read_file();
	assert_int_equal(t->skip[SKIP_NO_PREV].count, 1);
	assert_int_equal(t->count[EV_SWITCH], 5);
	trace_free(t);
}

static void columns_that_lie(void **state)
{
	Perfetto__FtraceEventBundle b;
	Perfetto__CompactSched c;
	struct trace *t;

	/* a column too short: what isn't whole is left out */
	compact_bundle(&b, &c);
	c.n_switch_next_prio = 2;
	add_bundle(&b);
	/* a name that isn't in the table, a CPU that can't be */
	compact_bundle(&b, &c);
	c.n_intern_table = 1;
	c.waking_target_cpu[1] = 70000;
	add_bundle(&b);
	c.waking_target_cpu[1] = 5;
	t = read_file();
	assert_int_equal(t->skip[SKIP_DAMAGED].count, 1);
	assert_int_equal(t->skip[SKIP_DAMAGED].first_line, 1);
	assert_int_equal(t->skip[SKIP_RANGE].count, 4);
	assert_int_equal(t->skip[SKIP_RANGE].first_line, 2);
	trace_free(t);

	compact_bundle(&b, &c);
	b.has_cpu = false;
	add_bundle(&b);
	t = read_file();
	assert_int_equal(t->nr, 0);
	assert_int_equal(t->skip[SKIP_NO_CPU].count, 1);
	trace_free(t);
}

/* ---- names and events by name ---- */

static Perfetto__FtraceEvent *event(Perfetto__FtraceEvent *e, u64 ns, u32 pid)
{
	perfetto__ftrace_event__init(e);
	e->has_timestamp = e->has_pid = true;
	e->timestamp = ns;
	e->pid = pid;
	return e;
}

/* A head has no name: it is the one the task has at that time, whoever told it. */
static void names(void **state)
{
	Perfetto__FtraceEvent e[4], *list[4] = { &e[0], &e[1], &e[2], &e[3] };
	Perfetto__FtraceEventBundle b = PERFETTO__FTRACE_EVENT_BUNDLE__INIT;
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__ProcessTree tree = PERFETTO__PROCESS_TREE__INIT;
	Perfetto__ProcessTree__Thread thread = PERFETTO__PROCESS_TREE__THREAD__INIT,
				      *threads[] = { &thread };
	Perfetto__Print print = PERFETTO__PRINT__INIT;
	Perfetto__TaskRename rename = PERFETTO__TASK_RENAME__INIT;
	Perfetto__SchedExec exec = PERFETTO__SCHED_EXEC__INIT;
	Perfetto__SchedSwitch s = PERFETTO__SCHED_SWITCH__INIT;
	struct trace *t;

	print.buf = "B|42|hello\n";
	event(&e[0], 100, 42)->print = &print;
	rename.has_pid = true;
	rename.pid = 42;
	rename.newcomm = "after";
	event(&e[1], 200, 42)->task_rename = &rename;
	exec.filename = "/bin/after";
	exec.has_pid = true;
	exec.pid = exec.old_pid = 42;
	exec.has_old_pid = true;
	event(&e[2], 300, 42)->sched_process_exec = &exec;
	s.prev_comm = "after";
	s.has_prev_pid = s.has_prev_state = s.has_next_pid = true;
	s.prev_pid = 42;
	s.prev_state = 0x100;
	s.next_comm = "other";
	s.next_pid = 43;
	event(&e[3], 50, 42)->sched_switch = &s;
	e[3].timestamp = 400;
	b.has_cpu = true;
	b.n_event = 4;
	b.event = list;
	add_bundle(&b);

	/* the tree comes in a packet behind, though the name was there before */
	thread.has_tid = true;
	thread.tid = 42;
	thread.name = "before";
	tree.n_threads = 1;
	tree.threads = threads;
	p.process_tree = &tree;
	p.has_timestamp = true;
	p.timestamp = 10;
	add_packet(&p);
	t = read_file();
	expect(t, "0.000000100 cpu0 tracing_mark_write curr='before':42 task='before':42 prio=0 "
		  "text='B|42|hello'\n"
		  "0.000000300 cpu0 sched_process_exec curr='after':42 task='after':42 prio=0 "
		  "file='/bin/after' old_pid=42\n"
		  "0.000000400 cpu0 sched_switch curr='after':42 task='other':43 prio=0 prev_prio=0 "
		  "state=R+ bits=200\n"
		  "1 CPUs, 2 lines, 0 comments, 0 other events\n");
	trace_free(t);
}

static void other_machines(void **state)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__FtraceEventBundle b;
	Perfetto__CompactSched c;
	struct trace *t;

	compact_bundle(&b, &c);
	p.ftrace_events = &b;
	p.has_machine_id = true;
	p.machine_id = 7;
	add_packet(&p);
	t = read_file();
	assert_int_equal(t->nr, 0);
	assert_int_equal(t->skip[SKIP_MACHINE].count, 1);
	trace_free(t);
}

/* ---- packets in packets ---- */

static void add_packed(const u8 *data, size_t len)
{
	static u8 packed[70000];
	uLongf n = sizeof(packed);
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

	assert_int_equal(compress(packed, &n, data, len), Z_OK);
	p.has_compressed_packets = true;
	p.compressed_packets.data = packed;
	p.compressed_packets.len = n;
	add_packet(&p);
}

static void packed_packets(void **state)
{
	static u8 inner[1000], twice[1000];
	Perfetto__FtraceEventBundle b;
	Perfetto__CompactSched c;
	size_t len, twice_len;
	struct trace *t;

	compact_bundle(&b, &c);
	add_bundle(&b);
	len = file.len;
	memcpy(inner, file.data, len);
	file.len = 0;
	add_packed(inner, len);
	t = read_file();
	assert_int_equal(t->nr, 4);
	assert_int_equal(t->lines, 2);
	trace_free(t);

	/* cut off inside, and packed twice */
	add_packed(inner, len - 1);
	add_packed(inner, len);
	twice_len = file.len;
	memcpy(twice, file.data, twice_len);
	t = read_file();
	assert_int_equal(t->skip[SKIP_DAMAGED].count, 1);
	assert_int_equal(t->nr, 4);
	trace_free(t);
	add_packed(twice, twice_len);
	t = read_file();
	assert_int_equal(t->skip[SKIP_DAMAGED].count, 2);
	assert_int_equal(t->nr, 0);
	trace_free(t);
}

/* ---- runs ---- */

static void write_as(const struct trace *t, enum trace_format format)
{
	struct trace_writing how = { .format = format, .nr_cpus = t->nr_cpus, .kernel = "v6.12" };
	struct trace_writer *w;
	struct err err = { 0 };

	if (trace_writer_open(path, &how, &w, &err))
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < t->nr; i++) {
		struct trace_load l = { t->event[i].ns, t->event[i].cpu, (u32)i % 7, (u32)i % 1024 };

		trace_write_event(w, t, &t->event[i]);
		trace_write_load(w, &l);
	}
	if (trace_writer_close(w, &err))
		fail_msg("%s", err.msg);
}

static struct trace *read_back(void)
{
	struct trace *t;
	struct err err = { 0 };
	char note[256];

	if (trace_read(path, &t, &err))
		fail_msg("%s", err.msg);
	if (trace_note(t, 0, note, sizeof(note)))
		fail_msg("%s", note);
	return t;
}

/* As both formats can say it: in microseconds, without the depth of locks. */
static char *event_text(const struct trace *t, const struct trace_event *e)
{
	struct trace_event rounded = *e;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	rounded.ns = (e->ns + 500) / 1000 * 1000;
	rounded.preempt_depth = 0;
	sample_print_event(f, t, &rounded);
	fclose(f);
	return text;
}

static void as_the_text_says(void **state)
{
	for (size_t n = 0; n < ARRAY_SIZE(runs); n++) {
		struct trace *t = record(&runs[n]), *text, *packets;

		write_as(t, TRACE_FTRACE);
		text = read_back();
		write_as(t, TRACE_PERFETTO);
		packets = read_back();
		assert_int_equal(packets->nr, text->nr);
		for (size_t i = 0; i < t->nr; i++) {
			char *x = event_text(text, &text->event[i]);
			char *y = event_text(packets, &packets->event[i]);

			if (strcmp(x, y))
				fail_msg("%s: event %zu is\n%s, in packets\n%s", runs[n].workload, i, x,
					 y);
			assert_int_equal(packets->event[i].ns, t->event[i].ns);
			free(x);
			free(y);
		}
		trace_free(t);
		trace_free(text);
		trace_free(packets);
	}
}

/* All kinds of events, whatever they hold. */
static void all_kinds(void **state)
{
	struct trace *t, *back;
	struct err err = { 0 };

	assert_int_equal(trace_read(SAMPLES "all-events.txt", &t, &err), 0);
	write_as(t, TRACE_PERFETTO);
	assert_int_equal(trace_read(path, &back, &err), 0);
	assert_int_equal(back->nr, t->nr);
	for (size_t i = 0; i < t->nr; i++) {
		char *x = event_text(t, &t->event[i]), *y = event_text(back, &back->event[i]);

		assert_string_equal(x, y);
		free(x);
		free(y);
	}
	trace_free(t);
	trace_free(back);
}

/* Traces of real kernels lose nothing in packets but the depth of locks. */
static void recorded(void **state)
{
	static const char *const files[] = { "corpus/traces/catapult_android4_systrace.ftrace.txt",
					     "corpus/traces/lisa_juno_rtapp_ramp.dat",
					     "kernel-truth/traces/v6.12_m8_bw.trace.xz" };

	for (size_t n = 0; n < ARRAY_SIZE(files); n++) {
		const char *name = recording(files[n]);
		struct trace *t, *back;
		struct err err = { 0 };

		if (!name) {
			print_message("no recordings here\n");
			skip();
		}
		assert_int_equal(trace_read(name, &t, &err), 0);
		write_as(t, TRACE_PERFETTO);
		assert_int_equal(trace_read(path, &back, &err), 0);
		assert_int_equal(back->nr, t->nr);
		for (size_t i = 0; i < t->nr; i++) {
			const struct trace_event *a = &t->event[i], *b = &back->event[i];

			assert_int_equal(a->ns, b->ns);
			assert_int_equal(a->kind, b->kind);
			assert_int_equal(a->cpu, b->cpu);
			assert_int_equal(a->pid, b->pid);
			assert_int_equal(a->curr_pid, b->curr_pid);
			assert_int_equal(a->prio, b->prio);
			/* these have a head's name only, which packets don't have */
			if (a->kind != EV_MARK && a->kind != EV_EXEC)
				assert_string_equal(trace_string(t, a->comm),
						    trace_string(back, b->comm));
			if (a->kind == EV_SWITCH)
				assert_int_equal(trace_state_letter(a->prev_state),
						 trace_state_letter(b->prev_state));
		}
		trace_free(t);
		trace_free(back);
	}
}

/* A second opinion on the bytes: the format's own compiler takes them apart. */
static void decoded_by_protoc(void **state)
{
	char command[256], line[256];
	struct trace *t = record(&runs[0]);
	int events = 0, switches = 0, counters = 0;
	FILE *f;

	write_as(t, TRACE_PERFETTO);
	if (system("protoc --version >/dev/null 2>&1")) {
		print_message("no protoc here\n");
		trace_free(t);
		skip();
	}
	snprintf(command, sizeof(command), "protoc --decode_raw <%s", path);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		events += !strcmp(line, "    2 {\n");
		switches += !strcmp(line, "      4 {\n");
		counters += !strcmp(line, "    9: 4\n");
	}
	assert_int_equal(pclose(f), 0);
	assert_int_equal(events, t->nr);
	assert_int_equal(switches, t->count[EV_SWITCH]);
	assert_true(counters > 100);
	trace_free(t);
}

/* ---- damage ---- */

static void cut_anywhere(void **state)
{
	struct trace *t = record(&runs[0]);
	size_t len, whole, nr = 0;
	u8 *data;

	write_as(t, TRACE_PERFETTO);
	data = (u8 *)sample_load(path, &len);
	assert_non_null(data);
	whole = min(len, (size_t)6000);
	trace_free(t);
	for (size_t n = 0; n < whole; n++) {
		t = read_packets(data, n);
		/* a cut is seen, and takes away no more than the packet that it cuts */
		assert_true(t->nr >= nr);
		nr = t->nr;
		for (int s = 0; s < NR_TRACE_SKIPS; s++)
			assert_true(s == SKIP_CUT_PACKET || !t->skip[s].count);
		trace_free(t);
	}
	assert_true(nr > 10);
	free(data);
}

static void flipped_bytes(void **state)
{
	struct trace *t = record(&runs[1]);
	struct rng rng;
	size_t len;
	u8 *data;

	write_as(t, TRACE_PERFETTO);
	trace_free(t);
	data = (u8 *)sample_load(path, &len);
	len = min(len, (size_t)8000);
	rng_init(&rng, 1, 0);
	for (int n = 0; n < 2000; n++) {
		data[rng_below(&rng, len)] = (u8)rng_below(&rng, 256);
		t = read_packets(data, len);
		for (size_t i = 0; i < t->nr; i++)
			assert_true(t->event[i].cpu < t->nr_cpus &&
				    t->event[i].kind < NR_TRACE_KINDS && t->event[i].curr_pid >= 0);
		trace_free(t);
	}
	free(data);
}

/* What claims to be longer than any packet is stepped over, what begins no packet ends the reading. */
static void strange_lengths(void **state)
{
	Perfetto__FtraceEventBundle b;
	Perfetto__CompactSched c;
	struct trace *t;

	compact_bundle(&b, &c);
	add_bundle(&b);
	file.data[file.len++] = 0x0a;
	file.len += put_varint(file.data + file.len, 1ull << 62);
	add_bundle(&b);
	t = read_file();
	assert_int_equal(t->skip[SKIP_LONG_PACKET].count, 1);
	assert_int_equal(t->skip[SKIP_CUT_PACKET].count, 1);
	assert_int_equal(t->nr, 4);
	trace_free(t);

	add_bundle(&b);
	file.data[file.len++] = 0x0f;
	add_bundle(&b);
	t = read_file();
	assert_int_equal(t->skip[SKIP_REST].count, 1);
	assert_int_equal(t->nr, 4);
	trace_free(t);
}

/* ---- which files ---- */

static void store(const void *data, size_t len)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

static void packed_files(void **state)
{
	struct trace *t = record(&runs[0]), *back;
	size_t nr = t->nr, len, n;
	char *data;
	u8 *packed;

	write_as(t, TRACE_PERFETTO);
	trace_free(t);
	data = sample_load(path, &len);
	packed = malloc(ZSTD_compressBound(len));
	n = ZSTD_compress(packed, ZSTD_compressBound(len), data, len, 3);
	assert_false(ZSTD_isError(n));
	store(packed, n);
	back = read_back();
	assert_int_equal(back->nr, nr);
	trace_free(back);
	free(packed);
	free(data);
}

static void text_with_an_empty_line(void **state)
{
	static const char text[] =
		"\n# tracer: nop\n   a-1  [000] d..2.   5.000001: sched_wakeup: comm=b pid=2 "
		"prio=120 target_cpu=000\n";
	struct trace *t;

	store(text, sizeof(text) - 1);
	t = read_back();
	assert_false(t->packets);
	assert_int_equal(t->nr, 1);
	trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(lost_events),
		cmocka_unit_test(columns_that_lie),
		cmocka_unit_test(names),
		cmocka_unit_test(other_machines),
		cmocka_unit_test(packed_packets),
		cmocka_unit_test(as_the_text_says),
		cmocka_unit_test(all_kinds),
		cmocka_unit_test(recorded),
		cmocka_unit_test(decoded_by_protoc),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(flipped_bytes),
		cmocka_unit_test(strange_lengths),
		cmocka_unit_test(packed_files),
		cmocka_unit_test(text_with_an_empty_line),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
