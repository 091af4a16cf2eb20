/* image.c: reads and checks device images (cusafe/image.h). An image is untrusted until all of it is checked. */
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/base/refused.h"
#include "cpu/cuda/code/linked.h"
#include "cusafe/image.h"
#include "fatbin/fatbin.h"
#include "report/print.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const void *at(const struct cs_image *image, uint64_t offset) {
  return (const char *)image + offset;
}

const struct cs_image_kernel *cs_cpu_image_kernels(const struct cs_image *image) {
  return at(image, image->kernel_offset);
}

const struct cs_image_param *cs_cpu_image_params(const struct cs_image *image) {
  return at(image, image->param_offset);
}

const struct cs_image_global *cs_cpu_image_globals(const struct cs_image *image) {
  return at(image, image->global_offset);
}

const char *cs_cpu_image_string(const struct cs_image *image, uint32_t offset) {
  return at(image, image->string_offset + (uint64_t)offset);
}

CUresult cs_cpu_image_param(const struct cs_image *image, const struct cs_image_kernel *kernel, size_t index,
                            size_t *offset, size_t *size) {
  if (index >= kernel->param_count)
    return CUDA_ERROR_INVALID_VALUE;
  const struct cs_image_param *param = &cs_cpu_image_params(image)[kernel->first_param + index];
  *offset = param->offset;
  if (size)
    *size = param->size;
  return CUDA_SUCCESS;
}

static int inside(const struct cs_image *image, uint64_t offset, uint64_t count, uint64_t size, uint64_t alignment) {
  return offset % alignment == 0 && offset <= image->total_bytes && count <= (image->total_bytes - offset) / size;
}

static int failing_valid(const struct cs_image *image) {
  return image->failing_slot == 0 || (image->failing_bytes != 0 && image->failing_slot >= CS_IMAGE_SHARED_VARIABLES &&
                                      image->failing_slot <= image->address_count &&
                                      CS_IMAGE_FAILING <= image->address_count - image->failing_slot);
}

static int tables_valid(const struct cs_image *image) {
  return image->total_bytes >= sizeof *image && inside(image, image->spirv_offset, image->spirv_bytes, 1, 4) &&
         inside(image, image->kernel_offset, image->kernel_count, sizeof(struct cs_image_kernel), 8) &&
         inside(image, image->param_offset, image->param_count, sizeof(struct cs_image_param), 4) &&
         inside(image, image->global_offset, image->global_count, sizeof(struct cs_image_global), 8) &&
         inside(image, image->string_offset, image->string_bytes, 1, 1) && image->string_bytes > 0 &&
         inside(image, image->failing_offset, image->failing_bytes, 1, 4) && failing_valid(image) &&
         image->address_count >= image->global_count && *cs_cpu_image_string(image, image->string_bytes - 1) == '\0';
}

static int kernel_valid(const struct cs_image *image, const struct cs_image_kernel *kernel) {
  if (kernel->name >= image->string_bytes || kernel->first_param > image->param_count ||
      kernel->param_count > image->param_count - kernel->first_param || kernel->param_bytes > 65536 ||
      !inside(image, kernel->spirv_offset, kernel->spirv_bytes, 1, 4))
    return 0;
  const struct cs_image_param *param = cs_cpu_image_params(image) + kernel->first_param;
  for (uint32_t i = 0; i < kernel->param_count; i++, param++)
    if (param->offset > kernel->param_bytes || param->size > kernel->param_bytes - param->offset)
      return 0;
  return 1;
}

static int contents_valid(const struct cs_image *image) {
  for (uint32_t i = 0; i < image->kernel_count; i++)
    if (!kernel_valid(image, &cs_cpu_image_kernels(image)[i]))
      return 0;
  for (uint32_t i = 0; i < image->global_count; i++)
    if (cs_cpu_image_globals(image)[i].name >= image->string_bytes)
      return 0;
  return 1;
}

static CUresult not_ours(void) {
  static atomic_int printed;
  if (!atomic_exchange(&printed, 1))
    cs_report_print(
        stderr, "cusafe: a device module holds no code for the CPU device: the program was not built with 'cusafe cc "
                "--device=cpu'\n");
  return cs_cpu_refuse(CUDA_ERROR_NO_BINARY_FOR_GPU);
}

/* Byte by byte: a text image (PTX) may be shorter than a magic number, but ends with a 0. */
int cs_cpu_starts_with(const void *data, uint64_t magic, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (((const unsigned char *)data)[i] != (unsigned char)(magic >> 8 * i))
      return 0;
  return 1;
}

