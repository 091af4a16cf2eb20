/* Stands in for cuRAND's header of this name, which clang includes before every CUDA source, where the toolkit has no
 * cuRAND. */
