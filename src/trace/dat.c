// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "trace/dat.h"
#include "trace/internal.h"

enum string { CURR_COMM, COMM, OTHER, NR_STRINGS };

/* An event on its way from the child: its strings follow in the order of their lengths. */
struct wire {
	struct trace_event e;
	u8 len[NR_STRINGS];
	bool last; /* no event, but the counts */
	int nr_cpus;
	u64 others, lost, gaps;
};

/* ---- the child ---- */

struct sender {
	FILE *to;
	struct tep_handle *tep;
	struct wire counts;
	u64 records;
	u8 kind_of[65536]; /* by the event's number in the file: 0 not looked up, kind + 1 */
};

#define PATIENCE_S 60 /* without an event: the library loops in a damaged file */

#define NOT_KEPT (NR_TRACE_KINDS + 1)

static u8 look_up(const struct tep_event *event)
{
	if (!strcmp(event->system, "ftrace") && !strcmp(event->name, "print"))
		return EV_MARK + 1;
	if (strcmp(event->system, "sched") != 0)
		return NOT_KEPT;
	for (int k = 0; k < NR_TRACE_KINDS; k++)
		if (k != EV_MARK && !strcmp(event->name, trace_kind_name(k)))
			return (u8)(k + 1);
	return NOT_KEPT;
}

/* A number; @missing where the event has no such field */
static s64 number(struct tep_event *event, struct tep_record *rec, const char *field, s64 missing)
{
	unsigned long long v;

	return tep_get_field_val(NULL, event, field, rec, &v, 0) ? missing : (s64)v;
}

struct string_in {
	const char *p;
	size_t len;
};

static struct string_in string(struct tep_event *event, struct tep_record *rec, const char *field)
{
	int len = 0;
	const char *p = tep_get_field_raw(NULL, event, field, rec, &len, 0);
	const char *end = (const char *)rec->data + rec->size;

	if (!p || len <= 0 || p < (const char *)rec->data || p >= end)
		return (struct string_in){ NULL, 0 };
	len = min(len, (int)(end - p));
	return (struct string_in){ p, min(strnlen(p, (size_t)len), (size_t)TRACE_MAX_STRING) };
}

static struct string_in c_string(const char *p)
{
	return (struct string_in){ p, p ? min(strlen(p), (size_t)TRACE_MAX_STRING) : 0 };
}

/* The text that was written to trace_marker, to the end of the record, without its newline. */
static bool mark(struct sender *s, struct tep_event *event, struct tep_record *rec,
		 struct string_in *text)
{
	const char *from =
		tep_find_function(s->tep, (unsigned long long)number(event, rec, "ip", 0));
	struct tep_format_field *buf = tep_find_field(event, "buf");

	if (!from || strcmp(from, "tracing_mark_write") != 0 || !buf || buf->offset >= rec->size)
		return false;
	text->p = (const char *)rec->data + buf->offset;
	text->len =
		strnlen(text->p, min((size_t)(rec->size - buf->offset), (size_t)TRACE_MAX_STRING));
	if (text->len && text->p[text->len - 1] == '\n')
		text->len--;
	return true;
}

