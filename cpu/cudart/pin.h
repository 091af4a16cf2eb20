/* pin.h: keeps a library of the process open. */
#ifndef CUSAFE_CUDART_PIN_H
#define CUSAFE_CUDART_PIN_H

/* The library that contains the address stays open until it is unpinned. NULL if there is none, or it is the program
 * itself. Both call the loader, and unpinning may close the library: call them without a lock. */
void *cs_cudart_pin(const void *address);
void cs_cudart_unpin(void *library); /* NULL is allowed */

#endif
