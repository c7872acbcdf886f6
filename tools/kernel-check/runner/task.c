// SPDX-License-Identifier: BSD-2-Clause
/* task.c - starting tasks and waiting for them; the clocks they go by. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner.h"

struct member {
	struct job *job;
	void (*fn)(struct job *job, long index);
	long index;
	char name[16];
	pthread_t thread;
};

void die(const char *what)
{
	fprintf(stderr, "idlest-wl: %s: %s\n", what, strerror(errno));
	exit(1);
}

void *must_alloc(size_t nr, size_t size)
{
	void *p = calloc(nr, size);

	if (!p)
		die("memory");
	return p;
}

void *shared_memory(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

void count(u64 *counter, u64 n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

void mark(const char *fmt, ...)
{
	int fd = open("/sys/kernel/tracing/trace_marker", O_WRONLY | O_CLOEXEC);
	char line[256];
	va_list ap;

	if (fd < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (write(fd, line, strlen(line)) < 0)
		fprintf(stderr, "idlest-wl: trace_marker: %s\n", strerror(errno));
	close(fd);
}

/* ---- time ---- */

static u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

u64 now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

u64 cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The clock is asked rarely enough that most of the time is spent computing. */
void burn(u64 work)
{
	u64 until = cpu_ns() + work;

	while (cpu_ns() < until)
		for (volatile int i = 0; i < 200; i++)
			;
}

void sleep_until(u64 t)
{
	struct timespec ts = {t / NSEC_PER_SEC, t % NSEC_PER_SEC};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

void window(struct job *job)
{
	job->begin = now_ns();
	if (grammar_find(job->kind->params, "lead") >= 0)
		job->begin += opt(job, "lead");
	job->end = job->begin + opt(job, "duration");
}

void hog_until_end(const struct job *job, u64 chunk)
{
	while (now_ns() < job->end) {
		burn(chunk);
		count(&job->tally->done, 1);
	}
}

void periodic_until_end(const struct job *job, u64 release, u64 period, u64 run)
{
	for (; release < job->end; release += period) {
		if (now_ns() < release)
			sleep_until(release);
		burn(run);
		count(&job->tally->done, 1);
		count(&job->tally->missed, now_ns() > release + period);
	}
}

/* ---- tasks ---- */

void task_name(const char *fmt, ...)
{
	char name[16];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	prctl(PR_SET_NAME, name);
}

void task_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

void task_nice(int nice)
{
	if (nice && setpriority(PRIO_PROCESS, 0, nice))
		die("setpriority");
}

struct crew crew_new(struct job *job, int max, bool threads)
{
	return (struct crew){
		.job = job,
		.threads = threads,
		.max = max,
		.member = must_alloc(max, sizeof(struct member)),
	};
}

static void *member_run(void *arg)
{
	struct member *m = arg;

	prctl(PR_SET_NAME, m->name);
	m->fn(m->job, m->index);
	count(&m->job->tally->cpu_ns, cpu_ns());
	return NULL;
}

void crew_add(struct crew *crew, void (*fn)(struct job *job, long index), long index,
	      const char *name, ...)
{
	struct member *m = &crew->member[crew->nr++];
	va_list ap;
	pid_t pid;

	m->job = crew->job;
	m->fn = fn;
	m->index = index;
	va_start(ap, name);
	vsnprintf(m->name, sizeof(m->name), name, ap);
	va_end(ap);
	if (crew->threads) {
		errno = pthread_create(&m->thread, NULL, member_run, m);
		if (errno)
			die("pthread_create");
		return;
	}
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		member_run(m);
		_exit(0);
	}
}

void crew_wait(struct crew *crew)
{
	int status, failed = 0;

	for (int i = 0; crew->threads && i < crew->nr; i++)
		pthread_join(crew->member[i].thread, NULL);
	/* also for those whose parent has gone before them (main() is their reaper) */
	while (!crew->threads && wait(&status) > 0)
		failed += status != 0;
	free(crew->member);
	if (failed) {
		fprintf(stderr, "idlest-wl: %d of %d tasks failed\n", failed, crew->nr);
		exit(1);
	}
}

/* ---- channels ---- */

void channel_new(int fd[2], bool pipes)
{
	if (pipes ? pipe(fd) : socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		die(pipes ? "pipe" : "socketpair");
}

void put(int fd, const void *buf, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, (const char *)buf + done, len - done);

		if (n < 0 && errno != EINTR)
			die("write");
		done += max(n, 0);
	}
}

void get(int fd, void *buf, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = read(fd, (char *)buf + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die("read");
		done += n;
	}
}
