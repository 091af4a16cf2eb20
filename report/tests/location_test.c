/* location_test.c: which frame is the source location of a finding, and which files are headers of the toolkit. */
#include "report/fingerprint.h"
#include "report/formats.h"
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include "report/toolkit.h"
#include "report/words.h"
#include <stdlib.h>
#include <string.h>

static void headers_of_the_toolkit_are_recognised(void **state) {
  (void)state;
  static const char *const headers[] = {
      "/usr/local/cuda/include/cuda_pipeline_helpers.h",
      "/usr/local/cuda-13.0/include/crt/sm_70_rt.hpp",
      "/opt/cuda/include/cuda_fp16.hpp",
      "/sw/cuda-12.4/include/cooperative_groups.h",
      "/usr/local/cuda/targets/x86_64-linux/include/cuda_fp16.hpp",
      "/opt/nvidia/hpc_sdk/cuda/12.4/targets/sbsa-linux/include/cuda_fp16.hpp",
      "/opt/x/include/cccl/cuda/std/__atomic/api/reference.h",
      "/home/me/third_party/cccl/libcudacxx/include/cuda/std/span",
      "/home/me/third_party/cccl/cub/cub/block/block_load.cuh",
      "/home/me/third_party/thrust/thrust/detail/seq.h",
      "/venv/lib/python3.12/site-packages/nvidia/cuda_runtime/include/cuda_fp16.hpp",
      "/usr/lib/llvm-22/lib/clang/22/include/__clang_cuda_device_functions.h",
      "/opt/llvm/lib64/clang/22.1.8/include/__clang_cuda_math.h",
      "/usr/include/c++/12/bits/stl_vector.h",
      "/opt/gcc/include/c++/13/array",
      "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h",
      "/env/sysroot/usr/include/string.h",
      "/usr/local/include/cuda_fp16.hpp",
      "/prefix/lib/cusafe/cusafe_nvcc.h",
      "/venv/lib/python3.11/site-packages/torch/include/torch/headeronly/util/BFloat16.h",
      "/usr/lib/python3/dist-packages/torch/include/ATen/core/TensorAccessor.h",
      "/opt/libtorch/include/c10/util/Half.h",
  };
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    if (!cs_report_is_toolkit(headers[i]))
      fail_msg("%s is the user's", headers[i]);
}

static void packages_of_python_are_recognised(void **state) {
  (void)state;
  static const char *const packages[] = {"/usr/lib/python3.11/threading.py", "/usr/lib64/python3.12/asyncio/runners.py",
                                         "/srv/me/env/lib/python3.13/site-packages/torch/nn/modules/module.py",
                                         "/usr/lib/python3/dist-packages/numpy/__init__.py", "<frozen runpy>"};
  static const char *const files[] = {"train.py", "<string>", "/srv/me/python3.11/train.py", "/srv/me/lib/train.py"};
  for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
    if (!cs_report_is_python_package(packages[i]))
      fail_msg("%s is the user's", packages[i]);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (cs_report_is_python_package(files[i]))
      fail_msg("%s is a package's", files[i]);
}

