/* graph_forms.h: the forms of the kernels in executable graphs, chosen at each launch. Any thread; calls for one graph
 * must not overlap, as CUDA requires.
 *
 * An executable graph whose kernels may change their form is instantiated from a clone of the program's graph, which
 * belongs to CuSafe: its nodes name those of the executable graph for as long as that exists, and they keep the
 * parameters of the exact forms. The program still passes the nodes of its own graph, which cs_host_graph_forms_nodes()
 * translates. */
#ifndef CUSAFE_HOST_HOOKS_GRAPH_FORMS_H
#define CUSAFE_HOST_HOOKS_GRAPH_FORMS_H

#include "host/base/driver.h"

struct cs_host_graph_forms;

/* A clone of the graph, if one of its kernels has another form and all of its nodes may be cloned; otherwise NULL: its
 * kernels keep all checks. flags: of the instantiation. */
struct cs_host_graph_forms *cs_host_graph_forms_open(CUgraph graph, unsigned long long flags);
/* The clone; of NULL, the program's graph. */
CUgraph cs_host_graph_forms_graph(const struct cs_host_graph_forms *forms, CUgraph graph);
void cs_host_graph_forms_close(struct cs_host_graph_forms *forms);

/* The executable graph was instantiated from the clone, or updated to it. forms: NULL if it was the program's graph;
 * otherwise the handle's from here on. */
void cs_host_graph_forms_made(CUgraphExec handle, struct cs_host_graph_forms *forms);
void cs_host_graph_forms_updated(CUgraphExec handle, struct cs_host_graph_forms *forms);

/* Around the call that destroys it. */
struct cs_host_graph_forms *cs_host_graph_forms_take(CUgraphExec handle);
void cs_host_graph_forms_end(struct cs_host_graph_forms *taken, int destroyed);

/* What the driver may know a node of the program as: it is asked in this order. Returns how many there are. */
enum { CS_HOST_GRAPH_NODES = 3 };
size_t cs_host_graph_forms_nodes(CUgraphExec handle, CUgraphNode node, CUgraphNode nodes[CS_HOST_GRAPH_NODES]);

/* The program has changed a node of the executable graph: `node` is the one that the driver has accepted. */
void cs_host_graph_forms_kernel_set(CUgraphExec handle, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *kernel);
void cs_host_graph_forms_child_set(CUgraphExec handle, CUgraphNode node);
void cs_host_graph_forms_enabled(CUgraphExec handle, CUgraphNode node, int enabled);

/* Before a launch: gives each kernel the form that it is to run. A captured launch copies the graph into the program's,
 * and needs the exact forms. Returns whether a kernel runs without checks that it would otherwise have, because the
 * launch is not sampled. kernels: how many nodes of kernels the graph has. */
int cs_host_graph_forms_choose(CUgraphExec handle, int is_captured, size_t kernels);

#endif
