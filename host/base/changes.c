/* changes.c: the word that counts changes and ends. */
#include "host/base/changes.h"

cs_u64 cs_host_changes = 1ull << 32;