static void fill(struct tep_event *event, struct tep_record *rec, struct trace_event *e,
		 struct string_in str[NR_STRINGS])
{
	e->pid = (s32)number(event, rec, "pid", 0);
	str[COMM] = string(event, rec, "comm");
	switch (e->kind) {
	case EV_SWITCH:
		e->curr_pid = (s32)number(event, rec, "prev_pid", e->curr_pid);
		str[CURR_COMM] = string(event, rec, "prev_comm");
		e->prev_prio = (s16)number(event, rec, "prev_prio", 0);
		e->prev_state =
			TRACE_STATE_RAW | (u16)(number(event, rec, "prev_state", 0) & 0x1fff);
		e->pid = (s32)number(event, rec, "next_pid", 0);
		str[COMM] = string(event, rec, "next_comm");
		e->prio = (s16)number(event, rec, "next_prio", 0);
		return;
	case EV_FORK:
		e->curr_pid = (s32)number(event, rec, "parent_pid", e->curr_pid);
		str[CURR_COMM] = string(event, rec, "parent_comm");
		e->pid = (s32)number(event, rec, "child_pid", 0);
		str[COMM] = string(event, rec, "child_comm");
		return;
	case EV_EXEC:
		e->old_pid = (s32)number(event, rec, "old_pid", 0);
		str[OTHER] = string(event, rec, "filename");
		str[COMM] = str[CURR_COMM];
		return;
	case EV_WAKE_IDLE:
		e->pid = 0;
		e->target_cpu = (u16)number(event, rec, "cpu", 0);
		return;
	case EV_STAT_RUNTIME:
		e->value_ns = (u64)number(event, rec, "runtime", 0);
		return;
	case EV_STAT_WAIT:
	case EV_STAT_SLEEP:
	case EV_STAT_IOWAIT:
	case EV_STAT_BLOCKED:
		e->value_ns = (u64)number(event, rec, "delay", 0);
		return;
	case EV_MIGRATE:
		e->orig_cpu = (u16)number(event, rec, "orig_cpu", 0);
		e->target_cpu = (u16)number(event, rec, "dest_cpu", 0);
		break;
	default:
		e->target_cpu = (u16)number(event, rec, "target_cpu", 0);
	}
	e->prio = (s16)number(event, rec, "prio", 0);
}

static void set_head(struct sender *s, struct tep_record *rec, struct trace_event *e)
{
	int flags = tep_data_flags(s->tep, rec);

	e->ns = rec->ts;
	e->cpu = (u16)rec->cpu;
	e->curr_pid = tep_data_pid(s->tep, rec);
	e->preempt_depth = (u8)tep_data_preempt_count(s->tep, rec);
	e->context = TRACE_HAS_CONTEXT | (flags & TRACE_FLAG_IRQS_OFF ? TRACE_IRQS_OFF : 0) |
		     (flags & TRACE_FLAG_NEED_RESCHED ? TRACE_NEED_RESCHED : 0) |
		     (flags & TRACE_FLAG_HARDIRQ ? TRACE_HARDIRQ : 0) |
		     (flags & TRACE_FLAG_SOFTIRQ ? TRACE_SOFTIRQ : 0);
}

static void send(struct sender *s, struct wire *w, const struct string_in str[NR_STRINGS])
{
	for (int i = 0; i < NR_STRINGS; i++)
		w->len[i] = (u8)str[i].len;
	fwrite(w, sizeof(*w), 1, s->to);
	for (int i = 0; i < NR_STRINGS; i++)
		if (str[i].len)
			fwrite(str[i].p, 1, str[i].len, s->to);
}

static int each(struct tracecmd_input *in, struct tep_record *rec, int cpu, void *ctx)
{
	struct sender *s = ctx;
	struct tep_event *event = tep_find_event_by_record(s->tep, rec);
	struct string_in str[NR_STRINGS] = { 0 };
	struct wire w = { 0 };
	u8 *kind;

	if (!(++s->records % 65536))
		alarm(PATIENCE_S);
	if (rec->missed_events) {
		s->counts.gaps++;
		s->counts.lost += rec->missed_events > 0 ? (u64)rec->missed_events : 0;
	}
	if (!event || event->id < 0 || event->id > 65535 || rec->cpu < 0 ||
	    rec->cpu >= UINT16_MAX) {
		s->counts.others++;
		return 0;
	}
	kind = &s->kind_of[event->id];
	if (!*kind)
		*kind = look_up(event);
	w.e.kind = (u8)(*kind - 1);
	set_head(s, rec, &w.e);
	str[CURR_COMM] = c_string(w.e.curr_pid ? tep_data_comm_from_pid(s->tep, w.e.curr_pid) : "");
	if (*kind == EV_MARK + 1 && mark(s, event, rec, &str[OTHER])) {
		w.e.pid = w.e.curr_pid;
		str[COMM] = str[CURR_COMM];
	} else if (*kind == NOT_KEPT || *kind == EV_MARK + 1) {
		s->counts.others++;
		return 0;
	} else {
		fill(event, rec, &w.e, str);
	}
	send(s, &w, str);
	return ferror(s->to);
}