static CUresult open_image(const void *data, const struct cs_image **out) {
  if (!cs_cpu_starts_with(data, CS_IMAGE_MAGIC, sizeof(uint64_t)))
    return not_ours();
  const struct cs_image *image = data;
  if ((uintptr_t)data % 8 == 0 && image->version != CS_IMAGE_VERSION) { /* its tables may have another layout */
    cs_report_print(stderr,
                    "cusafe: a device module has image version %u and this driver reads %u: rebuild the program\n",
                    image->version, CS_IMAGE_VERSION);
    return cs_cpu_refuse(CUDA_ERROR_INVALID_IMAGE);
  }
  if ((uintptr_t)data % 8 != 0 || !tables_valid(image) || !contents_valid(image))
    return CUDA_ERROR_INVALID_IMAGE;
  *out = image;
  return CUDA_SUCCESS;
}

/* The image for debuggers inside another one, if there is one and the options select it. */
static CUresult open_debug(const struct cs_image *image, const struct cs_image **out) {
  if (!cs_cpu_options()->debug || !image->debug_offset)
    return CUDA_SUCCESS;
  const struct cs_image *debug = at(image, image->debug_offset);
  if (!inside(image, image->debug_offset, 1, sizeof *debug, 8) || debug->magic != CS_IMAGE_MAGIC ||
      debug->total_bytes > image->total_bytes - image->debug_offset)
    return CUDA_ERROR_INVALID_IMAGE;
  return open_image(debug, out);
}

/* The runtime loads libcusafe for its programs; those that use the driver alone link it. */
static void warn_unseen(const struct cs_image *image) {
  static atomic_int printed;
  if (image->checked && !dlopen(CUSAFE_SONAME, RTLD_LAZY | RTLD_NOLOAD) && !atomic_exchange(&printed, 1))
    fputs(
        "cusafe: a checked module was loaded without libcusafe, so its errors are not reported: start the program with "
        "'cusafe run', or link it with libcusafe before the driver.\n",
        stderr);
}

CUresult cs_cpu_image_open(const void *data, const struct cs_image **out) {
  CUresult result = open_image(data, out);
  if (result == CUDA_SUCCESS)
    warn_unseen(*out);
  return result == CUDA_SUCCESS ? open_debug(*out, out) : result;
}

/* Opens a regular file: a folder has no bytes, and opening a pipe would wait for its writer. */
static CUresult open_file(const char *path, int *file, size_t *size) {
  struct stat status;
  *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (*file < 0)
    return errno == ENOENT ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
  if (fstat(*file, &status) == 0 && S_ISREG(status.st_mode)) {
    *size = (size_t)status.st_size;
    return CUDA_SUCCESS;
  }
  close(*file);
  return CUDA_ERROR_INVALID_VALUE;
}

static int read_all(int file, char *to, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t more = read(file, to + done, bytes - done);
    if (more <= 0)
      return -1;
    done += (size_t)more;
  }
  return 0;
}

/* A wrapper contains an address, which means nothing in a file. Images and containers state their sizes. */
static int file_valid(const char *bytes, size_t size) {
  const struct cs_image *image = (const struct cs_image *)bytes;
  const struct cs_cpu_linked *linked = (const struct cs_cpu_linked *)bytes;
  return !cs_cpu_starts_with(bytes, CS_FATBIN_WRAPPER_MAGIC, sizeof(uint32_t)) &&
         cs_fatbin_bytes(bytes, size) <= size && (image->magic != CS_IMAGE_MAGIC || image->total_bytes <= size) &&
         (linked->magic != CS_CPU_LINKED_MAGIC || linked->total_bytes <= size);
}

CUresult cs_cpu_image_read(const char *path, void **data) {
  size_t bytes;
  return cs_cpu_image_read_sized(path, data, &bytes);
}

CUresult cs_cpu_image_read_sized(const char *path, void **data, size_t *read) {
  int file;
  size_t size;
  CUresult result = open_file(path, &file, &size);
  if (result != CUDA_SUCCESS)
    return result;
  /* Zeroes after the end, so that reading the header of a short file stays in bounds. */
  char *bytes = calloc(1, size + sizeof(struct cs_image));
  if (!bytes)
    result = CUDA_ERROR_OUT_OF_MEMORY;
  else if (read_all(file, bytes, size))
    result = CUDA_ERROR_OPERATING_SYSTEM;
  else if (!file_valid(bytes, size))
    result = CUDA_ERROR_INVALID_IMAGE;
  close(file);
  if (result != CUDA_SUCCESS) {
    free(bytes);
    return result;
  }
  *data = bytes;
  *read = size;
  return CUDA_SUCCESS;
}
