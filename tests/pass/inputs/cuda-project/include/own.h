// A header of the user's, in a folder with a name like the toolkit's: its function stays as it is.
__device__ inline void of_the_user(int *p, int i) {
  p[i] = i;
}
