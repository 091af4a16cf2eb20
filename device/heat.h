/* heat.h: the device's count of which threads erred. */
#ifndef CUSAFE_DEVICE_HEAT_H
#define CUSAFE_DEVICE_HEAT_H

#include "cusafe/abi.h"

/* This thread erred at this place. Nothing if the host wants no such count. */
void __cs_heat(cs_u32 site, cs_u32 fault);

#endif
