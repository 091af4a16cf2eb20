// Never ends, and starts a child, which must not outlive the survey. Takes some processor time, which the survey counts.
#include <cstdio>
#include <ctime>
#include <unistd.h>
int main() {
  if (fork() == 0) {
    FILE *out = fopen("child", "w");
    fprintf(out, "%d\n", (int)getpid());
    fclose(out);
  }
  while (clock() < CLOCKS_PER_SEC / 4)
    ;
  for (;;)
    pause();
}
