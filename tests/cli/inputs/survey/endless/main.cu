// Never ends, and starts a child, which must not outlive the survey.
#include <cstdio>
#include <unistd.h>
int main() {
  if (fork() == 0) {
    FILE *out = fopen("child", "w");
    fprintf(out, "%d\n", (int)getpid());
    fclose(out);
  }
  for (;;)
    pause();
}
