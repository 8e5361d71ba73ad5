/*
 * nccl_user.c - a library that is linked with an NCCL and loaded with
 * RTLD_LOCAL, as Python's extension modules are.
 */
int ncclGetVersion(int *version);

int user_version(void);

int user_version(void)
{
	int version = 0;

	return ncclGetVersion(&version) ? -1 : version;
}
