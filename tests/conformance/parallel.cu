// parallel.cu: thrust and cub's device-wide algorithms against those of the C++ standard library.
#include "conformance.h"
#include <algorithm>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <numeric>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

static std::vector<int> numbers(size_t n, int below = 1000) {
  std::vector<int> v(n);
  for (auto &x : v)
    x = (int)(random_bits() % (unsigned)below) - below / 3;
  return v;
}
template <typename T> static std::vector<T> host_of(const thrust::device_vector<T> &v) {
  std::vector<T> h(v.size());
  thrust::copy(v.begin(), v.end(), h.begin());
  return h;
}

CASE(thrust_vectors) {
  thrust::host_vector<int> h(100, 7);
  thrust::device_vector<int> d = h, e(d.begin() + 10, d.end());
  d[3] = 9, d.push_back(11), e.resize(95, 2);
  EXPECT(d.size() == 101 && d[3] == 9 && d.back() == 11 && e.size() == 95 && e[89] == 7 && e[94] == 2);
  h = e;
  EXPECT(h[94] == 2 && thrust::raw_pointer_cast(d.data()) != nullptr);
  on_device(1, 1, [p = thrust::raw_pointer_cast(d.data())] __device__() { p[0] = -1; });
  EXPECT(d.front() == -1);
}

struct Squared {
  __host__ __device__ int operator()(int v) const { return v * v; }
};
struct Odd {
  __host__ __device__ bool operator()(int v) const { return v & 1; }
};

CASE(thrust_transform) {
  auto in = numbers(5000);
  thrust::device_vector<int> a(in.begin(), in.end()), b(5000), c(5000);
  thrust::sequence(b.begin(), b.end(), 3, 2);
  thrust::transform(a.begin(), a.end(), c.begin(), Squared());
  thrust::transform(c.begin(), c.end(), b.begin(), c.begin(), thrust::plus<int>());
  auto got = host_of(c);
  for (int i = 0; i < 5000; i++)
    EXPECT(got[i] == in[i] * in[i] + 3 + 2 * i);
}

CASE(thrust_reduce) {
  auto in = numbers(10007);
  thrust::device_vector<int> a(in.begin(), in.end());
  EXPECT(thrust::reduce(a.begin(), a.end()) == std::accumulate(in.begin(), in.end(), 0));
  EXPECT(thrust::transform_reduce(a.begin(), a.end(), Squared(), 0ll, thrust::plus<long long>()) ==
         std::accumulate(in.begin(), in.end(), 0ll, [](long long s, int v) { return s + v * v; }));
  EXPECT(thrust::count_if(a.begin(), a.end(), Odd()) == std::count_if(in.begin(), in.end(), Odd()));
  EXPECT(thrust::max_element(a.begin(), a.end()) - a.begin() == std::max_element(in.begin(), in.end()) - in.begin());
}

CASE(thrust_scans) {
  auto in = numbers(4099), expected = in;
  thrust::device_vector<int> a(in.begin(), in.end()), b(in.size());
  thrust::inclusive_scan(a.begin(), a.end(), b.begin());
  std::partial_sum(in.begin(), in.end(), expected.begin());
  EXPECT(host_of(b) == expected);
  thrust::exclusive_scan(a.begin(), a.end(), a.begin(), 5);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 5);
  EXPECT(host_of(a) == expected);
}

CASE(thrust_sort) {
  auto in = numbers(6001);
  thrust::device_vector<int> a(in.begin(), in.end());
  thrust::sort(a.begin(), a.end());
  std::sort(in.begin(), in.end());
  EXPECT(host_of(a) == in);
}

CASE(thrust_sort_by_key) {
  auto keys = numbers(3000, 50);
  thrust::device_vector<int> k(keys.begin(), keys.end()), v(3000);
  thrust::sequence(v.begin(), v.end());
  thrust::stable_sort_by_key(k.begin(), k.end(), v.begin());
  std::vector<int> order(3000);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  EXPECT(host_of(v) == order);
}

CASE(thrust_unique_and_copy_if) {
  auto in = numbers(3000, 5), expected = in;
  thrust::device_vector<int> a(in.begin(), in.end()), b(3000);
  auto end = thrust::copy_if(a.begin(), a.end(), b.begin(), Odd());
  std::vector<int> odd;
  std::copy_if(in.begin(), in.end(), std::back_inserter(odd), Odd());
  b.resize((size_t)(end - b.begin()));
  EXPECT(host_of(b) == odd);
  a.erase(thrust::unique(a.begin(), a.end()), a.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  EXPECT(host_of(a) == expected);
}

CASE(thrust_reduce_by_key) {
  std::vector<int> keys, values = numbers(2000);
  for (int i = 0; i < 2000; i++)
    keys.push_back(i / 7 * 3);
  thrust::device_vector<int> k(keys.begin(), keys.end()), v(values.begin(), values.end()), ko(2000), vo(2000);
  auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), ko.begin(), vo.begin());
  EXPECT(ends.first - ko.begin() == 286);
  auto sums = host_of(vo);
  for (int g = 0; g < 286; g++)
    EXPECT(sums[g] == std::accumulate(values.begin() + g * 7, values.begin() + std::min(g * 7 + 7, 2000), 0));
}

