int twice(int number);

int main() {
  return twice(0);
}
