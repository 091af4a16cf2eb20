/* bitcode.h: the support library's bitcode, embedded in the executable (bitcode.S). */
#ifndef CUSAFE_RETARGET_SUPPORT_BITCODE_H
#define CUSAFE_RETARGET_SUPPORT_BITCODE_H

extern const char cs_rt_support_bitcode[], cs_rt_support_bitcode_end[];

#endif
