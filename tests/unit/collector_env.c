/* Which variables are noted, and what is blotted out of command lines. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../collector/core/env.h"
#include "../../collector/core/process.h"

/* env.c writes through this; the pure parts tested here do not. */
struct process tacho_process;

void process_define_property(const char *key, const char *value)
{
	(void)key;
	(void)value;
}

static bool is_allowed(const char *name)
{
	return env_allowed(name, strlen(name));
}

static void listed_variables_are_noted(void **state)
{
	(void)state;
	assert_true(is_allowed("OMP_NUM_THREADS"));
	assert_true(is_allowed("OMPI_MCA_btl"));
	assert_true(is_allowed("NCCL_ALGO"));
	assert_true(is_allowed("NVIDIA_VISIBLE_DEVICES"));
	assert_true(is_allowed("NVIDIA_PYTORCH_VERSION"));
	assert_true(is_allowed("SLURM_JOB_NODELIST"));
	assert_true(is_allowed("LD_LIBRARY_PATH"));
}

static void others_are_not(void **state)
{
	(void)state;
	assert_false(is_allowed("HOME"));
	assert_false(is_allowed("AWS_REGION"));
	assert_false(is_allowed("SLURM_CONF"));
	assert_false(is_allowed("NVIDIA_REQUIRE_CUDA"));
	assert_false(is_allowed("OMP"));
	assert_false(is_allowed(""));
}

static void secret_names_are_refused_even_when_listed(void **state)
{
	(void)state;
	assert_false(is_allowed("SLURM_JWT_TOKEN"));
	assert_false(is_allowed("NCCL_SECRET_X"));
	assert_false(is_allowed("OMPI_MCA_orte_auth"));
	assert_false(is_allowed("HOROVOD_GLOO_key"));
	assert_false(is_allowed("TF_PASSWORD"));
}

/* `before`: arguments, each with its NUL */
#define MASKED(before, after)                                                                      \
	do {                                                                                       \
		char text[1024];                                                                   \
                                                                                                   \
		env_mask(before, sizeof(before), text, sizeof(text));                              \
		assert_string_equal(text, after);                                                  \
	} while (0)

/* A command in which nothing is secret. */
#define KEPT(text) MASKED(text, text)

static void values_of_secret_options_are_masked(void **state)
{
	(void)state;
	MASKED("train\0--api-key=abc\0--epochs=3", "train --api-key=*** --epochs=3");
	MASKED("train\0--Password\0hunter2\0-n\0"
	       "4",
		"train --Password *** -n 4");
	MASKED("WANDB_API_KEY=abcd\0train", "WANDB_API_KEY=*** train");
	MASKED("train\0--wandb-key\0K", "train --wandb-key ***");
	MASKED("train\0--auth\0K\0--x", "train --auth *** --x");
	MASKED("train\0--hftoken\0two words\0x", "train --hftoken *** x");
	MASKED("train\0--password=two words\0x", "train --password=*** x");
	MASKED("train\0--apiKey=a&b\0x", "train --apiKey=*** x");
	MASKED("mysql\0-p\0PW", "mysql -p ***");
	MASKED("curl\0-u\0me:word\0x", "curl -u me:*** x");
	MASKED("sh\0-c\0train --token abc --lr 1", "sh -c train --token *** --lr 1");
	MASKED("sh\0-c\0a --token 'abc d' --lr 1", "sh -c a --token *** --lr 1");
	MASKED("x\0--conf\0db=a;Password=hunter2;port=1", "x --conf db=a;Password=***;port=1");
	MASKED("x\0--json\0{\"api_key\": \"abc\"}", "x --json {\"api_key\":***");
	MASKED("x\0--json\0{\"a\":1,\"api_key\":\"a,bc\",\"n\":2}",
		"x --json {\"a\":1,\"api_key\":***\",\"n\":2}");
}

static void values_of_secret_shape_are_masked(void **state)
{
	(void)state;
	MASKED("get\0https://me:word@host/x", "get https://***@host/x");
	MASKED("get\0postgres://me:word@host:1/x?a=b", "get postgres://***@host:1/x?a=b");
	MASKED("get\0https://ghs@host/x?token=abc&n=1", "get https://***@host/x?token=***&n=1");
	MASKED("train\0hf_abcdefghij", "train ***");
	MASKED("train\0--x=hf_abcdefghij,2", "train --x=***,2");
	MASKED("curl\0-H\0Authorization: Bearer ab.cd\0x", "curl -H Authorization:*** x");
	MASKED("curl\0-H\0X-Api-Key: ab\0x", "curl -H X-Api-Key:*** x");
	MASKED("echo\0Bearer\0abc", "echo Bearer ***");
	MASKED("x\0--id\0"
	       "0123456789abcdef0123456789abcdef01234567",
		"x --id ***");
	MASKED("x\0AKIAABCDEFGHIJKLMNOP", "x ***");
}

