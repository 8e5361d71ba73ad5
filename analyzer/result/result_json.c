/* result_json.c - a result as JSON; see result.h. */
#include "config.h"

#include "result/result.h"

void result_json_row(struct json *json, const char *key, const struct result *r, size_t row)
{
	json_object(json, key, JSON_INLINE);
	for (int i = 0; i < r->ncols; i++) {
		const struct result_cell *cell = result_cell(r, row, i);
		const char *name = r->columns[i].title;

		if (cell->left_out)
			continue;
		if (cell->is_real)
			json_number(json, name, cell->number);
		else if (cell->is_number)
			json_integer(json, name, cell->whole);
		else
			json_text(json, name, cell->text);
	}
	json_end(json);
}

void result_json(struct json *json, const char *key, const struct result *r)
{
	json_array(json, key, JSON_LINES);
	for (size_t row = 0; row < r->nrows; row++)
		result_json_row(json, NULL, r, row);
	json_end(json);
}
