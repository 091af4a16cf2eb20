// The buffer ends inside the last structure, and only the field that is in bounds is used.
#include "../check.h"

struct Item {
  long long key;
  double weight;
};

__global__ void fill(Item *items, int whole) {
  int i = threadIdx.x;
  items[i].key = 3 * i;
  if (i < whole)
    items[i].weight = 0.5 * i;
}

int main() {
  Array<double> raw(31); // fifteen items and a key
  fill<<<1, 16>>>((Item *)raw.device, 15);
  LAUNCHED();
  raw.download();
  const Item *items = (const Item *)raw.host;
  for (int i = 0; i < 15; i++)
    EXPECT(items[i].key == 3 * i && items[i].weight == 0.5 * i);
  EXPECT(items[15].key == 45);
  raw.show("items");
  return verdict();
}
