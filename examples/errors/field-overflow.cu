struct Particle {
  float position[3];
  float mass;
};

__global__ void move(Particle *p, int axis) {
  p->position[axis] += 1; // axis 3 is the mass
}

int main() {
  Particle *p;
  cudaMalloc(&p, sizeof(Particle));
  move<<<1, 1>>>(p, 3);
  return cudaDeviceSynchronize();
}
