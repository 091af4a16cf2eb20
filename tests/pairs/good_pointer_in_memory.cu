// Pointers are stored in memory, loaded, moved and stored again, and stay in bounds.
#include "../check.h"

struct Row {
  float *values;
  int count;
};

__global__ void link(Row *rows, float *values) {
  rows[threadIdx.x] = Row{values + 5 * threadIdx.x, 5};
}

__global__ void fill(Row *rows) {
  Row *row = &rows[threadIdx.x];
  for (int i = 0; i < row->count; i++)
    *row->values++ = (float)(10 * threadIdx.x + i);
}

int main() {
  Array<Row> rows(4);
  Array<float> values(20);
  link<<<1, 4>>>(rows.device, values.device);
  fill<<<1, 4>>>(rows.device);
  LAUNCHED();
  values.download();
  rows.download();
  for (int i = 0; i < 20; i++)
    EXPECT(values[i] == (float)(10 * (i / 5) + i % 5));
  EXPECT(rows[3].values == values.device + 20);
  values.show("values");
  return verdict();
}