static void files_of_the_user_are_recognised(void **state) {
  (void)state;
  static const char *const files[] = {
      "scale.cu",
      "include/scale.cuh",
      "/home/me/cuda-project/scale.cu",
      "/home/me/cuda-project/include/scale.cuh",
      "/home/me/cuda/include/scale.cuh",
      "/home/me/cuda-12-samples/include/scale.cuh",
      "/home/cuda/src/include/scale.cuh",
      "/usr/src/scale/include/scale.cuh",
      "/home/me/usr/include/scale.cuh",
      "/home/me/crt/scale.cu",
      "/home/me/include/crt/scale.cuh",
      "/home/me/clang/include/scale.cuh",
      "/home/me/targets/include/scale.cuh",
      "/home/me/targets/x-linux/src/scale.cu",
      "/home/me/cccl/scale.cu",
      "/home/me/thrust/scale.cu",
      "/home/me/my_cusafe_nvcc.h",
      "/usr/local/cuda/samples/scale.cu",
      "/home/me/torch/include/scale.cuh",
      "/venv/lib/python3.11/site-packages/scale/include/scale.cuh",
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (cs_report_is_toolkit(files[i]))
      fail_msg("%s is the toolkit's", files[i]);
}

/* A write in a toolkit function, inlined into another toolkit function, which the user's scale() calls. The toolkit is
 * in a folder that its path does not identify; a folder of the user's has the name of a toolkit's. */
static const struct cs_source deep[] = {
    {.function = "copy(int*, int)", .file = "/sw/t/include/a.h", .line = 201, .column = 13, .is_toolkit = 1},
    {.function = "copy_all(int*)",
     .file = "/sw/t/include/b.h",
     .line = 36,
     .column = 3,
     .is_toolkit = 1,
     .is_called = 1},
    {.function = "scale(int*)", .file = "/usr/local/cuda-13.0/include/own.cuh", .line = 9, .column = 5},
    {.function = "kernel(int*)", .file = "/home/me/k.cu", .line = 30, .column = 2},
};

static struct cs_finding finding_at(const struct cs_source *frames, size_t count) {
  return (struct cs_finding){.kind = CS_KIND_OUT_OF_BOUNDS,
                             .event = CS_EVENT_ACCESS,
                             .access = CS_ACCESS_WRITE,
                             .size = 4,
                             .count = 1,
                             .where = {frames, count},
                             .kernel = "kernel(int*)"};
}

static void the_location_is_the_nearest_user_frame(void **state) {
  (void)state;
  struct cs_stack all = {deep, 4}, only_toolkit = {deep, 2}, users = {deep + 2, 2}, none = {deep, 0};
  assert_ptr_equal(cs_report_own_frame(&all), &deep[2]);
  assert_ptr_equal(cs_report_own_frame(&users), &deep[2]);
  assert_ptr_equal(cs_report_own_frame(&only_toolkit), &deep[0]);
  assert_null(cs_report_own_frame(&none));
}

/* The next version of the toolkit may have other functions. */
static void toolkit_frames_are_not_in_the_fingerprint(void **state) {
  (void)state;
  struct cs_finding through = finding_at(deep, 4), direct = finding_at(deep + 2, 2), other = finding_at(deep + 3, 1);
  cs_report_identify(&through, 0);
  cs_report_identify(&direct, 0);
  cs_report_identify(&other, 0);
  assert_string_equal(through.fingerprint, direct.fingerprint);
  assert_string_not_equal(through.fingerprint, other.fingerprint);
  assert_int_equal(cs_report_fingerprint_of_stack(&through.where).lines,
                   cs_report_fingerprint_of_stack(&direct.where).lines);
}

/* The pass does not mark host frames. */
static void host_frames_are_judged_by_their_paths(void **state) {
  (void)state;
  struct cs_source frames[] = {
      {.function = "thrust::f()", .file = "/usr/local/cuda/include/cccl/thrust/f.h", .line = 3, .pc = 0x1000},
      {.function = "own()", .file = "/home/me/cuda-project/include/own.h", .line = 7, .pc = 0x2000},
      {.function = "main", .file = "/home/me/main.cpp", .line = 9, .pc = 0x3000},
  };
  struct cs_stack stack = {frames, 3};
  assert_ptr_equal(cs_report_own_frame(&stack), &frames[1]);
}

static char *rendered_as(const struct cs_format *format, const struct cs_finding *f) {
  const struct cs_text_options options = {.pid = 1};
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  format->finding(f, &options, out);
  fclose(out);
  return text;
}

static char *rendered(const struct cs_format *format) {
  struct cs_finding f = finding_at(deep, 4);
  return rendered_as(format, &f);
}

static void expect(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("'%s' is missing in:\n%s", part, text);
}

static void every_format_has_the_same_location(void **state) {
  (void)state;
  char *text = rendered(&cs_format_text), *line = rendered(&cs_format_oneline), *json = rendered(&cs_format_json);
  expect(text, "#0 in copy(int*, int) /sw/t/include/a.h:201:13 (inlined)\n");
  expect(text, "#1 in copy_all(int*) /sw/t/include/b.h:36:3\n"); /* called, not inlined */
  expect(text, "#2 in scale(int*) /usr/local/cuda-13.0/include/own.cuh:9:5 (inlined)\n");
  expect(text, "#3 in kernel(int*) /home/me/k.cu:30:2\n");
  expect(text, "SUMMARY: CuSafe: out-of-bounds /usr/local/cuda-13.0/include/own.cuh:9:5 in scale(int*)");
  assert_ptr_equal(strstr(line, "/usr/local/cuda-13.0/include/own.cuh:9:5: error: out-of-bounds"), line);
  expect(json, "\"place\":{\"function\":\"scale(int*)\",\"file\":\"/usr/local/cuda-13.0/include/own.cuh\",\"line\":9,");
  expect(json, "\"stack\":[{\"function\":\"copy(int*, int)\"");
  free(text);
  free(line);
  free(json);
}

/* A long run of frames in headers is one line, up to the function that the user calls; not if the user has none. */
static void long_runs_of_header_frames_are_omitted(void **state) {
  (void)state;
  static const struct cs_source frames[] = {
      {.function = "detail::load()", .file = "/sw/t/include/a.h", .line = 1, .is_toolkit = 1},
      {.function = "detail::dispatch()", .file = "/sw/t/include/a.h", .line = 2, .is_toolkit = 1},
      {.function = "detail::apply()", .file = "/sw/t/include/a.h", .line = 3, .is_toolkit = 1},
      {.function = "atomic::fetch_add()", .file = "/sw/t/include/a.h", .line = 4, .is_toolkit = 1},
      {.function = "kernel(int*)", .file = "/home/me/k.cu", .line = 30},
  };
  for (size_t count = 4; count <= 5; count++)
    for (int all = 0; all < 2; all++) {
      struct cs_finding f = finding_at(frames, count);
      const struct cs_text_options options = {.pid = 1, .all_frames = all};
      char *text = NULL;
      size_t bytes = 0;
      FILE *out = open_memstream(&text, &bytes);
      assert_non_null(out);
      cs_format_text.finding(&f, &options, out);
      fclose(out);
      int omits = count == 5 && !all;
      expect(text,
             omits ? "    ... 3 frames in headers of CUDA, the compiler or the system\n    #3 in atomic::fetch_add() "
                   : "    #0 in detail::load() ");
      assert_int_equal(strstr(text, "detail::") == NULL, omits);
      free(text);
    }
}

/* A user's Python function named main, which a package calls, and which calls another package. */
static void long_runs_of_python_packages_are_omitted(void **state) {
  (void)state;
  static const struct cs_source frames[] = {
      {.function = "cudaMemset", .module = "/usr/lib/libcudart.so", .pc = 1},
      {.function = "fill", .file = "/p/a.py", .line = 1, .is_python = 1, .is_toolkit = 1},
      {.function = "apply", .file = "/p/a.py", .line = 2, .is_python = 1, .is_toolkit = 1},
      {.function = "zeros", .file = "/p/a.py", .line = 3, .is_python = 1, .is_toolkit = 1},
      {.function = "main", .file = "/srv/me/t.py", .line = 7, .is_python = 1},
      {.function = "<module>", .file = "/srv/me/t.py", .line = 9, .is_python = 1},
      {.function = "run", .file = "/p/b.py", .line = 4, .is_python = 1, .is_toolkit = 1},
      {.function = "call", .file = "/p/b.py", .line = 5, .is_python = 1, .is_toolkit = 1},
      {.function = "start", .file = "/p/b.py", .line = 6, .is_python = 1, .is_toolkit = 1},
  };
  struct cs_finding f = {.kind = CS_KIND_API_OUT_OF_BOUNDS,
                         .event = CS_EVENT_API,
                         .access = CS_ACCESS_WRITE,
                         .api_call = "cuMemsetD8_v2",
                         .where = {frames, sizeof frames / sizeof *frames}};
  char *text = rendered_as(&cs_format_text, &f), *memcheck = rendered_as(&cs_format_memcheck, &f);
  expect(text, "    #0 0x000000000001 in cudaMemset (/usr/lib/libcudart.so)\n"
               "    ... 2 frames in Python packages\n"
               "    #3 in zeros /p/a.py:3\n"
               "    #4 in main /srv/me/t.py:7\n"
               "    #5 in <module> /srv/me/t.py:9\n"
               "    ... 3 frames in Python packages\n");
  expect(text, "api-out-of-bounds /srv/me/t.py:7 in main");
  expect(memcheck, "Host Frame: zeros in /p/a.py:3\n");
  free(text);
  free(memcheck);
  f.where = (struct cs_stack){frames + 6, 3}; /* no frame of the user */
  text = rendered_as(&cs_format_text, &f);
  expect(text, "    #0 in run /p/b.py:4\n    #1 in call /p/b.py:5\n    #2 in start /p/b.py:6\n");
  free(text);
}

/* Of a framework's frames without a line, those next to the call remain; in other programs up to ten. */
static void a_frameworks_frames_are_omitted(void **state) {
  (void)state;
  struct cs_source frames[6] = {{.function = "cudaMalloc", .module = "/usr/lib/libcudart.so", .pc = 1}};
  for (size_t i = 1; i < 5; i++)
    frames[i] = (struct cs_source){.function = "framework", .module = "/usr/lib/libframework.so", .pc = 1 + i};
  frames[5] = (struct cs_source){.function = "<module>", .file = "/srv/me/t.py", .line = 9, .is_python = 1};
  struct cs_finding f = {.kind = CS_KIND_API_OUT_OF_BOUNDS,
                         .event = CS_EVENT_API,
                         .access = CS_ACCESS_WRITE,
                         .api_call = "cuMemsetD8_v2",
                         .where = {frames, 6}};
  char *text = rendered_as(&cs_format_text, &f);
  expect(text, "    #1 0x000000000002 in framework (/usr/lib/libframework.so)\n"
               "    #5 in <module> /srv/me/t.py:9\n"
               "    ... and 3 frames without line information\n");
  free(text);
  f.where.count = 5;
  text = rendered_as(&cs_format_text, &f);
  expect(text, "    #4 0x000000000005 in framework (/usr/lib/libframework.so)\n");
  free(text);
}

static void sarif_has_the_same_location(void **state) {
  (void)state;
  struct cs_finding f = finding_at(deep, 4);
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  cs_format_sarif.finding(&f, NULL, out);
  fclose(out);
  expect(text, "\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":"
               "\"file:///usr/local/cuda-13.0/include/own.cuh\"},\"region\":{\"startLine\":9,\"startColumn\":5}}");
  free(text);
}

static void the_site_table_marks_toolkit_frames(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_TOOLKIT, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  struct cs_finding f;
  assert_int_equal(cs_diagnose(&evidence, &f), 0);
  assert_int_equal(f.where.count, 3);
  assert_true(f.where.frames[0].is_toolkit && !f.where.frames[0].is_called);
  assert_true(f.where.frames[1].is_toolkit && f.where.frames[1].is_called);
  assert_true(!f.where.frames[2].is_toolkit && !f.where.frames[2].is_called);
  assert_ptr_equal(cs_report_own_frame(&f.where), &f.where.frames[2]);
  cs_finding_release(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_of_the_toolkit_are_recognised),
      cmocka_unit_test(packages_of_python_are_recognised),
      cmocka_unit_test(files_of_the_user_are_recognised),
      cmocka_unit_test(the_location_is_the_nearest_user_frame),
      cmocka_unit_test(toolkit_frames_are_not_in_the_fingerprint),
      cmocka_unit_test(host_frames_are_judged_by_their_paths),
      cmocka_unit_test(every_format_has_the_same_location),
      cmocka_unit_test(long_runs_of_header_frames_are_omitted),
      cmocka_unit_test(long_runs_of_python_packages_are_omitted),
      cmocka_unit_test(a_frameworks_frames_are_omitted),
      cmocka_unit_test(sarif_has_the_same_location),
      cmocka_unit_test(the_site_table_marks_toolkit_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
