/* Calls the functions of foreign_library.c, and libc's that they do not hide. */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

struct table {
	long cell[9];
};

double connect(const char *host, double port);
double accept(double a, double b);
long double sleep(long double s, int n);
float wait(float a, float b, float c, float d, float e, float f, float g, float h, float i);
long poll(long a, long b, long c, long d, long e, long f, long g, long h);
struct table glob(int n);
double foreign_rename(int n, ...) __asm__("rename");
double foreign_system(double x) __asm__("system");
double foreign_popen(double x) __asm__("popen");
double execv(double x);
double setuid(double x);
double syscall(double x);
double prctl(double x);
double mmap64(double x);
double close(double x);

/* twice: the first call of a name is another way than those after it */
int main(void)
{
	sem_t semaphore;
	FILE *fp = fopen("/dev/null", "w");

	sem_init(&semaphore, 0, 2);
	errno = 77;
	for (int i = 0; i < 2; i++) {
		printf("%g %g %Lg %g %ld %ld %g %d\n", connect("host", 80.5), accept(1.5, 3),
			sleep(7.5L, 2), wait(1, 2, 3, 4, 5, 6, 7, 8, 9),
			poll(1, 2, 3, 4, 5, 6, 7, 8), glob(7).cell[8],
			foreign_rename(3, 1.5, 2.25, 3.125), errno);
		printf("%g %g %g %g %g %g %g %g\n", foreign_system(1.5), foreign_popen(1.5),
			execv(1.5), setuid(1.5), syscall(1.5), prctl(1.5), mmap64(1.5), close(1.5));
		fprintf(fp, "%d\n", i); /* its vfprintf is libc's */
		if (sem_wait(&semaphore))
			return 1;
	}
	return fclose(fp);
}
