# manyheads. `make help` lists what can be made. V=1 shows every command in full.
#
#   CC=clang                          another compiler
#   BUILD=DIR                         another build folder
#   SANITIZE=address,undefined        any list the compiler knows; such a build also checks the bounds of every matrix
#   DEBUG=1                           bounds checks and no optimisation, for a debugger

BUILD    ?= build
SANITIZE ?=
DEBUG    ?=
PREFIX   ?= /usr/local
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1) --no-print-directory

# ---------------------------------------------------------------------------------------------------------------------
# `make deps …`: what is missing is installed first; only then is it looked at what this machine has.
ifneq ($(filter deps,$(MAKECMDGOALS)),)

.PHONY: $(MAKECMDGOALS)
deps:
	@sh tests/tools/deps.sh
$(filter-out deps,$(MAKECMDGOALS)): deps
	@$(MAKE) $@

else
# ---------------------------------------------------------------------------------------------------------------------

finds = $(shell printf '\#include <$(1)>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
HAVE_STB   := $(call finds,stb/stb_truetype.h)
HAVE_CHECK := $(call finds,check.h)

WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(WERROR)
CFLAGS += -std=c11 -g -ffp-contract=off $(WARN)
CPPFLAGS += -D_POSIX_C_SOURCE=200809L -D_DARWIN_C_SOURCE -Ilib -I$(BUILD)/generated $(if $(HAVE_STB),-DHAVE_STB)
ifneq ($(SANITIZE),)
  CFLAGS  += -O1 -fno-omit-frame-pointer -fsanitize=$(SANITIZE) -fno-sanitize-recover=all
  LDFLAGS += -fsanitize=$(SANITIZE)
else ifneq ($(DEBUG),)
  CFLAGS  += -O0
else
  CFLAGS  += -O2
  CPPFLAGS += -DNDEBUG
endif
LDLIBS += -lm -lpthread

CHAPTERS  := $(notdir $(patsubst %/main.c,%,$(sort $(wildcard chapters/[0-9]*/main.c))))
PROGRAMS  := $(CHAPTERS:%=$(BUILD)/chapters/%)
LIB_OBJ   := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard lib/*/*.c)))
LIB       := $(BUILD)/libmanyheads.a
SUITES    := $(sort $(wildcard tests/*/test_*.c))
SUITE_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(SUITES) tests/run.c $(wildcard tests/support/*.c))
NUMBERS   := $(foreach c,$(CHAPTERS),$(firstword $(subst _, ,$(c))))

say = @$(if $(V),,printf '  %-7s %s\n' $(1) $(2);)

.PHONY: all help run test unit text text-check figures figures-check exercises programs-check test-mutants bench install uninstall clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAMS)
	@$(if $(HAVE_STB),:,echo "left out: figures, for want of stb (make deps installs it)")

help:
	@sed -n 's/^#: //p' Makefile

#: make deps            install what is missing (prints the command first)
#: make                 build every chapter
#: make run             run every chapter in order; figures under build/figures
run: $(PROGRAMS)
	@for c in $(CHAPTERS); do $(BUILD)/chapters/$$c --figures $(BUILD)/figures/$$c || exit; done

#: make test            every test: suites, text, figures, exercises, bad input
test: unit text-check figures-check exercises programs-check
	@echo "all tests passed$(if $(HAVE_CHECK),,; left out: the suites, for want of Check)$(if $(HAVE_STB),,; left out: figures, for want of stb)"

# ---- objects, library, chapters
$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(if $(V),,@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# The embeddings travel inside every chapter, so that it starts from any folder: one C string a line.
$(BUILD)/generated/embeddings.inc: data/embeddings.tsv
	@mkdir -p $(@D)
	@sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n",/' $< > $@
$(BUILD)/obj/lib/lesson/embeddings.o: $(BUILD)/generated/embeddings.inc

$(LIB): $(LIB_OBJ)
	$(call say,ar,$@)
	@rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/chapters/%: $(BUILD)/obj/chapters/%/main.o $(LIB)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# ---- suites: tests/<part>/test_<name>.c defines Suite *<name>_suite(void) and is found by its name
$(BUILD)/generated/suites.inc: $(SUITES) Makefile
	@mkdir -p $(@D)
	@for f in $(SUITES); do basename $$f .c | sed 's/^test_\(.*\)/SUITE(\1_suite)/'; done > $@
$(BUILD)/obj/tests/run.o: $(BUILD)/generated/suites.inc
$(BUILD)/obj/tests/%.o: CPPFLAGS += -Itests
$(BUILD)/tests/suites: $(SUITE_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcheck $(LDLIBS) -o $@

ifneq ($(HAVE_CHECK),)
unit: $(BUILD)/tests/suites
	@$(BUILD)/tests/suites
else
unit:
	@echo "left out: the suites, for want of Check (make deps installs it)"
endif

#: make clean           remove the build folder
clean:
	rm -rf $(BUILD)

endif
