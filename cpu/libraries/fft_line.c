/* fft_line.c: the algorithm of Cooley and Tukey for lengths with small prime factors, that of Bluestein for others. */
#include "cpu/libraries/fft_line.h"
#include "cpu/libraries/work.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct cs_fft_number number;

enum { MAX_PRIME = 31, MAX_FACTORS = 64 };

struct cs_fft_line {
  size_t length;
  size_t factors[MAX_FACTORS]; /* 0 after the last */
  number *roots;               /* exp(-2 pi i k / length) */
  /* Bluestein: a convolution of a power of two of numbers with the chirp exp(pi i k^2 / length). */
  struct cs_fft_line *inner;
  number *chirp, *transformed;
};

static number times(number a, number b) {
  return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static number plus(number a, number b) {
  return (number){a.re + b.re, a.im + b.im};
}
static number minus(number a, number b) {
  return (number){a.re - b.re, a.im - b.im};
}
static number conjugate(number a) {
  return (number){a.re, -a.im};
}

/* exp(-2 pi i part / whole). */
static number root(size_t part, size_t whole) {
  double angle = -2 * M_PI * (double)part / (double)whole;
  return (number){cos(angle), sin(angle)};
}

/* Whether the length has small prime factors only, which are stored, fours first. */
static int factorise(struct cs_fft_line *line) {
  size_t rest = line->length, count = 0;
  while (rest % 4 == 0)
    line->factors[count++] = 4, rest /= 4;
  for (size_t p = 2; p <= MAX_PRIME; p++)
    while (rest % p == 0)
      line->factors[count++] = p, rest /= p;
  return rest == 1;
}

/* Bluestein's tables. The index k^2 is taken modulo 2 length, so that the angle is exact. */
static int make_chirp(struct cs_fft_line *line) {
  size_t n = line->length, size = 1;
  while (size < 2 * n - 1)
    size *= 2;
  line->inner = cs_fft_line_make(size);
  line->chirp = malloc(n * sizeof *line->chirp);
  line->transformed = malloc(size * sizeof *line->transformed);
  number *padded = calloc(size, sizeof *padded);
  int failed = !line->inner || !line->chirp || !line->transformed || !padded;
  for (size_t k = 0, square = 0; !failed && k < n; square = (square + 2 * k + 1) % (2 * n), k++) {
    line->chirp[k] = root(square, 2 * n);
    padded[k] = conjugate(line->chirp[k]);
    if (k)
      padded[size - k] = padded[k];
  }
  if (!failed)
    cs_fft_line_run(line->inner, padded, line->transformed, 0);
  free(padded);
  return failed ? -1 : 0;
}

struct cs_fft_line *cs_fft_line_make(size_t length) {
  struct cs_fft_line *line = calloc(1, sizeof *line);
  if (!line)
    return NULL;
  line->length = length;
  int failed;
  if (factorise(line)) {
    line->roots = malloc(length * sizeof *line->roots);
    failed = !line->roots;
    for (size_t k = 0; !failed && k < length; k++)
      line->roots[k] = root(k, length);
  } else {
    failed = make_chirp(line) != 0;
  }
  if (!failed)
    return line;
  cs_fft_line_free(line);
  return NULL;
}

void cs_fft_line_free(struct cs_fft_line *line) {
  if (!line)
    return;
  cs_fft_line_free(line->inner);
  free(line->roots);
  free(line->chirp);
  free(line->transformed);
  free(line);
}

/* Combines four transforms of `part` numbers, whose roots are `step` apart. */
static void combine_four(const struct cs_fft_line *line, number *to, size_t part, size_t step) {
  for (size_t k = 0; k < part; k++) {
    number a = to[k], b = times(to[k + part], line->roots[k * step]);
    number c = times(to[k + 2 * part], line->roots[2 * k * step]);
    number d = times(to[k + 3 * part], line->roots[3 * k * step]);
    number even = plus(a, c), odd = minus(a, c), sum = plus(b, d), difference = minus(b, d);
    number turned = {difference.im, -difference.re};
    to[k] = plus(even, sum);
    to[k + part] = plus(odd, turned);
    to[k + 2 * part] = minus(even, sum);
    to[k + 3 * part] = minus(odd, turned);
  }
}

static void combine(const struct cs_fft_line *line, number *to, size_t factor, size_t part, size_t step) {
  number parts[MAX_PRIME];
  size_t of_factor = line->length / factor;
  for (size_t k = 0; k < part; k++) {
    for (size_t q = 0; q < factor; q++)
      parts[q] = times(to[k + q * part], line->roots[q * k * step]);
    for (size_t r = 0; r < factor; r++) {
      number sum = parts[0];
      for (size_t q = 1, index = r; q < factor; q++, index = (index + r) % factor)
        sum = plus(sum, times(parts[q], line->roots[index * of_factor]));
      to[k + r * part] = sum;
    }
  }
}

/* Transforms the numbers of `from` that are `step` apart. Its depth is the number of factors. */
static void transform(const struct cs_fft_line *line, const number *from, number *to, size_t step,
                      const size_t *factors) {
  size_t factor = *factors, part = line->length / step / (factor ? factor : 1);
  if (!factor) {
    *to = *from;
    return;
  }
  for (size_t q = 0; q < factor; q++)
    transform(line, from + q * step, to + q * part, step * factor, factors + 1);
  if (factor == 4)
    combine_four(line, to, part, step);
  else
    combine(line, to, factor, part, step);
}

static void convolve(const struct cs_fft_line *line, const number *from, number *to) {
  size_t n = line->length, size = line->inner->length;
  number *a = cs_library_allocate(size * sizeof *a), *b = cs_library_allocate(size * sizeof *b);
  for (size_t k = 0; k < size; k++)
    a[k] = k < n ? times(from[k], line->chirp[k]) : (number){0, 0};
  cs_fft_line_run(line->inner, a, b, 0);
  for (size_t k = 0; k < size; k++)
    b[k] = times(b[k], line->transformed[k]);
  cs_fft_line_run(line->inner, b, a, 1);
  for (size_t k = 0; k < n; k++) {
    number x = times(a[k], line->chirp[k]);
    to[k] = (number){x.re / (double)size, x.im / (double)size};
  }
  free(a);
  free(b);
}

void cs_fft_line_run(const struct cs_fft_line *line, struct cs_fft_number *from, struct cs_fft_number *to,
                     int is_inverse) {
  for (size_t k = 0; is_inverse && k < line->length; k++)
    from[k] = conjugate(from[k]);
  if (line->inner)
    convolve(line, from, to);
  else
    transform(line, from, to, 1, line->factors);
  for (size_t k = 0; is_inverse && k < line->length; k++)
    to[k] = conjugate(to[k]);
}
