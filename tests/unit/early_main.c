/* early_main.c - exits with 0 when the values of early_library.c are still its own. */
int early_kept(void);

int main(void)
{
	return !early_kept();
}
