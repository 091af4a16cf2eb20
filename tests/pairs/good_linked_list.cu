// A linked list in global memory, built, reversed and summed by kernels.
#include "../check.h"

struct Node {
  Node *next;
  int value;
};

__global__ void build(Node *pool, int n, Node **list) {
  for (int i = 0; i < n; i++)
    pool[i] = Node{i + 1 < n ? &pool[(i + 1) * 7 % n] : nullptr, i};
  for (int i = 0; i < n; i++)
    pool[i * 7 % n].next = i + 1 < n ? &pool[(i + 1) * 7 % n] : nullptr;
  *list = pool;
}

__global__ void reverse(Node **list) {
  Node *done = nullptr;
  for (Node *n = *list; n;) {
    Node *next = n->next;
    n->next = done;
    done = n;
    n = next;
  }
  *list = done;
}

__global__ void visit(Node *const *list, int *out) {
  int at = 0;
  for (const Node *n = *list; n; n = n->next)
    out[at++] = n->value;
}

int main() {
  const int n = 100;
  Array<Node> pool(n);
  Array<Node *> list(1);
  Array<int> out(n);
  build<<<1, 1>>>(pool.device, n, list.device);
  reverse<<<1, 1>>>(list.device);
  visit<<<1, 1>>>(list.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < n; i++)
    EXPECT(out[n - 1 - i] == i * 7 % n);
  out.show("values");
  return verdict();
}
