// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/write.h"

/* where the number of entries stands in the header, filled in at the end */
#define COUNT_FORMAT "# entries-in-buffer/entries-written: %-*s#P:%d\n"
#define COUNT_WIDTH  44
#define BEFORE_COUNT "# tracer: nop\n#\n"
#define COUNT_AT     (sizeof(BEFORE_COUNT) - 1)

struct trace_writer {
	char *path, *unfinished;
	FILE *f;
	bool has_name; /* the unfinished file is there under its name */
	int nr_cpus;
	int error; /* the first one */
	u64 nr;
};

static void count_line(struct trace_writer *w)
{
	char n[COUNT_WIDTH];

	snprintf(n, sizeof(n), "%llu/%llu ", (unsigned long long)w->nr, (unsigned long long)w->nr);
	fprintf(w->f, COUNT_FORMAT, COUNT_WIDTH, n, w->nr_cpus);
}

static void header(struct trace_writer *w)
{
	fputs(BEFORE_COUNT, w->f);
	count_line(w);
	fputs("#\n"
	      "#                                _-----=> irqs-off/BH-disabled\n"
	      "#                               / _----=> need-resched\n"
	      "#                              | / _---=> hardirq/softirq\n"
	      "#                              || / _--=> preempt-depth\n"
	      "#                              ||| / _-=> migrate-disable\n"
	      "#                              |||| /     delay\n"
	      "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
	      "#              | |         |   |||||     |         |\n",
	      w->f);
}

