/* checker.h: libcusafe in the process, which reports the errors that checked modules find. */
#ifndef CUSAFE_CUDART_CHECKER_H
#define CUSAFE_CUDART_CHECKER_H

/* Ends the process with one sentence when the image is checked and libcusafe cannot be loaded: nothing would report its
 * errors. */
void cs_cudart_require_checker(const void *image);

/* The driver's calls come from here if it is loaded; NULL if it is not. */
void *cs_cudart_checker(void);

/* The driver's calls are resolved from now on: a checker that is loaded later does not see them. */
void cs_cudart_checker_decided(void);

#endif
