/* jitlink.c: nvJitLink: the answer to a request for the linked cubin is the PTX that was linked. The program's own link
 * is not changed, so it fails where it would have failed. */
#include "host/collect/jitlink.h"
#include "host/base/messages.h"
#include "host/collect/lift.h"
#include "host/collect/link.h"
#include "host/collect/nvidia.h"
#include "jit/lift.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The real function, with the type of its declaration. */
#define REAL(name) ((__typeof__(&name))cs_host_nvidia_function(CS_HOST_NVJITLINK, #name))
#define CALL(name, arguments) (REAL(name) ? REAL(name) arguments : NVJITLINK_ERROR_INTERNAL)

static int has_option(uint32_t count, const char **options, const char *name) {
  for (uint32_t i = 0; i < count; i++)
    if (options[i] && strcmp(options[i], name) == 0)
      return 1;
  return 0;
}

/* nvJitLink writes PTX only of what it optimises at link time. */
static nvJitLinkHandle create_shadow(uint32_t count, const char **options) {
  nvJitLinkHandle shadow = NULL;
  const char **all = malloc((count + 2) * sizeof *all);
  if (!all)
    return NULL;
  memcpy(all, options, count * sizeof *all);
  all[count++] = "-ptx";
  if (!has_option(count, all, "-lineinfo") && !has_option(count, all, "-g"))
    all[count++] = "-lineinfo";
  if (CALL(nvJitLinkCreate, (&shadow, count, all)) != NVJITLINK_SUCCESS)
    shadow = NULL;
  free(all);
  return shadow;
}

nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count, const char **options) {
  nvJitLinkResult result = CALL(nvJitLinkCreate, (handle, count, options));
  if (result != NVJITLINK_SUCCESS || !cs_host_lifts() || has_option(count, options, "-ptx"))
    return result;
  struct cs_host_link *link = cs_host_link_add(*handle);
  if (link && has_option(count, options, "-lto"))
    link->shadow = create_shadow(count, options);
  return result;
}

nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle) {
  struct cs_host_link *link = handle ? cs_host_link_take(*handle) : NULL;
  if (link && link->shadow)
    CALL(nvJitLinkDestroy, (&link->shadow));
  if (link)
    cs_host_link_free(link);
  return CALL(nvJitLinkDestroy, (handle));
}

nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType type, const void *data, size_t bytes,
                                 const char *name) {
  if (type == NVJITLINK_INPUT_CUBIN && bytes > 0 && !((const char *)data)[bytes - 1] && cs_jit_is_ptx(data))
    type = NVJITLINK_INPUT_PTX; /* NVRTC's answer to a request for a cubin */
  nvJitLinkResult result = CALL(nvJitLinkAddData, (handle, type, data, bytes, name));
  struct cs_host_link *link = result == NVJITLINK_SUCCESS ? cs_host_link_find(handle) : NULL;
  if (!link)
    return result;
  if (type == NVJITLINK_INPUT_PTX)
    cs_host_link_keep(link, data, bytes);
  else if (type == NVJITLINK_INPUT_LTOIR && link->shadow &&
           CALL(nvJitLinkAddData, (link->shadow, type, data, bytes, name)) == NVJITLINK_SUCCESS)
    link->has_lto = 1;
  else
    link->is_opaque = 1;
  return result;
}

static void keep_file(struct cs_host_link *link, const char *path) {
  FILE *file = fopen(path, "r");
  char *text = NULL;
  size_t room = 0;
  ssize_t length = file ? getdelim(&text, &room, 0, file) : -1;
  if (length > 0)
    cs_host_link_keep(link, text, (size_t)length);
  else
    link->is_opaque = 1;
  free(text);
  if (file)
    fclose(file);
}

nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType type, const char *path) {
  nvJitLinkResult result = CALL(nvJitLinkAddFile, (handle, type, path));
  struct cs_host_link *link = result == NVJITLINK_SUCCESS ? cs_host_link_find(handle) : NULL;
  if (!link)
    return result;
  if (type == NVJITLINK_INPUT_PTX)
    keep_file(link, path);
  else if (type == NVJITLINK_INPUT_LTOIR && link->shadow &&
           CALL(nvJitLinkAddFile, (link->shadow, type, path)) == NVJITLINK_SUCCESS)
    link->has_lto = 1;
  else
    link->is_opaque = 1;
  return result;
}

/* The PTX of all inputs that were LTO IR. */
static void complete_shadow(struct cs_host_link *link) {
  size_t bytes = 0;
  char *ptx = NULL;
  int failed = CALL(nvJitLinkComplete, (link->shadow)) != NVJITLINK_SUCCESS ||
               CALL(nvJitLinkGetLinkedPtxSize, (link->shadow, &bytes)) != NVJITLINK_SUCCESS ||
               !(ptx = malloc(bytes + 1)) || CALL(nvJitLinkGetLinkedPtx, (link->shadow, ptx)) != NVJITLINK_SUCCESS;
  if (failed)
    link->is_opaque = 1;
  else
    cs_host_link_keep(link, ptx, bytes);
  free(ptx);
}

nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle) {
  nvJitLinkResult result = CALL(nvJitLinkComplete, (handle));
  struct cs_host_link *link = result == NVJITLINK_SUCCESS ? cs_host_link_find(handle) : NULL;
  if (link && link->has_lto)
    complete_shadow(link);
  if (link && link->is_opaque)
    cs_host_message_once(
        1, "nvJitLink links code that is neither LTO IR nor a single PTX module; the result is not checked");
  return result;
}

/* The link whose PTX is the answer, or NULL. */
static const struct cs_host_link *answered(nvJitLinkHandle handle) {
  const struct cs_host_link *link = cs_host_link_find(handle);
  return link && link->ptx && !link->is_opaque ? link : NULL;
}

nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *bytes) {
  nvJitLinkResult result = CALL(nvJitLinkGetLinkedCubinSize, (handle, bytes));
  const struct cs_host_link *link = result == NVJITLINK_SUCCESS ? answered(handle) : NULL;
  if (link)
    *bytes = link->length + 1;
  return result;
}

nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *code) {
  const struct cs_host_link *link = answered(handle);
  if (!link || !code)
    return CALL(nvJitLinkGetLinkedCubin, (handle, code));
  memcpy(code, link->ptx, link->length + 1);
  return NVJITLINK_SUCCESS;
}

/* Programs that include the header call the functions of its version. */
#define NAME(name, version)                                                                                            \
  extern __typeof__(nvJitLink##name) cs_host_nvJitLink##name##version __asm__("__nvJitLink" #name #version)            \
      __attribute__((alias("nvJitLink" #name), visibility("default")));
#define CS_HOST_JITLINK_VERSION(version)                                                                               \
  NAME(Create, version)                                                                                                \
  NAME(Destroy, version)                                                                                               \
  NAME(AddData, version)                                                                                               \
  NAME(AddFile, version)                                                                                               \
  NAME(Complete, version)                                                                                              \
  NAME(GetLinkedCubinSize, version)                                                                                    \
  NAME(GetLinkedCubin, version)
#include "host/collect/jitlink_versions.inc"
