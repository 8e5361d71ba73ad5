/*
 * Functions with libc's names and another meaning: arguments in vector registers, on the stack, any
 * number of them, and results in memory. Built with -DPRELOADED: a library that replaces libc's.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <string.h>

#ifdef PRELOADED
#include <dlfcn.h>
#include <unistd.h>

ssize_t pread(int fd, void *buf, size_t n, off_t off)
{
	return ((ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread"))(fd, buf, n, off);
}
#else
struct table {
	long cell[9];
};

double connect(const char *host, double port)
{
	return (double)strlen(host) + port;
}
double accept(double a, double b)
{
	return a * b;
}
long double sleep(long double s, int n)
{
	return s / n;
}
float wait(float a, float b, float c, float d, float e, float f, float g, float h, float i)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
long poll(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a ^ b << 1 ^ c << 2 ^ d << 3 ^ e << 4 ^ f << 5 ^ g << 6 ^ h << 7;
}
struct table glob(int n)
{
	struct table table;

	for (int i = 0; i < 9; i++)
		table.cell[i] = n * i;
	return table;
}
double rename(int n, ...)
{
	double sum = 0;
	va_list list;

	va_start(list, n);
	while (n--)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}
double vfprintf(double x)
{
	return -x;
}
double system(double x)
{
	return 2 * x;
}
double popen(double x)
{
	return 3 * x;
}
double execv(double x)
{
	return 4 * x;
}
double setuid(double x)
{
	return 5 * x;
}
double syscall(double x)
{
	return 6 * x;
}
double prctl(double x)
{
	return 7 * x;
}
double mmap64(double x)
{
	return 8 * x;
}
double close(double x)
{
	return 9 * x;
}
double sem_trywait(double x)
{
	return 10 * x;
}
#endif
