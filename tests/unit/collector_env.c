/* Which variables are noted, and which parts of command lines are blotted out. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../collector/core/define.h"
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

/* Command lines, and the rest of them: several words in one text as in `sh -c`. */
static const struct {
	const char *before, *after;
} lines[] = {
	/* glued to a short option, where the program or the shape states that it is a password */
	{ "mysql -phunter -u me", "mysql -p*** -u me" },
	{ "/usr/bin/mysqldump -p1234 db", "/usr/bin/mysqldump -p*** db" },
	{ "mysql -p=hunter", "mysql -p=***" },
	{ "sshpass -phunter ssh -p 22 host", "sshpass -p*** ssh -p 22 host" },
	{ "train -pHunter2x", "train -p***" },
	{ "train -phunter!", "train -p***" },
	{ "train -p=hunter", "train -p=***" },
	{ "curl -ume:word x", "curl -ume:*** x" },
	{ "curl --user me:word x", "curl --user me:*** x" },
	{ "smbclient -U me%word x", "smbclient -U me%*** x" },
	{ "redis-cli -a hunter -h x", "redis-cli -a *** -h x" },
	{ "ldapsearch -w hunter", "ldapsearch -w ***" },
	{ "unzip -Phunter a.zip", "unzip -P*** a.zip" },
	{ "openssl rsa -passin pass:hunter", "openssl rsa -passin ***" },
	{ "keytool -storepass hunter -v", "keytool -storepass *** -v" },
	/* as words of an environment */
	{ "env PW=hunter", "env PW=***" },
	{ "env SSHPASS=hunter", "env SSHPASS=***" },
	{ "sh PGPASSWORD=\"two words\" x", "sh PGPASSWORD=***" },
	{ "x password = hunter", "x password ***" },
	{ "x token : hunter", "x token ***" },
	/* in addresses, with or without a scheme */
	{ "get https://me:wo/rd@host/x", "get https://***@host/x" },
	{ "get https://me:w@rd@host/x", "get https://***@host/x" },
	{ "scp me:word@host:x y", "scp ***@host:x y" },
	{ "x --at=me:word@host", "x --at=***@host" },
	{ "x https://hooks.slack.com/services/T0/B0/xyzxyz", "x https://***" },
	/* in JSON and YAML, nested and escaped */
	{ "x {\"passwords\":[\"ab\",\"cd\"],\"password\":[\"ef\",\"gh\"],\"n\":2}",
		"x {\"passwords\":[\"ab\",\"cd\"],\"password\":***,\"n\":2}" },
	{ "x {\"password\":[\"ef\", \"gh\"]}", "x {\"password\":***" },
	{ "x {\"password\":{\"value\":\"ef\"},\"n\":2}", "x {\"password\":***,\"n\":2}" },
	{ "x {\"password\":\"e\\\"f\",\"n\":2}", "x {\"password\":***\",\"n\":2}" },
	{ "x {\\\"password\\\":\\\"ef\\\",\\\"n\\\":2}",
		"x {\\\"password\\\":***\\\",\\\"n\\\":2}" },
	{ "x password: ef", "x password:***" },
	/* of base64, with its own punctuation; in names of files */
	{ "x wJa1rXUtnF3MI/K7MDk9G/bPxRf1CY8x4MPq2KEv", "x ***" },
	{ "x --id=wJa1rXUtnF3MI/K7MDk9G+bPxRf1CY8x4MPq2Kw=", "x --id=***" },
	{ "x /tmp/hf_abcdefghij", "x /tmp/***" },
	{ "x -----BEGIN RSA PRIVATE KEY----- MIIE", "x ***" },
};

/* Variables that resemble one of them a little, and are kept. */
static const char *const innocent[] = {
	"train -p8080",
	"train -p 8080:80",
	"mpirun -np 4 train",
	"gcc -pthread -pipe -pedantic -pg x.c",
	"train -p ./out -p /data/x -p ../y -p ~/z",
	"train -p0.5 -p=0.5 -p2p -pgpu",
	"srun -p gpu -pA100x8y train",
	"srun -p=Gpu100x train",
	"mkdir -p out",
	"python -u train.py -u0",
	"docker run -u 1000:1000 -v a:b image",
	"train --revision 0123456789abcdef0123456789abcdef01234567",
	"train --commit=0123456789abcdef0123456789abcdef01234567 --lr 1",
	"run nvcr.io/a/b:24.01@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	"run pytorch:24.01@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	"train --seed 12345678901234567890123456789012",
	"train --hash=deadbeef",
	"train /data/Models/Llama3-70B-Instruct/Run12/Checkpoint-4000",
	"train Models/Llama3-70B-Instruct/Run12/Checkpoint-4000/Part-00017",
	"train /cache/hf_home_of_models/x",
	"git clone git@github.com:owner/name.git",
	"mount 10.1.1.1@tcp:10.1.1.2@tcp:/fs x",
	"get https://host:8080/a@b http://host/x?a=b:c@d",
	"mail mailto:me@host",
	"torchrun --rdzv-endpoint=host:29400 --rdzv_id=7 train.py",
	"mpirun --host n1:4,n2:4 --map-by ppr:2:node:PE=4 train",
	"train --compass=1 --bypass=2 --path x --patience 3 --format=json",
	"train {\"lr\":[1,2],\"name\":\"a b\"} model.layers=[1,2]",
	"train CUDA_VISIBLE_DEVICES=GPU-5a3c1f6e-7b1d-4c43-9a52-0d9d0b3f1a77",
	"train --gpu MIG-GPU-5a3c1f6e-7b1d-4c43-9a52-0d9d0b3f1a77/1/0",
};

static void neighbours_of_the_usual_ways_are_masked(void **state)
{
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		env_mask(lines[i].before, strlen(lines[i].before) + 1, text, sizeof(text));
		assert_string_equal(text, lines[i].after);
	}
}

/* As one text, and as arguments. */
static void innocent_arguments_stay(void **state)
{
	char text[1024], args[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(innocent) / sizeof(*innocent); i++) {
		size_t n = strlen(innocent[i]) + 1;

		env_mask(innocent[i], n, text, sizeof(text));
		assert_string_equal(text, innocent[i]);
		for (size_t k = 0; k < n; k++)
			args[k] = innocent[i][k] == ' ' ? '\0' : innocent[i][k];
		env_mask(args, n, text, sizeof(text));
		assert_string_equal(text, innocent[i]);
	}
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

/* Whether `secret` is in the text that any of the usual ways to pass it becomes. */
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
	static const char pieces[] =
		"=:/@-'\"{}&;, \nabKEYtokenpw://hf_Bearer -p\0[]9\x01\xff\\%mysql -pX \"[";
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
		cmocka_unit_test(neighbours_of_the_usual_ways_are_masked),
		cmocka_unit_test(innocent_arguments_stay),
		cmocka_unit_test(other_arguments_stay),
		cmocka_unit_test(control_characters_are_written_out),
		cmocka_unit_test(secrets_of_any_letters_are_masked),
		cmocka_unit_test(anything_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
