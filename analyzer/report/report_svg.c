/*
 * report_svg.c - puts an SVG of gnuplot's into the page: ids made unique,
 * black made the colour of the page's text, and nothing let through that
 * gnuplot does not draw with.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "report/report_page.h"

/* Elements that gnuplot's SVG terminal writes. */
static bool element_allowed(const char *name, size_t len)
{
	static const char *const allowed[] = { "svg", "title", "desc", "g", "rect", "defs",
		"circle", "path", "use", "filter", "feFlood", "feComposite", "text", "tspan",
		"polygon", "polyline", "line", "image", "linearGradient", "stop", "clipPath",
		"pattern" };

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (strlen(allowed[i]) == len && strncmp(allowed[i], name, len) == 0)
			return true;
	return false;
}

static bool svg_allowed(const char *s)
{
	while ((s = strchr(s, '<'))) {
		s += 1 + (s[1] == '/');
		size_t len = strcspn(s, " \t\r\n>/");

		if (!element_allowed(s, len))
			return false;
		const char *end = strchr(s, '>');

		if (!end || memmem(s, end - s, "=\"javascript", 12) || memmem(s, end - s, " on", 3))
			return false;
	}
	return true;
}

/* Replacements within tags; %s is the plot's name. Longer ones first. */
static const struct {
	const char *from, *to;
} changes[] = {
	{ "id='gp", "id='%s-gp" },
	{ "id=\"gnuplot_canvas\"", "id=\"%s-canvas\"" },
	{ "href='#gp", "href='#%s-gp" },
	{ "url(#gp", "url(#%s-gp" },
	{ "id='textbox'", "id='%s-textbox'" },
	{ "id='greybox'", "id='%s-greybox'" },
	{ "url(#textbox", "url(#%s-textbox" },
	{ "url(#greybox", "url(#%s-greybox" },
	{ "stroke='black'", "stroke='currentColor'" },
	{ "stroke=\"black\"", "stroke=\"currentColor\"" },
	{ "fill=\"black\"", "fill=\"currentColor\"" },
	{ "fill='black'", "fill='currentColor'" },
	{ " color=\"black\"", "" },
	{ " color=\"white\"", "" },
	{ " font-family=\"sans-serif\"", "" },
};

/*
 * gnuplot gives series 3 the title <title>NAME_plot_3</title>, which would pop up on hover.
 * Replaces it with the series' name, or removes it. Returns the text after it, NULL if this is not
 * such a title.
 */
static const char *put_title(FILE *out, const char *s, const char *name,
	const struct svg_titles *titles)
{
	size_t len = strlen(name);
	char *end;
	unsigned long number;

	if (strncmp(s, "<title>", 7) != 0 || strncmp(s + 7, name, len) != 0 ||
		strncmp(s + 7 + len, "_plot_", 6) != 0)
		return NULL;
	number = strtoul(s + 13 + len, &end, 10);
	if (strncmp(end, "</title>", 8) != 0)
		return NULL;
	if (number > 0 && number <= titles->n) {
		fputs("<title>", out);
		text_html(out, titles->at[number - 1]);
		fputs("</title>", out);
	}
	return end + 8;
}

static void put_changed(FILE *out, const char *s, const char *name, const struct svg_titles *titles)
{
	while (*s) {
		size_t i, n = sizeof(changes) / sizeof(changes[0]);
		const char *behind = *s == '<' ? put_title(out, s, name, titles) : NULL;

		if (behind) {
			s = behind;
			continue;
		}

		for (i = 0; i < n && strncmp(s, changes[i].from, strlen(changes[i].from)) != 0; i++)
			;
		if (i == n) {
			fputc(*s++, out);
			continue;
		}
		const char *to = changes[i].to, *at = strstr(to, "%s");

		if (at)
			fprintf(out, "%.*s%s%s", (int)(at - to), to, name, at + 2);
		else
			fputs(to, out);
		s += strlen(changes[i].from);
	}
}

static char *svg_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

int svg_inline(FILE *out, const char *path, const char *name, const char *label,
	const struct svg_titles *titles)
{
	char *text = svg_read(path), *svg = text ? strstr(text, "<svg") : NULL;
	int ret = -1;

	/* gnuplot ends the file only when it ended well */
	if (svg && strstr(svg, "</svg>") && svg_allowed(svg)) {
		fputs("<div class=\"scroll plot\" tabindex=\"0\" role=\"region\" aria-label=\"",
			out);
		text_html(out, label);
		fputs("\"><svg role=\"img\" aria-label=\"", out);
		text_html(out, label);
		fputs("\"", out);
		put_changed(out, svg + 4, name, titles);
		fputs("</div>\n", out);
		ret = 0;
	}
	free(text);
	return ret;
}
