/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * corpus.h - the rt-app files of other people, where they are at hand.
 */
#ifndef TESTS_WORKLOAD_CORPUS_H
#define TESTS_WORKLOAD_CORPUS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* clang-format off */
static const struct corpus_file {
	const char *name;
	int code;		/* 0, or why it is refused: */
	const char *msg;	/* the beginning, behind the path */
	const char *duration;	/* to run it for a while only; NULL: as it is */
} corpus[] = {
	{ "browser-long.json", 0, NULL, "3s" },
	{ "browser-short.json", 0, NULL, NULL },
	{ "cpufreq_governor_efficiency__calibration.json", 0, NULL, "3s" },
	{ "cpufreq_governor_efficiency__dvfs.json", 0, NULL, "3s" },
	{ "custom-slice.json", 0, NULL, NULL },
	{ "merge__global.json", -EINVAL, ":1:1: the file has no \"tasks\"", NULL },
	{ "merge__resources.json", -EINVAL, ":1:1: the file has no \"tasks\"", NULL },
	{ "merge__thread0.json", -EINVAL, ":7:25: \"lock_order\" is of rt-app's grammar of 2012",
	  NULL },
	{ "merge__thread1.json", -EINVAL, ":7:25: \"lock_order\" is of rt-app's grammar of 2012",
	  NULL },
	{ "merge__thread2.json", -EINVAL, ":7:25: \"lock_order\" is of rt-app's grammar of 2012",
	  NULL },
	{ "merge__thread3.json", -EINVAL, ":7:25: \"lock_order\" is of rt-app's grammar of 2012",
	  NULL },
	{ "mp3-long.json", 0, NULL, "3s" },
	{ "mp3-short.json", 0, NULL, NULL },
	{ "spreading-tasks.json", 0, NULL, "3s" },
	{ "template.json", 0, NULL, NULL },
	{ "tutorial__example1.json", 0, NULL, NULL },
	{ "tutorial__example10.json", 0, NULL, NULL },
	{ "tutorial__example11.json", 0, NULL, NULL },
	{ "tutorial__example2.json", 0, NULL, NULL },
	{ "tutorial__example3.json", 0, NULL, NULL },
	{ "tutorial__example4.json", -EINVAL,
	  ":7:3: task \"thread0\" loops for ever and the file has no duration", NULL },
	{ "tutorial__example5.json", 0, NULL, NULL },
	{ "tutorial__example6.json", 0, NULL, NULL },
	{ "tutorial__example7.json", 0, NULL, NULL },
	{ "tutorial__example8.json", 0, NULL, NULL },
	{ "tutorial__example9.json", 0, NULL, NULL },
	{ "video-long.json", 0, NULL, "3s" },
	{ "video-short.json", 0, NULL, NULL },
};
/* clang-format on */

#define NR_CORPUS ((int)(sizeof(corpus) / sizeof(corpus[0])))

/* Path of a file of the corpus; NULL: the corpus isn't there. */
static inline const char *corpus_path(const char *name)
{
	static char path[4096];
	const char *shared = getenv("IDLEST_SHARED");
	char dir[2048];

	snprintf(dir, sizeof(dir), "%s/corpus/rt-app", shared ? shared : SOURCE_ROOT "/../shared");
	if (access(dir, R_OK))
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

#endif