/* As a new file of that name would have, or as the old one has. */
static mode_t mode_of(const char *path)
{
	struct stat st;
	mode_t mask;

	if (!stat(path, &st))
		return st.st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/*
 * A file without a name goes away by itself, however the program ends. Where the
 * file system has no such files, one with a name of its own does.
 */
static int open_unfinished(struct trace_writer *w)
{
	char *slash = strrchr(w->path, '/'), *dir = ".";
	int fd;

	if (slash) {
		dir = strndup(w->path, slash == w->path ? 1 : (size_t)(slash - w->path));
		if (!dir)
			return -1;
	}
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (slash)
		free(dir);
	if (fd >= 0)
		return fd;
	w->has_name = true;
	fd = open(w->unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		w->has_name = false;
	return fd;
}

static int create(struct trace_writer *w, struct err *err)
{
	struct stat st;
	int fd;

	if (!stat(w->path, &st) && !S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: a trace can only be written to a regular file",
			       w->path);
	if (asprintf(&w->unfinished, "%s.%d.tmp", w->path, (int)getpid()) < 0) {
		w->unfinished = NULL;
		return err_set(err, -ENOMEM, "%s: out of memory", w->path);
	}
	fd = open_unfinished(w);
	if (fd < 0)
		return err_set(err, -errno, "%s: can't be created: %s", w->path, strerror(errno));
	w->f = fdopen(fd, "w");
	if (!w->f || fchmod(fd, mode_of(w->path))) {
		if (!w->f)
			close(fd);
		return err_set(err, -EIO, "%s: can't be created", w->path);
	}
	return 0;
}

int trace_writer_open(const char *path, int nr_cpus, struct trace_writer **out, struct err *err)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	int ret;

	*out = NULL;
	if (w)
		w->path = strdup(path);
	if (!w || !w->path) {
		free(w);
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	}
	w->nr_cpus = nr_cpus;
	ret = create(w, err);
	if (ret) {
		trace_writer_drop(w);
		return ret;
	}
	header(w);
	*out = w;
	return 0;
}

/* ---- a line ---- */

static void put_context(FILE *f, const struct trace_event *e)
{
	char flags[] = ".....";

	if (e->context & TRACE_IRQS_OFF)
		flags[0] = 'd';
	if (e->context & TRACE_NEED_RESCHED)
		flags[1] = 'N';
	else if (e->context & TRACE_LAZY_RESCHED)
		flags[1] = 'L';
	if (e->context & TRACE_HARDIRQ)
		flags[2] = e->context & TRACE_SOFTIRQ ? 'H' : 'h';
	else if (e->context & TRACE_SOFTIRQ)
		flags[2] = 's';
	if (e->preempt_depth)
		flags[3] = "0123456789abcdef"[min(e->preempt_depth, (u8)15)];
	fputs(flags, f);
}

static void put_head(FILE *f, const struct trace *t, const struct trace_event *e)
{
	/* the kernel rounds to the nearest */
	u64 us = (e->ns + NSEC_PER_USEC / 2) / NSEC_PER_USEC;
	const char *comm = e->curr_pid ? trace_string(t, e->curr_comm) : "<idle>";

	fprintf(f, "%16s-%-7d [%03d] ", *comm ? comm : "<...>", e->curr_pid, e->cpu);
	put_context(f, e);
	fprintf(f, " %5llu.%06llu: %s: ", (unsigned long long)(us / 1000000),
		(unsigned long long)(us % 1000000), trace_kind_name(e->kind));
}

static void put_state(FILE *f, u16 state)
{
	static const char letters[] = "SDTtXZPI";
	bool any = false;

	for (int i = 0; letters[i]; i++) {
		if (!(state & 1u << i))
			continue;
		fprintf(f, "%s%c", any ? "|" : "", letters[i]);
		any = true;
	}
	if (!any)
		fputc('R', f);
	if (state & TRACE_PREEMPTED)
		fputc('+', f);
}

static void put_text(FILE *f, const struct trace *t, const struct trace_event *e)
{
	const char *comm = trace_string(t, e->comm), *curr = trace_string(t, e->curr_comm);

	switch ((enum trace_kind)e->kind) {
	case EV_SWITCH:
		fprintf(f, "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=", curr, e->curr_pid,
			e->prev_prio);
		put_state(f, e->prev_state);
		fprintf(f, " ==> next_comm=%s next_pid=%d next_prio=%d", comm, e->pid, e->prio);
		break;
	case EV_WAKING:
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
		fprintf(f, "comm=%s pid=%d prio=%d target_cpu=%03d", comm, e->pid, e->prio,
			e->target_cpu);
		break;
	case EV_MIGRATE:
		fprintf(f, "comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d", comm, e->pid, e->prio,
			e->orig_cpu, e->target_cpu);
		break;
	case EV_FORK:
		fprintf(f, "comm=%s pid=%d child_comm=%s child_pid=%d", curr, e->curr_pid, comm,
			e->pid);
		break;
	case EV_EXEC:
		fprintf(f, "filename=%s pid=%d old_pid=%d", trace_string(t, e->filename), e->pid,
			e->old_pid);
		break;
	case EV_EXIT:
	case EV_FREE:
		fprintf(f, "comm=%s pid=%d prio=%d", comm, e->pid, e->prio);
		break;
	case EV_STAT_RUNTIME:
		fprintf(f, "comm=%s pid=%d runtime=%llu [ns]", comm, e->pid,
			(unsigned long long)e->value_ns);
		break;
	case EV_STAT_WAIT:
	case EV_STAT_SLEEP:
	case EV_STAT_IOWAIT:
	case EV_STAT_BLOCKED:
		fprintf(f, "comm=%s pid=%d delay=%llu [ns]", comm, e->pid,
			(unsigned long long)e->value_ns);
		break;
	case EV_WAKE_IDLE:
		fprintf(f, "cpu=%d", e->target_cpu);
		break;
	case EV_MARK:
		fputs(trace_string(t, e->text), f);
		break;
	case NR_TRACE_KINDS:
		break;
	}
	fputc('\n', f);
}

void trace_write_event(struct trace_writer *w, const struct trace *t, const struct trace_event *e)
{
	if (w->error)
		return;
	errno = 0;
	put_head(w->f, t, e);
	put_text(w->f, t, e);
	w->nr++;
	if (ferror(w->f))
		w->error = errno ? -errno : -EIO;
}

/* ---- the end ---- */

static int give_name(struct trace_writer *w)
{
	char fd[64];

	if (w->has_name)
		return 0;
	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", fileno(w->f));
	if (linkat(AT_FDCWD, fd, AT_FDCWD, w->unfinished, AT_SYMLINK_FOLLOW))
		return -errno;
	w->has_name = true;
	return 0;
}

static int finish(struct trace_writer *w)
{
	int ret;

	errno = 0;
	if (w->error)
		return w->error;
	if (fseek(w->f, COUNT_AT, SEEK_SET))
		return errno ? -errno : -EIO;
	count_line(w);
	if (fflush(w->f) || ferror(w->f))
		return errno ? -errno : -EIO;
	ret = give_name(w);
	if (!ret && rename(w->unfinished, w->path))
		ret = -errno;
	if (!ret)
		w->has_name = false; /* that one is gone */
	return ret;
}

int trace_writer_close(struct trace_writer *w, struct err *err)
{
	int ret = finish(w);

	if (ret)
		err_set(err, ret, "%s: can't be written: %s", w->path, strerror(-ret));
	trace_writer_drop(w);
	return ret;
}

void trace_writer_drop(struct trace_writer *w)
{
	if (!w)
		return;
	if (w->f)
		fclose(w->f);
	if (w->has_name)
		unlink(w->unfinished);
	free(w->unfinished);
	free(w->path);
	free(w);
}
