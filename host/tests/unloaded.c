/* unloaded.c: a library that test_walk.c loads only to unload it. */
int cs_host_unloaded(void);
int cs_host_unloaded(void) {
  return 1;
}
