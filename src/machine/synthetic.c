// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is wrong with a synthetic string. hwloc answers any mistake with
 * "invalid argument"; a person wants to know which word.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "machine/shape.h"

/* The level names that hwloc takes here; longer spellings first, shorter ones are their beginnings.
 */
static const char *const levels[] = {"pack", "package",	 "socket",  "die",     "group",	  "numa",
				     "node", "numanode", "l5",	    "l4",      "l3",	  "l2",
				     "l1",   "l5cache",	 "l4cache", "l3cache", "l2cache", "l1cache",
				     "l1d",  "l1dcache", "core",    "pu"};

bool synthetic_level(const char *word, size_t len, const char **nearest)
{
	char name[32];

	*nearest = NULL;
	if (len >= sizeof(name))
		return false;
	memcpy(name, word, len);
	name[len] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (!strcasecmp(levels[i], name))
			return true;
	*nearest = nearest_name(name, levels, ARRAY_SIZE(levels));
	return false;
}

#define EXPECTED                                                                                   \
	"expected TYPE:COUNT with types pack, die, numa, group, l5 to l1, core, pu, like "         \
	"'pack:2 l3:8 core:8 pu:2'"

/* Past "(memory=…)" behind a count; NULL if it isn't closed. */
static const char *skip_attributes(const char *p)
{
	int depth = 0;

	do {
		if (*p == '(')
			depth++;
		else if (*p == ')')
			depth--;
		else if (!*p)
			return NULL;
		p++;
	} while (depth > 0);
	return p;
}

/* "pack:2": @total takes the count. Return: past it, or NULL with @err filled. */
static const char *check_level(const char *p, const char *text, int word, u64 *total, bool *is_pu,
			       struct err *err)
{
	size_t len = strcspn(p, ": \t\n(["), all = strcspn(p, " \t\n");
	const char *near;
	u64 count = 0;

	if (!synthetic_level(p, len, &near)) {
		err_set(err, -EINVAL,
			"synthetic topology '%.200s': word %d '%.*s'%s%s%s, " EXPECTED, text, word,
			(int)all, p, near ? " (did you mean '" : "", near ? near : "",
			near ? "'?)" : "");
		return NULL;
	}
	*is_pu = len == 2 && !strncasecmp(p, "pu", 2);
	p += len;
	if (*p != ':' || !isdigit((unsigned char)p[1])) {
		err_set(err, -EINVAL,
			"synthetic topology '%.200s': word %d has no count, " EXPECTED, text, word);
		return NULL;
	}
	for (p++; isdigit((unsigned char)*p); p++)
		count = min(count * 10 + (*p - '0'), (u64)UINT32_MAX);
	*total = min(*total * count, (u64)UINT32_MAX);
	if (*p == '(')
		p = skip_attributes(p);
	if (!p || (*p && !isspace((unsigned char)*p)) || !count) {
		err_set(err, -EINVAL,
			"synthetic topology '%.200s': word %d is not well formed, " EXPECTED, text,
			word);
		return NULL;
	}
	return p;
}

int synthetic_check(const char *text, struct err *err)
{
	const char *p = text;
	bool is_pu = false;
	u64 total = 1;
	int word = 0;

	for (;;) {
		while (isspace((unsigned char)*p))
			p++;
		if (!*p)
			break;
		word++;
		if (*p == '(') { /* attributes of the whole machine */
			p = skip_attributes(p);
			if (!p)
				return err_set(err, -EINVAL,
					       "synthetic topology '%.200s': word %d isn't closed",
					       text, word);
			continue;
		}
		if (*p == '[') { /* memory attached here: hwloc's to check */
			p += strcspn(p, "]");
			p += *p == ']';
			continue;
		}
		p = check_level(p, text, word, &total, &is_pu, err);
		if (!p)
			return -EINVAL;
	}
	if (!is_pu)
		return err_set(err, -EINVAL,
			       "synthetic topology '%.200s': the last level must be pu:COUNT",
			       text);
	if (total > MAX_CPUS)
		return err_set(
			err, -EINVAL,
			"synthetic topology '%.200s': more than %d CPUs, the most there may be",
			text, MAX_CPUS);
	return 0;
}
