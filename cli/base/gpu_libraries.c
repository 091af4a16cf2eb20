/* gpu_libraries.c: recognises NVIDIA's libraries that require a GPU, on command lines and in programs. */
#include "cli/base/gpu_libraries.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *cs_cli_gpu_library(const char *argument) {
  static const struct {
    const char *name, *title;
  } libraries[] = {
#define CS_CLI_LIBRARY(name, title) {name, title},
#include "cli/base/gpu_libraries.inc"
  };
  const char *name = cs_cli_file_name(argument);
  const char *start = *argument == '-' ? "-l" : "lib";
  if (strncmp(name, start, strlen(start)) != 0)
    return NULL;
  name += strlen(start);
  size_t length = strcspn(name, ".");
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (strlen(libraries[i].name) == length && !strncmp(libraries[i].name, name, length))
      return libraries[i].title;
  return NULL;
}

struct file {
  const char *at;
  size_t size;
};

static const void *range(struct file f, uint64_t offset, uint64_t size) {
  return offset <= f.size && size <= f.size - offset ? f.at + offset : NULL;
}

/* Warns about the libraries of one dynamic section; `names` is its string table, terminated by 0. */
static void warn_dynamic(const char *program, const Elf64_Dyn *entries, size_t count, const char *names, size_t size) {
  for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
    const char *title = entries[i].d_tag == DT_NEEDED && entries[i].d_un.d_val < size
                            ? cs_cli_gpu_library(names + entries[i].d_un.d_val)
                            : NULL;
    if (title)
      cs_cli_fail("%s uses %s, which requires a GPU; this machine has none, so its calls will fail.", program, title);
  }
}

static void inspect(const char *program, struct file f) {
  const Elf64_Ehdr *h = range(f, 0, sizeof *h);
  if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64)
    return;
  const Elf64_Shdr *sections = range(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof *sections);
  for (size_t i = 0; sections && i < h->e_shnum; i++) {
    if (sections[i].sh_type != SHT_DYNAMIC || sections[i].sh_link >= h->e_shnum)
      continue;
    const Elf64_Shdr *strings = &sections[sections[i].sh_link];
    const Elf64_Dyn *entries = range(f, sections[i].sh_offset, sections[i].sh_size);
    const char *names = range(f, strings->sh_offset, strings->sh_size);
    if (entries && names && strings->sh_size && names[strings->sh_size - 1] == 0)
      warn_dynamic(program, entries, sections[i].sh_size / sizeof *entries, names, strings->sh_size);
  }
}

void cs_cli_warn_gpu_libraries(const char *program) {
  struct stat status;
  int fd = open(program, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &status) != 0 || status.st_size <= 0) {
    if (fd >= 0)
      close(fd);
    return;
  }
  size_t size = (size_t)status.st_size;
  void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (at == MAP_FAILED)
    return;
  inspect(program, (struct file){at, size});
  munmap(at, size);
}