static void other_arguments_stay(void **state)
{
	(void)state;
	MASKED("train\0tokens\0--lr=0.1\0https://host/a@b",
		"train tokens --lr=0.1 https://host/a@b");
	KEPT("train");
	MASKED("train\0--token", "train --token");
	MASKED("train\0--auth\0--epochs\0"
	       "3",
		"train --auth --epochs 3");
	MASKED("train\0--max-tokens\0"
	       "512\0--tokenizer=gpt2\0--num_key_value_heads=8",
		"train --max-tokens 512 --tokenizer=gpt2 --num_key_value_heads=8");
	MASKED("python\0-u\0train.py\0-p\0"
	       "8080",
		"python -u train.py -p 8080");
	KEPT("tcp6://[::1]:1");
	KEPT("/x/0123456789abcdef0123456789abcdef01234567/y");
	KEPT("ssh://git@host/x");
	KEPT("resnet50batch256lr01momentum09epochs90-imagenet");
	KEPT("12345678901234567890123456789012345678901234567890");
	KEPT("key");
	KEPT("a=");
	KEPT("://");
	KEPT("==::");
}

static void control_characters_are_written_out(void **state)
{
	(void)state;
	MASKED("a\nb\x1b[31m\tc\x7f", "a\\nb\\x1b[31m\\tc\\x7f");
}

/* Whether `secret` stands in what any of the usual ways to pass it becomes. */
static void masks_everywhere(const char *secret)
{
	static const char *const ways[] = { "x --token %s y", "x --password=%s", "PASSWORD=%s",
		"https://u:%s@h/", "{'secret':'%s'}", "Authorization: Bearer %s",
		"a?api_key=%s&b=c" };
	char line[512], text[2048];

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		int n = snprintf(line, sizeof(line), ways[i], secret);

		env_mask(line, (size_t)n + 1, text, sizeof(text));
		assert_null(strstr(text, secret));
		assert_non_null(strstr(text, "***"));
	}
}

static uint32_t random_next(uint32_t *seed)
{
	return *seed = *seed * 1664525 + 1013904223;
}

static void secrets_of_any_letters_are_masked(void **state)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.!%^*";
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		char secret[40] = "q"; /* one that begins with -- would be an option */
		uint32_t n = 8 + (random_next(&seed) >> 8) % 24;

		for (uint32_t k = 1; k < n; k++)
			secret[k] = letters[(random_next(&seed) >> 8) % (sizeof(letters) - 1)];
		secret[n] = '\0';
		masks_everywhere(secret);
	}
}

/* Whatever comes: it ends, reads nothing beyond its bytes and writes nothing beyond its room. */
static void anything_is_survived(void **state)
{
	static const char pieces[] = "=:/@-'\"{}&;, \nabKEYtokenpw://hf_Bearer -p\0[]9\x01\xff";
	uint32_t seed = 7;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		size_t n = (random_next(&seed) >> 8) % 60,
		       room = 1 + (random_next(&seed) >> 8) % 80;
		char *args = malloc(n + 1), *text = malloc(room);

		for (size_t k = 0; k < n; k++)
			args[k] = pieces[(random_next(&seed) >> 8) % (sizeof(pieces) - 1)];
		args = realloc(args, n ? n : 1); /* checkers see a read of the next byte */
		env_mask(args, n, text, room);
		assert_true(strlen(text) < room);
		for (size_t k = 0; text[k]; k++)
			assert_false((unsigned char)text[k] < ' ');
		free(args);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listed_variables_are_noted),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(secret_names_are_refused_even_when_listed),
		cmocka_unit_test(values_of_secret_options_are_masked),
		cmocka_unit_test(values_of_secret_shape_are_masked),
		cmocka_unit_test(other_arguments_stay),
		cmocka_unit_test(control_characters_are_written_out),
		cmocka_unit_test(secrets_of_any_letters_are_masked),
		cmocka_unit_test(anything_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
