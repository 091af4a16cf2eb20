/* bitcode.S: embeds the support library's bitcode in the executable. */
  .section .rodata
  .balign 16
  .globl cs_rt_support_bitcode
cs_rt_support_bitcode:
  .incbin CUSAFE_SUPPORT_BITCODE
  .globl cs_rt_support_bitcode_end
cs_rt_support_bitcode_end:
  .byte 0
  .section .note.GNU-stack,"",%progbits
