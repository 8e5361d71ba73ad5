/* Text of unknown origin and numbers, as the reports show them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../analyzer/base/text_function.h"
#include "../analyzer/result/result_html.h"

static void expect_clean(const char *from, size_t n, const char *expected)
{
	char *text = text_clean(from, n);

	assert_string_equal(text, expected);
	free(text);
}

static void text_is_made_printable(void **state)
{
	(void)state;
	expect_clean("plain", 5, "plain");
	expect_clean("ünï 数据 🚂", strlen("ünï 数据 🚂"), "ünï 数据 🚂");
	expect_clean("a\0b\n\t\033[31m\177", 11, "a␀b␊␉␛[31m␡");
	expect_clean("\xff\xfe", 2, "\xef\xbf\xbd\xef\xbf\xbd");
	expect_clean("\xc0\xaf", 2, "\xef\xbf\xbd\xef\xbf\xbd"); /* overlong '/' */
	expect_clean("\xe2\x82", 2, "\xef\xbf\xbd\xef\xbf\xbd"); /* truncated */
	expect_clean("\xed\xa0\x80", 3, "\xef\xbf\xbd");	 /* surrogate */
	expect_clean("\xf4\x90\x80\x80", 4, "\xef\xbf\xbd");	 /* beyond Unicode */
	/* right-to-left override */
	expect_clean("\xe2\x80\xae"
		     "gpj",
		6,
		"\xef\xbf\xbd"
		"gpj");
	/* C1 control sequence */
	expect_clean("\xc2\x9b"
		     "31m",
		5,
		"\xef\xbf\xbd"
		"31m");
	expect_clean("", 0, "");
}

static void expect_written(void (*write)(FILE *, const char *), const char *from,
	const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write(out, from);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void html_is_escaped(void **state)
{
	(void)state;
	expect_written(text_html, "</svg><script a='b' c=\"d\">&amp;",
		"&lt;/svg&gt;&lt;script a=&#39;b&#39; c=&quot;d&quot;&gt;&amp;amp;");
}

static void links_are_escaped(void **state)
{
	(void)state;
	expect_written(text_url, "run-1.report", "run-1.report");
	expect_written(text_url, "a#b?c%d \"ü", "a%23b%3Fc%25d%20%22%C3%BC");
}

static void table_csv(FILE *out, const struct result *table)
{
	result_csv_head(out, table);
	result_csv_rows(out, table);
}

static void table_json(FILE *out, const struct result *table)
{
	result_json(&(struct json){ .out = out }, NULL, table);
}

static void table_html(FILE *out, const struct result *table)
{
	result_html(out, table, "a caption", 0, table->nrows);
	result_html_meanings(out, table);
}

/* What goes to the terminal, a file here. */
static void table_print(FILE *out, const struct result *table)
{
	const struct result_look look = { .whole = "csv" };
	int saved = dup(STDOUT_FILENO), c;
	FILE *file = tmpfile();

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	setenv("COLUMNS", "80", 1);
	result_print(table, &look);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	while ((c = getc(file)) != EOF)
		putc(c, out);
	fclose(file);
}

/* A table with a hostile name, an empty text, a NULL and a number, as a form of output has it. */
static void expect_table(void (*write)(FILE *, const struct result *), const char *expected)
{
	static const char *const columns[] = { "name", "time_ns|ns|how long" };
	struct result table;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	result_columns(&table, columns, 2);
	result_put(&table, "a,\"b\"|<c>");
	result_put_number(&table, 1234567);
	result_put(&table, "%s", "");
	result_put_number(&table, NAN);
	write(out, &table);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	result_free(&table);
}

static void a_table_has_the_same_cells_in_every_form(void **state)
{
	(void)state;
	expect_table(table_csv, "name,time_ns\r\n\"a,\"\"b\"\"|<c>\",1234567\r\n\"\",\r\n");
	expect_table(table_json,
		"[\n  {\"name\": \"a,\\\"b\\\"|<c>\", \"time_ns\": 1234567},\n"
		"  {\"name\": \"\", \"time_ns\": null}\n]\n");
	expect_table(result_markdown,
		"| name | time\\_ns |\n|---|---:|\n"
		"| a,\"b\"\\|&lt;c> | 1.23 ms |\n|  | – |\n");
	expect_table(table_print,
		"name       time_ns\n"
		"a,\"b\"|<c>  1.23 ms\n"
		"                 -\n");
	expect_table(table_html,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"a caption "
		"(table)\"><table><caption>a caption</caption>\n"
		"<thead><tr><th scope=\"col\">name</th><th scope=\"col\" class=\"n\"><abbr "
		"title=\"how long\">time_ns</abbr></th></tr></thead>\n<tbody>\n"
		"<tr><th scope=\"row\">a,&quot;b&quot;|&lt;c&gt;</th><td class=\"n\">1.23 "
		"ms</td></tr>\n<tr><th scope=\"row\"></th><td class=\"n\">–</td></tr>\n"
		"</tbody></table></div>\n<details class=\"small\"><summary>What the columns "
		"mean</summary><dl>\n<dt>time_ns</dt><dd>how long</dd>\n</dl></details>\n");
}

static void gnuplot_strings_cannot_end_early(void **state)
{
	(void)state;
	expect_written(text_gnuplot, "a\"b'c`d\\e%f", "\"a”b’c’d∖e％f\"");
}

static void base64_is_padded(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		text_base64(out, cases[i].from, strlen(cases[i].from));
		fclose(out);
		assert_string_equal(text, cases[i].to);
		free(text);
	}
}

