/* kernels.cl: kernels with the calling convention of include/cusafe/image.h, for the driver's own tests. */
struct launch {
  uint grid[3], block[3];
  uint dynamic_shared, reserved;
  ulong status, print;
  ulong heap, phases;
  ulong globals, tests;
};
#define PARAM(type, offset) (*(global type *)((global char *)block + 128 + (offset)))
#define KERNEL(name) kernel void name(global struct launch *block, local void *dynamic_shared)

global int counter = 7;
global int table[16];

/* (int *data, int count, int factor) */
KERNEL(scale) {
  global int *data = (global int *)PARAM(ulong, 0);
  int count = PARAM(int, 8), i = get_global_id(0);
  if (i < count)
    data[i] *= PARAM(int, 12);
}

/* (int *data): reverses each block through dynamic shared memory. */
KERNEL(reverse) {
  local int *shared = dynamic_shared;
  global int *data = (global int *)PARAM(ulong, 0) + get_group_id(0) * get_local_size(0);
  int i = get_local_id(0);
  shared[i] = data[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[i] = shared[get_local_size(0) - 1 - i];
}

KERNEL(count) {
  atomic_add(&counter, 1);
}

/* (uint *out): stores the launch's own description. */
KERNEL(describe) {
  global uint *out = (global uint *)PARAM(ulong, 0);
  if (get_global_id(0) == 0)
    for (int i = 0; i < 3; i++) {
      out[i] = block->grid[i];
      out[3 + i] = block->block[i];
    }
}

/* (int *flag, int *seen, int value): waits until *flag is not 0, then stores value to *seen. */
KERNEL(wait) {
  volatile global int *flag = (volatile global int *)PARAM(ulong, 0);
  while (*flag == 0)
    ;
  *(global int *)PARAM(ulong, 8) = PARAM(int, 16);
}

/* (ulong address, int value) */
KERNEL(poke) {
  *(volatile global int *)PARAM(ulong, 0) = PARAM(int, 8);
}

/* (int error): stores a status, as a trap or an assert does. */
KERNEL(fail) {
  *(global uint *)block->status = PARAM(int, 0);
}

struct record {
  uint bytes, kind;
  ulong format, args_bytes;
};

static global ulong *append(global struct launch *block, uint kind, ulong format, ulong args_bytes) {
  global ulong *print = (global ulong *)block->print;
  ulong bytes = sizeof(struct record) + args_bytes;
  ulong at = atom_add((volatile global ulong *)(print + 1), bytes);
  if (at + bytes > print[0])
    return 0;
  global struct record *record = (global struct record *)((global char *)(print + 2) + at);
  record->kind = kind;
  record->format = format;
  record->args_bytes = args_bytes;
  record->bytes = bytes;
  return (global ulong *)(record + 1);
}

/* (const char *format, const char *text): printf(format, -3, 2.5, text, 1234567890123, 'c') */
KERNEL(print) {
  global ulong *args = append(block, 0, PARAM(ulong, 0), 40);
  if (args) {
    *(global int *)args = -3;
    *(global double *)(args + 1) = 2.5;
    args[2] = PARAM(ulong, 8);
    args[3] = 1234567890123;
    *(global int *)(args + 4) = 'c';
  }
}

/* (const char *message, const char *file, const char *function) */
KERNEL(assert_fail) {
  global ulong *args = append(block, 1, PARAM(ulong, 0), 48);
  if (args) {
    global uint *rest = (global uint *)(args + 2);
    args[0] = PARAM(ulong, 8);
    args[1] = PARAM(ulong, 16);
    rest[0] = 42;
    for (int i = 0; i < 3; i++) {
      rest[1 + i] = i;
      rest[4 + i] = 10 + i;
    }
  }
  *(global uint *)block->status = 710;
}

struct grid {
  ulong frames, frame_bytes, shared, shared_bytes;
  uint phase, waiting, cooperative, reserved;
};
struct frame {
  uint next; /* where the thread continues: 0 the start, 1 after the barrier, 2 ended */
  uint kept;
};

/* (uint *data, uint *out, uint count): every thread of the grid writes data, then reads what another wrote; lowered by hand to
 * the phases of image.h. */
KERNEL(phases) {
  global struct grid *grid = (global struct grid *)block->phases;
  uint i = get_global_id(0), count = PARAM(uint, 16);
  global struct frame *frame = (global struct frame *)(grid->frames + i * grid->frame_bytes);
  global uint *data = (global uint *)PARAM(ulong, 0), *out = (global uint *)PARAM(ulong, 8);
  global uint *shared = (global uint *)(grid->shared + get_group_id(0) * grid->shared_bytes);
  if (frame->next == 0) {
    if (!grid->cooperative || shared[0] != 0) {
      *(global uint *)block->status = 719;
      return;
    }
    data[i] = i;
    frame->kept = i * 3;
    frame->next = 1;
    if (get_local_id(0) == 0)
      shared[1] = get_group_id(0) + 1;
    atomic_add((volatile global uint *)&grid->waiting, 1);
  } else if (frame->next == 1) {
    out[i] = data[count - 1 - i] + frame->kept + shared[1];
    frame->next = 2;
  }
}

kernel void __cusafe_globals(global ulong *out) {
  out[0] = (ulong)&counter;
  out[1] = (ulong)&table;
}
