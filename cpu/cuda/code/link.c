/* link.c: cuLinkCreate and its calls: PTX modules are collected, and linked when the program asks for the result. */
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/load.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "report/print.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
  uint32_t magic;
  char **texts; /* PTX modules */
  size_t count;
  void *made; /* after cuLinkComplete */
  size_t bytes;
};

/* The program reads how much of its buffers for messages was filled: nothing, since messages go to stderr. */
static void leave_logs_empty(unsigned count, const CUjit_option *options, void **values) {
  for (unsigned i = 0; i < count; i++)
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      values[i] = NULL;
}

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *out) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  struct link *link = cs_cpu_object_new(CS_CPU_LINK, sizeof *link);
  if (!link)
    return CUDA_ERROR_OUT_OF_MEMORY;
  leave_logs_empty(count, options, values);
  *out = (CUlinkState)link;
  return CUDA_SUCCESS;
}

static CUresult link_of(CUlinkState handle, struct link **link) {
  *link = (struct link *)handle;
  return cs_cpu_check_handle(handle, CS_CPU_LINK, CUDA_ERROR_INVALID_HANDLE);
}

/* The text becomes the link's. */
static CUresult add_text(struct link *link, char *text) {
  char **grown = text ? realloc(link->texts, (link->count + 1) * sizeof *grown) : NULL;
  if (!grown) {
    free(text);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  link->texts = grown;
  link->texts[link->count++] = text;
  return CUDA_SUCCESS;
}

static CUresult refuse(const char *name) {
  cs_report_print(stderr,
                  "cusafe: cuLink: %s is neither PTX nor a fat binary, and the CPU device links nothing else.\n",
                  name ? name : "an input");
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                          unsigned count, CUjit_option *options, void **values) {
  struct link *link;
  char *text = NULL;
  CUresult result = link_of(state, &link);
  if (result != CUDA_SUCCESS)
    return result;
  if (!data || !size || link->made || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  if (type == CU_JIT_INPUT_PTX)
    return add_text(link, strndup(data, size));
  if (type != CU_JIT_INPUT_FATBINARY)
    return refuse(name);
  result = cs_cpu_load_ptx(data, size, &text);
  return result == CUDA_SUCCESS ? add_text(link, text) : result;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values) {
  void *data;
  size_t size;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = cs_cpu_image_read_sized(path, &data, &size);
  if (result != CUDA_SUCCESS)
    return result;
  result = cuLinkAddData_v2(state, type, data, size, path, count, options, values);
  free(data);
  return result;
}

CUresult cuLinkComplete(CUlinkState state, void **out, size_t *size) {
  struct link *link;
  CUresult result = link_of(state, &link);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !size || !link->count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!link->made)
    result = cs_cpu_load_link((const char *const *)link->texts, link->count, &link->made, &link->bytes);
  if (result != CUDA_SUCCESS)
    return result;
  *out = link->made;
  *size = link->bytes;
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
  struct link *link;
  CUresult result = link_of(state, &link);
  if (result != CUDA_SUCCESS)
    return result;
  for (size_t i = 0; i < link->count; i++)
    free(link->texts[i]);
  free(link->texts);
  free(link->made);
  cs_cpu_object_delete(link);
  return CUDA_SUCCESS;
}

/* --- The interfaces of CUDA 5.5, which have the same arguments --- */

CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *out) {
  return cuLinkCreate_v2(count, options, values, out);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                       unsigned count, CUjit_option *options, void **values) {
  return cuLinkAddData_v2(state, type, data, size, name, count, options, values);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned count, CUjit_option *options,
                       void **values) {
  return cuLinkAddFile_v2(state, type, path, count, options, values);
}