static void numbers_have_fitting_units(void **state)
{
	static const struct {
		enum result_format format;
		double value;
		const char *text;
	} cases[] = {
		{ FORMAT_NS, 0, "0 ns" },
		{ FORMAT_NS, 999, "999 ns" },
		{ FORMAT_NS, 1000, "1.00 µs" },
		{ FORMAT_NS, 999999, "1.00 ms" },
		{ FORMAT_NS, 64.2e9, "64.2 s" },
		{ FORMAT_NS, 5133e9, "5,133 s" },
		{ FORMAT_NS, -429000, "-429 µs" },
		{ FORMAT_BYTES, 26214400, "26.2 MB" },
		{ FORMAT_BYTES, 12, "12 B" },
		{ FORMAT_RATE, 7.5e9, "7.50 GB/s" },
		{ FORMAT_COUNT, 1234567, "1,234,567" },
		{ FORMAT_COUNT, 100, "100" },
		{ FORMAT_NUMBER, 9.996, "10.0" },
		{ FORMAT_NUMBER, 2133.3, "2,133" },
		{ FORMAT_EFFICIENCY, 0.5441, "0.54" },
		{ FORMAT_PERCENT, 0.545, "55 %" },
		{ FORMAT_PERCENT, 0.0201, "2.0 %" },
		{ FORMAT_PERCENT, 0, "0 %" },
		{ FORMAT_PERCENT, 0.0001, "<0.1 %" },
		{ FORMAT_SHARE, 37.2, "37 %" },
		{ FORMAT_NS, (double)NAN, "–" },
		{ FORMAT_COUNT, -1234, "-1,234" },
		{ FORMAT_NUMBER, 0.0004, "<0.01" },
		{ FORMAT_NUMBER, 0, "0" },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(number_format(buf, sizeof(buf), cases[i].format,
					    cases[i].value),
			cases[i].text);
}

static void functions_are_named_as_people_say_them(void **state)
{
	static const char *const cases[][2] = {
		{ "jacobi_kernel", "jacobi_kernel(float const*, float*, int, int, float*)" },
		{ "softmax_warp_forward<float, 4, true>",
			"void (anonymous namespace)::softmax_warp_forward<float, 4, true>(float*)" },
		{ "vectorized_elementwise_kernel<4, GeluCUDAKernelImpl, array<char*, 2ul>>",
			"void at::native::vectorized_elementwise_kernel<4, "
			"at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)"
			"::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::"
			"{lambda(float)#1}, std::array<char*, 2ul> >(int, std::array<char*, 2ul>)" },
		{ "reduce_kernel<128, ReduceOp<float, sum_functor<float, float>>, unsigned int>",
			"void at::native::reduce_kernel<128, at::native::ReduceOp<float, "
			"at::native::sum_functor<float, float>::operator()(at::TensorIterator&)::"
			"{lambda(float, float)#1}>, unsigned int>(at::native::ReduceOp<float>)" },
		{ "multi_tensor_apply_kernel<TensorListMetadata<2>, plus<float>>",
			"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<"
			"at::native::(anonymous namespace)::TensorListMetadata<2>, "
			"std::plus<float> >(std::plus<float>)" },
		{ "gemvx::kernel<int, float const, 0, 1>",
			"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, "
			"float const, (cublas::Kind)0, (bool)1>(int)" },
		{ "sm90_xmma_gemm_tilesize256", "sm90_xmma_gemm_tilesize256" },
		{ "[CUDA memcpy DtoH]", "[CUDA memcpy DtoH]" },
		{ "(unknown)", "(unknown)" },
		{ "graph.<locals>.step()", "graph.<locals>.step()" },
		{ "run (1)/data (2)", "run (1)/data (2)" },
		{ "open(a, (b>", "open(a, (b>" },
		{ "open<a, <b)", "open<a, <b)" },
		{ "a", "a()" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = text_function(cases[i][1]);

		assert_string_equal(text, cases[i][0]);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_made_printable),
		cmocka_unit_test(html_is_escaped),
		cmocka_unit_test(links_are_escaped),
		cmocka_unit_test(a_table_has_the_same_cells_in_every_form),
		cmocka_unit_test(gnuplot_strings_cannot_end_early),
		cmocka_unit_test(base64_is_padded),
		cmocka_unit_test(numbers_have_fitting_units),
		cmocka_unit_test(functions_are_named_as_people_say_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
