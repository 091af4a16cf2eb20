/* jitlink.h: the replaced calls of nvJitLink, which libcusafe exports under their own names and under those of every
 * version: its header declares only the latter. */
#ifndef CUSAFE_HOST_COLLECT_JITLINK_H
#define CUSAFE_HOST_COLLECT_JITLINK_H

#define NVJITLINK_NO_INLINE
#include <nvJitLink.h>

#pragma GCC visibility push(default)
nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count, const char **options);
nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle);
nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType type, const void *data, size_t bytes,
                                 const char *name);
nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType type, const char *path);
nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle);
nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *bytes);
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *code);
#pragma GCC visibility pop

/* Called only. */
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *bytes);
nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx);

#endif
