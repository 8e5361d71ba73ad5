/* Which variables are noted, and what is blotted out of command lines. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
	assert_true(is_allowed("SLURM_JOB_NODELIST"));
	assert_true(is_allowed("LD_LIBRARY_PATH"));
}

static void others_are_not(void **state)
{
	(void)state;
	assert_false(is_allowed("HOME"));
	assert_false(is_allowed("AWS_REGION"));
	assert_false(is_allowed("SLURM_CONF"));
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

#define MASKED(before, after)                                                                      \
	do {                                                                                       \
		char args[] = before;                                                              \
                                                                                                   \
		env_mask(args, sizeof(args));                                                      \
		assert_memory_equal(args, after, sizeof(after));                                   \
	} while (0)

static void secrets_are_masked(void **state)
{
	(void)state;
	MASKED("train\0--api-key=abc\0--epochs=3", "train\0--api-key=***\0--epochs=3");
	MASKED("train\0--Password\0hunter2\0-n\0"
	       "4",
		"train\0--Password\0*******\0-n\0"
		"4");
	MASKED("WANDB_API_KEY=abcd\0train", "WANDB_API_KEY=****\0train");
	MASKED("get\0https://me:word@host/x", "get\0https://*******@host/x");
}

static void other_arguments_stay(void **state)
{
	(void)state;
	MASKED("train\0tokens\0--lr=0.1\0https://host/a@b",
		"train\0tokens\0--lr=0.1\0https://host/a@b");
	MASKED("train\0--token", "train\0--token");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listed_variables_are_noted),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(secret_names_are_refused_even_when_listed),
		cmocka_unit_test(secrets_are_masked),
		cmocka_unit_test(other_arguments_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
