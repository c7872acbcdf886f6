// SPDX-License-Identifier: BSD-2-Clause
/* quantity_parse(): numbers with units. */
#include "fixture.h"
#include "machine/quantity.h"

static u64 parse(const char *text, enum quantity q)
{
	struct err err = { 0 };
	u64 v = 0;

	if (quantity_parse(text, q, 0, UINT64_MAX, &v, &err))
		fail_msg("'%s': %s", text, err.msg);
	return v;
}

static void values(void **state)
{
	assert_int_equal(parse("60 ns", Q_TIME), 60);
	assert_int_equal(parse("1.2us", Q_TIME), 1200);
	assert_int_equal(parse("0.0005 us", Q_TIME), 0); /* below a ns is cut off */
	assert_int_equal(parse("1 s", Q_TIME), 1000000000);
	assert_int_equal(parse("0", Q_TIME), 0);
	assert_int_equal(parse("512 KiB", Q_BYTES), 512 << 10);
	assert_int_equal(parse("1.5 GiB", Q_BYTES), 3ULL << 29);
	assert_int_equal(parse("22.5 GB/s", Q_RATE), 22500000000ULL);
	assert_int_equal(parse("3.675 GHz", Q_FREQ), 3675);
	assert_int_equal(parse("64 %", Q_PERMILLE), 640);
	assert_int_equal(parse("62.5 %", Q_PERMILLE), 625);
	assert_int_equal(parse("300 %", Q_PERCENT), 300);
	assert_int_equal(parse("yes", Q_BOOL), 1);
	assert_int_equal(parse("no", Q_BOOL), 0);
	assert_int_equal(parse("8", Q_COUNT), 8);
}

static void refused(void **state)
{
	static const struct {
		const char *text;
		enum quantity q;
		int ret;
	} bad[] = {
		{ "60", Q_TIME, -EINVAL },	  /* a unit is always written */
		{ "60 parsec", Q_TIME, -EINVAL },
		{ "-1 ns", Q_TIME, -EINVAL },
		{ "1. ns", Q_TIME, -EINVAL },
		{ "1e3 ns", Q_TIME, -EINVAL },
		{ "", Q_TIME, -EINVAL },
		{ "512 KB", Q_BYTES, -EINVAL },
		{ "8.5", Q_COUNT, -EINVAL },
		{ "maybe", Q_BOOL, -EINVAL },
		{ "1001 ns", Q_TIME, -ERANGE },
		{ "9 ns", Q_TIME, -ERANGE },
		{ "99999999999999999999999 ns", Q_TIME, -ERANGE },
		{ "99999999999999999 TiB", Q_BYTES, -ERANGE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = { 0 };
		u64 v;
		int ret = quantity_parse(bad[i].text, bad[i].q, 10, 1000, &v, &err);

		if (ret != bad[i].ret)
			fail_msg("'%s' gives %d, expected %d", bad[i].text, ret, bad[i].ret);
		assert_non_null(strstr(err.msg, bad[i].text));
	}
}

static void messages(void **state)
{
	struct err err = { 0 };
	u64 v;

	quantity_parse("60", Q_TIME, 0, 1000, &v, &err);
	assert_string_equal(err.msg, "'60' is not a time (ns, us, ms, s); write it like '1.2 us'");
	err_clear(&err);
	quantity_parse("2 s", Q_TIME, 1000, 1500000000, &v, &err);
	assert_string_equal(err.msg, "'2 s' is out of range, allowed are 1 us to 1500 ms");
}

static void formats(void **state)
{
	static const enum quantity all[] = { Q_COUNT, Q_TIME,	 Q_BYTES,    Q_RATE,
					     Q_FREQ,  Q_PERCENT, Q_PERMILLE };
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (u64 v = 0; v < 5000; v += 7)
			assert_int_equal(parse(quantity_format(v, all[i], buf, sizeof(buf)),
					       all[i]),
					 v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(refused),
		cmocka_unit_test(messages),
		cmocka_unit_test(formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