static int send_all(const char *path, FILE *to)
{
	static struct sender s;
	struct string_in none[NR_STRINGS] = { 0 };
	struct tracecmd_input *in;

	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	/* plug-ins are for printing, and would be loaded from the user's folders */
	in = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS | TRACECMD_FL_LOAD_NO_SYSTEM_PLUGINS);
	if (!in)
		return 1;
	s.to = to;
	s.tep = tracecmd_get_tep(in);
	if (tracecmd_iterate_events(in, NULL, 0, each, &s))
		return 1;
	s.counts.last = true;
	s.counts.nr_cpus = tep_get_cpus(s.tep);
	send(&s, &s.counts, none);
	return fflush(to) ? 1 : 0;
}

static void child(const char *path, int to)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	int null = open("/dev/null", O_RDWR);
	FILE *f = fdopen(to, "w");

	/* it says on standard error what only its author understands */
	dup2(null, STDERR_FILENO);
	dup2(null, STDOUT_FILENO);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		signal(fatal[i], SIG_DFL);
	alarm(PATIENCE_S);
	_exit(f ? send_all(path, f) : 1);
}

/* ---- the parent ---- */

static trace_str receive_string(struct trace *t, FILE *from, u8 len, bool *ok)
{
	char buf[TRACE_MAX_STRING];

	if (len && fread(buf, 1, len, from) != len)
		*ok = false;
	return *ok ? trace_intern(t, buf, len) : 0;
}

static bool plausible(const struct trace_event *e)
{
	bool placed = e->kind == EV_WAKING || e->kind == EV_WAKEUP || e->kind == EV_WAKEUP_NEW ||
		      e->kind == EV_MIGRATE || e->kind == EV_WAKE_IDLE;

	return e->kind < NR_TRACE_KINDS && e->pid >= 0 && e->curr_pid >= 0 &&
	       (!placed || (e->target_cpu < UINT16_MAX && e->orig_cpu < UINT16_MAX));
}

/* Return: 1 more to come, 0 it was the last, -EBADMSG, -ENOMEM */
static int receive(struct trace *t, FILE *from)
{
	trace_str str[NR_STRINGS];
	struct trace_event *e;
	struct wire w;
	bool ok = true;

	if (fread(&w, sizeof(w), 1, from) != 1)
		return -EBADMSG;
	for (int i = 0; i < NR_STRINGS; i++)
		str[i] = receive_string(t, from, w.len[i], &ok);
	if (!ok)
		return -EBADMSG;
	if (w.last) {
		t->others = w.others;
		t->lost = w.lost;
		t->gaps = w.gaps;
		if (w.nr_cpus > 0 && w.nr_cpus < UINT16_MAX)
			t->nr_cpus = w.nr_cpus;
		return 0;
	}
	if (!plausible(&w.e)) {
		trace_skipped(t, SKIP_RANGE);
		return 1;
	}
	e = trace_add(t);
	if (!e)
		return -ENOMEM;
	*e = w.e;
	e->curr_comm = str[CURR_COMM];
	e->comm = str[COMM];
	if (e->kind == EV_EXEC)
		e->filename = str[OTHER];
	else if (e->kind == EV_MARK)
		e->text = str[OTHER];
	return 1;
}

static int receive_all(struct trace *t, int fd, pid_t pid)
{
	FILE *from = fdopen(fd, "r");
	int ret = from ? 1 : -ENOMEM, status;

	while (ret > 0)
		ret = receive(t, from);
	if (from)
		fclose(from);
	else
		close(fd);
	if (ret)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return ret;
}

int trace_read_dat(struct trace *t, const char *path, struct err *err)
{
	int fd[2], ret;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return err_set(err, -errno, "%s: can't start a child: %s", path, strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		ret = -errno;
		close(fd[0]);
		close(fd[1]);
		return err_set(err, ret, "%s: can't start a child: %s", path, strerror(-ret));
	}
	if (!pid) {
		close(fd[0]);
		child(path, fd[1]);
	}
	close(fd[1]);
	ret = receive_all(t, fd[0], pid);
	if (ret == -ENOMEM)
		return err_set(err, ret, "%s: out of memory", path);
	if (ret)
		return err_set(err, ret,
			       "%s: the trace.dat is damaged or cut off after %zu events; "
			       "trace-cmd restore may save the rest",
			       path, t->nr);
	return 0;
}