CASE(thrust_iterators) {
  thrust::counting_iterator<int> first(10);
  EXPECT(thrust::reduce(thrust::device, first, first + 100) == 5950);
  thrust::device_vector<int> a(50), b(50), c(50);
  thrust::sequence(a.begin(), a.end());
  thrust::sequence(b.begin(), b.end(), 100);
  auto zip = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
  thrust::transform(zip, zip + 50, c.begin(),
                    [] __device__(thrust::tuple<int, int> t) { return thrust::get<0>(t) * thrust::get<1>(t); });
  auto got = host_of(c);
  for (int i = 0; i < 50; i++)
    EXPECT(got[i] == i * (100 + i));
}

// Calls a cub algorithm twice: first for the size of its temporary storage, then to run it.
template <typename F> static void with_storage(F algorithm) {
  size_t bytes = 0;
  CU(algorithm(nullptr, bytes));
  char *storage = buffer<char>(bytes ? bytes : 1);
  CU(algorithm(storage, bytes));
  LAUNCHED();
  release(storage);
}
struct Input : Array<int> {
  explicit Input(const std::vector<int> &v) : Array<int>(v.size()) {
    std::copy(v.begin(), v.end(), host);
    upload();
  }
};

CASE(cub_device_reduce) {
  auto in = numbers(7777);
  Input a(in);
  Array<int> out(2);
  with_storage([&](void *p, size_t &n) { return cub::DeviceReduce::Sum(p, n, a.device, out.device, 7777); });
  with_storage([&](void *p, size_t &n) { return cub::DeviceReduce::Min(p, n, a.device, out.device + 1, 7777); });
  out.download();
  EXPECT(out[0] == std::accumulate(in.begin(), in.end(), 0) && out[1] == *std::min_element(in.begin(), in.end()));
}

CASE(cub_device_scan) {
  auto in = numbers(9001), expected = in;
  Input a(in);
  Array<int> out(9001);
  with_storage([&](void *p, size_t &n) { return cub::DeviceScan::ExclusiveSum(p, n, a.device, out.device, 9001); });
  out.download();
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0);
  EXPECT(std::equal(expected.begin(), expected.end(), out.host));
}

CASE(cub_device_sort) {
  auto in = numbers(5003);
  Input a(in);
  Array<int> out(5003), values(5003), sorted(5003);
  std::iota(values.host, values.host + 5003, 0);
  values.upload();
  with_storage([&](void *p, size_t &n) {
    return cub::DeviceRadixSort::SortPairs(p, n, a.device, out.device, values.device, sorted.device, 5003);
  });
  out.download(), sorted.download();
  std::vector<int> order(5003);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return in[x] < in[y]; });
  for (int i = 0; i < 5003; i++)
    EXPECT(out[i] == in[order[i]] && sorted[i] == order[i]);
}

CASE(cub_device_select) {
  auto in = numbers(4000);
  Input a(in);
  Array<int> out(4000), count(1);
  with_storage(
      [&](void *p, size_t &n) { return cub::DeviceSelect::If(p, n, a.device, out.device, count.device, 4000, Odd()); });
  out.download(), count.download();
  std::vector<int> expected;
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), Odd());
  EXPECT(count[0] == (int)expected.size() && std::equal(expected.begin(), expected.end(), out.host));
}

CASE(cub_device_histogram) {
  auto in = numbers(6000, 300);
  Input a(in);
  Array<int> bins(10);
  with_storage([&](void *p, size_t &n) {
    return cub::DeviceHistogram::HistogramEven(p, n, a.device, bins.device, 11, -100, 200, 6000);
  });
  bins.download();
  int expected[10] = {};
  for (int v : in)
    expected[(v + 100) / 30]++;
  for (int i = 0; i < 10; i++)
    EXPECT(bins[i] == expected[i]);
}

CASE(cub_device_run_lengths) {
  auto in = numbers(2000, 3);
  Input a(in);
  Array<int> unique(2000), lengths(2000), runs(1);
  with_storage([&](void *p, size_t &n) {
    return cub::DeviceRunLengthEncode::Encode(p, n, a.device, unique.device, lengths.device, runs.device, 2000);
  });
  unique.download(), lengths.download(), runs.download();
  int count = 0;
  for (size_t i = 0; i < in.size(); count++) {
    size_t j = i;
    while (j < in.size() && in[j] == in[i])
      j++;
    EXPECT(unique[count] == in[i] && lengths[count] == (int)(j - i));
    i = j;
  }
  EXPECT(runs[0] == count);
}
