/* account.c: the accounts of memory pools. */
#include "host/heap/account.h"
#include "host/base/lock.h"

enum { ACCOUNTS = 128 };

static struct cs_host_account accounts[ACCOUNTS]; /* [0]: all buffers without one */

cs_u32 cs_host_account_of(cs_u32 call) {
  cs_u32 by = call & 0xff;
  return by == CS_HOST_BY_POOL || by == CS_HOST_BY_ASYNC ? call >> 8 : 0;
}

int cs_host_account_take(cs_u32 number, cs_u64 bytes) {
  struct cs_host_account *a = &accounts[number];
  if (a->limit && (a->used > a->limit || bytes > a->limit - a->used))
    return -1;
  a->used += bytes;
  return 0;
}

void cs_host_account_raise(cs_u32 number) {
  struct cs_host_account *a = &accounts[number];
  a->used_high = a->used_high < a->used ? a->used : a->used_high;
  a->reserved_high = a->reserved_high < a->used ? a->used : a->reserved_high;
}

void cs_host_account_give(cs_u32 number, cs_u64 bytes) {
  accounts[number].used -= bytes;
}

void cs_host_account_restore(cs_u32 number, cs_u64 bytes) {
  accounts[number].used += bytes;
}

cs_u32 cs_host_account_open(cs_u64 limit) {
  cs_u32 number = 1;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  while (number < ACCOUNTS && (accounts[number].open || accounts[number].used))
    number++;
  if (number < ACCOUNTS)
    accounts[number] = (struct cs_host_account){.limit = limit, .open = 1};
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return number < ACCOUNTS ? number : 0;
}

void cs_host_account_close(cs_u32 number) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  accounts[number].open = 0;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

struct cs_host_account cs_host_account_read(cs_u32 number) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_account account = accounts[number];
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return account;
}

void cs_host_account_reset_high(cs_u32 number, int used) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  *(used ? &accounts[number].used_high : &accounts[number].reserved_high) = accounts[number].used;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}
