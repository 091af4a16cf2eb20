/* per_thread.c: the variants of the calls for which stream 0 is the calling thread's default stream, generated from
 * cusafe/driver_calls.inc.
 *
 * The synchronous ones (_ptds) need no separate stream: waiting for the legacy stream's work as well is stricter than
 * documented, and always valid. */
#include <cuda.h>

#define OWN(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)

#define VARIANT_RUNS(variant, symbol, parameters, arguments) VARIANT_##variant(symbol, parameters, arguments)
#define VARIANT_RUNS_BOTH(...)
#define VARIANT_LACKS(...)
#define VARIANT_NONE(...)
#define VARIANT_(...)
#define VARIANT__ptds(symbol, parameters, arguments)                                                                   \
  CUresult symbol##_ptds parameters {                                                                                  \
    return symbol arguments;                                                                                           \
  }
#define VARIANT__ptsz(symbol, parameters, arguments)                                                                   \
  CUresult symbol##_ptsz parameters {                                                                                  \
    stream = OWN(stream);                                                                                              \
    return symbol arguments;                                                                                           \
  }
#define CS_DRIVER_CALL(name, edition, since, variant, variant_since, cpu, host, reason, parameters, arguments, ...)    \
  VARIANT_##cpu(variant, cu##name##edition, parameters, arguments)
#include "cusafe/driver_calls.inc"

/* ---- whose stream is in a structure, or not the only one ---- */

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra) {
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  CUlaunchConfig own = *config;
  own.hStream = OWN(config->hStream);
  return cuLaunchKernelEx(&own, f, kernelParams, extra);
}

CUresult cuStreamCopyAttributes_ptsz(CUstream to, CUstream from) {
  return cuStreamCopyAttributes(OWN(to), OWN(from));
}

/* An upload has nothing to do: its stream does not matter. */
CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  return cuGraphInstantiateWithParams(out, graph, params);
}
