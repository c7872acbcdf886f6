// SPDX-License-Identifier: BSD-2-Clause
/* files.c - reading small files, and handing big ones out. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

static int port = -1;

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("init: ");
	vprintf(fmt, ap);
	printf("\n");
	fflush(stdout);
	va_end(ap);
}

char *read_line(char *buf, size_t len, const char *fmt, ...)
{
	char path[256];
	ssize_t n = -1;
	va_list ap;
	int fd;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		n = read(fd, buf, len - 1);
		close(fd);
	}
	if (n < 0) {
		snprintf(buf, len, "-");
		return buf;
	}
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	for (n = strlen(buf); n && buf[n - 1] == ' '; n--)
		buf[n - 1] = '\0';
	return buf;
}

int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC), rc = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		complain("%s: %s", path, strerror(errno));
		rc = -1;
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

int copy_file(FILE *to, const char *path)
{
	static char buf[1 << 16];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, n, to);
	close(fd);
	return n < 0 ? -1 : 0;
}

/* The node is there before the port can be opened. */
int out_open(void)
{
	static const struct timespec pause = {.tv_nsec = 100000000};

	for (int i = 0; i < 50 && port < 0; i++) {
		port = open("/dev/vport0p1", O_WRONLY | O_CLOEXEC);
		if (port < 0)
			nanosleep(&pause, NULL);
	}
	if (port < 0)
		complain("/dev/vport0p1: %s", strerror(errno));
	return port < 0 ? -1 : 0;
}

static void send_bytes(const char *buf, size_t len)
{
	while (len) {
		ssize_t n = write(port, buf, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			complain("port: %s", strerror(errno));
			return;
		}
		buf += n;
		len -= n;
	}
}

FILE *out_begin(void)
{
	FILE *f = fopen("/tmp/out", "w+e");

	if (!f)
		complain("/tmp/out: %s", strerror(errno));
	return f;
}

void out_send(FILE *f, const char *name)
{
	static char buf[1 << 16];
	size_t n;

	fflush(f);
	fseek(f, 0, SEEK_END);
	snprintf(buf, sizeof(buf), "%s %ld\n", name, ftell(f));
	send_bytes(buf, strlen(buf));
	rewind(f);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		send_bytes(buf, n);
	fclose(f);
}
