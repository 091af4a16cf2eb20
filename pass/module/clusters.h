/* clusters.h: kernels with __cluster_dims__. */
#ifndef CUSAFE_PASS_MODULE_CLUSTERS_H
#define CUSAFE_PASS_MODULE_CLUSTERS_H

#include "pass/module/pass.h"

/* clang accepts __cluster_dims__ and forgets it for NVPTX: cusafe_nvcc.h adds an annotation, which becomes LLVM's
 * attribute. */
int cs_pass_keep_clusters(struct cs_pass *pass);

#endif
