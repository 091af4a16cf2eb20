/* places.h: where a thread waits, in 32 bits: the number of the barrier's call, and its site. */
#ifndef CUSAFE_RETARGET_SUPPORT_PLACES_H
#define CUSAFE_RETARGET_SUPPORT_PLACES_H

#define CS_RT_PLACE_ENDED 0u /* has returned */
#define CS_RT_PLACE_OTHER 1u /* waits at what is not checked */
#define CS_RT_PLACE_FIRST 2u /* the first barrier; the others follow */
#define CS_RT_PLACE_CALL_MASK 0xfffu
#define CS_RT_PLACE_SITE_SHIFT 12
#define CS_RT_PLACE_SITE_MAX 0xfffffu

#endif
