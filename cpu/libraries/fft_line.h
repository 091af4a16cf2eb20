/* fft_line.h: discrete Fourier transforms of one line of complex numbers, of any length, in double precision. */
#ifndef CUSAFE_CPU_LIBRARIES_FFT_LINE_H
#define CUSAFE_CPU_LIBRARIES_FFT_LINE_H

#include <stddef.h>

struct cs_fft_number {
  double re, im;
};

/* Tables for a length of at least 1, which transforms only read. NULL without memory. */
struct cs_fft_line;
struct cs_fft_line *cs_fft_line_make(size_t length);
void cs_fft_line_free(struct cs_fft_line *line);

/* The transform from one array to another, with the factor exp(-2 pi i / length); for the inverse exp(2 pi i / length).
 * Neither is scaled. `from` is changed. */
void cs_fft_line_run(const struct cs_fft_line *line, struct cs_fft_number *from, struct cs_fft_number *to,
                     int is_inverse);

#endif
