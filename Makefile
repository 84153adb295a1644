# manyheads. `make help` lists what can be made. V=1 shows every command in full.
#
#   CC=clang                          another compiler
#   BUILD=DIR                         another build folder
#   SANITIZE=address,undefined        any list the compiler knows; such a build also checks the bounds of every matrix
#   DEBUG=1                           bounds checks and no optimisation, for a debugger

BUILD    ?= build
ifneq ($(words $(BUILD)),1)
  $(error BUILD is "$(BUILD)"; a folder without spaces is needed)
endif
SANITIZE ?=
DEBUG    ?=
PREFIX   ?= /usr/local
MAKEFLAGS += --no-print-directory
ifeq ($(MAKELEVEL),0)
  MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
endif

# ---------------------------------------------------------------------------------------------------------------------
# `make deps …` installs missing packages first. A second make then detects what this machine has.
ifneq ($(filter deps,$(MAKECMDGOALS)),)

.PHONY: $(MAKECMDGOALS)
deps:
	@sh tests/tools/deps.sh
$(filter-out deps,$(MAKECMDGOALS)): deps
	@$(MAKE) $@

else
# ---------------------------------------------------------------------------------------------------------------------

HASH  := \#
COMMA := ,
finds  = $(shell printf '$(HASH)include <$(1)>\n' | $(CC) $(CPPFLAGS) -E -x c - >/dev/null 2>&1 && echo yes)
HAVE_STB   := $(call finds,stb/stb_truetype.h)
HAVE_CHECK := $(call finds,check.h)
HAVE_SDL   := $(call finds,SDL2/SDL.h)
# Text shaping for all scripts (lib/figure/shaping.h). SHAPING=no disables it.
SHAPERS    := harfbuzz fribidi fontconfig
HAVE_SHAPING := $(if $(filter no,$(SHAPING)),,$(shell pkg-config --exists 'harfbuzz >= 4.0' $(SHAPERS) 2>/dev/null && \
                 echo yes))
HAVE_BLAS  := $(shell printf '$(HASH)include <cblas.h>\nvoid openblas_set_num_threads(int);\n%s\n' \
                'int main(void) { openblas_set_num_threads(1); }' | \
                $(CC) -x c - -lopenblas -o /dev/null 2>/dev/null && echo yes)
# MPI: the flags that mpicc adds. MPI=no disables it.
MPI_ADDS   := $(if $(filter no,$(MPI)),,$(shell mpicc -show 2>/dev/null))
MPI_CFLAGS := $(patsubst -I%,-isystem %,$(filter -I%,$(MPI_ADDS)))
MPI_LIBS   := $(filter -L% -l% -Wl%,$(MPI_ADDS))
HAVE_MPI   := $(if $(MPI_LIBS),$(shell printf '$(HASH)include <mpi.h>\n' | \
                $(CC) $(MPI_CFLAGS) -E -x c - >/dev/null 2>&1 && echo yes))
NVCC := $(firstword $(wildcard $(if $(CUDA_HOME),$(CUDA_HOME)/bin/nvcc)) $(shell command -v nvcc 2>/dev/null))
links = $(shell printf 'int main(void) { return 0; }\n' | $(CC) -x c - $(1) -o /dev/null 2>/dev/null && echo $(1))
CHECK_LIBS = -lcheck $(call links,-lsubunit) $(call links,-lrt)

WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(WERROR)
CFLAGS += -std=c11 $(if $(WEB),,$(if $(DEBUG),-g,-g1)) -ffp-contract=off $(WARN)
# On s390x gcc evaluates float expressions in float64 (FLT_EVAL_METHOD 1) unless this flag forbids it.
FAMILY := $(shell $(CC) -dumpmachine 2>/dev/null)
CFLAGS += $(if $(filter s390x-%,$(FAMILY)),$(if $(findstring clang,$(CC)),,-fexcess-precision=fast))
include lib/windows/windows.mk
CPPFLAGS += -D_POSIX_C_SOURCE=200809L -D_DARWIN_C_SOURCE -Ilib -I$(BUILD)/generated $(if $(HAVE_STB),-DHAVE_STB)
ifneq ($(HAVE_SHAPING),)
  CPPFLAGS += -DHAVE_SHAPING $(patsubst -I%,-isystem %,$(shell pkg-config --cflags-only-I $(SHAPERS)))
  SHAPING_LIBS := $(shell pkg-config --libs $(SHAPERS))
endif
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
# musl gives threads stacks of 128 KiB by default, which is too small for a rank's task.
STACK  := $(call links,-Wl$(COMMA)-z$(COMMA)stack-size=8388608)
LDLIBS += $(STACK)

CHAPTERS  := $(notdir $(patsubst %/main.c,%,$(sort $(wildcard chapters/[0-9]*/main.c))))
CHAPTERS  := $(if $(WINDOWS),$(filter-out 16_%,$(CHAPTERS)),$(CHAPTERS))
PROGRAMS  := $(CHAPTERS:%=$(BUILD)/chapters/%)
# A page is a stand-alone text with a program, checked like a chapter: data/models.c and data/models/README.md.
PAGES     := $(BUILD)/pages/models
SUITES    := $(sort $(wildcard tests/*/test_*.c))
DOUBLE_SUITES := $(addprefix tests/attention/,test_backward.c test_differential.c) tests/model/test_transformer.c \
  tests/train/test_training.c
EXERCISES := $(patsubst tests/exercises/check_%.c,%,$(sort $(wildcard tests/exercises/check_*.c)))
LETTERS   := a b c d e f
CHAPTERS_WITH := $(sort $(foreach l,$(LETTERS),$(patsubst %$l,%,$(filter %$l,$(EXERCISES)))))

# PER_ISA is compiled once for each instruction set that a processor of this family may have (lib/kernels/simd.h).
ISAS    := generic $(if $(filter x86_64-% amd64-%,$(FAMILY)),avx2 avx512)$(if $(filter aarch64-% arm64-%,$(FAMILY)),neon)
PER_ISA := $(addprefix lib/kernels/,fast_block fast_decode fast_mla fast_probe plain_c reordered bf16_kernel \
  quantised_kernel weight_kernel) tests/bench/vectors
KERNELS_ONCE := lib/kernels/bf16_tiles
objects   = $(foreach f,$(1:.c=),$(if $(filter $(f),$(PER_ISA)),$(ISAS:%=$(BUILD)/obj/$(f).%.o),$(BUILD)/obj/$(f).o))

# ---- progress. V=1 prints every command. On a terminal, building programs prints one line, [n/m] and the file, that
# overwrites itself; `make -n` counts the m steps. Otherwise one line per program is printed.
STEPS_OF := $(or $(filter-out run view install,$(MAKECMDGOALS)),all)
ifeq ($(V)$(COUNT)$(filter-out all $(BUILD)/%,$(STEPS_OF))$(if $(MAKE_TERMOUT),,no),)
  STEPS := $(filter-out 0,$(shell $(MAKE) -n COUNT=yes $(MAKEOVERRIDES) $(STEPS_OF) 2>/dev/null | grep -c '^step '))
endif
progress = $(eval STEP += 1)'\r\033[K[%d/%d] %s$(if $(filter $(STEPS),$(words $(STEP))),\n)' $(words $(STEP)) $(STEPS) $(2)
say = @$(if $(COUNT),step $(2),mkdir -p $(@D) $(if $(V),,$(if $(STEPS),&& printf $(progress),$(if $(filter-out cc,$(1)),\
  && printf '  %-7s %s\n' $(1) $(2)))))
# A compiler's messages replace that line.
run_compiler = $(if $(V),,@)$(if $(STEPS),{ $(1); } 2>$@.err; status=$$?; \
  [ ! -s $@.err ] || { printf '\r\033[K'; cat $@.err; } >&2; rm -f $@.err; exit $$status,$(1))

# compile is the recipe of every object, link that of every program.
define compile
$(call say,$(1),$<)
$(call run_compiler,$(CC) $(if $(STEPS),-fdiagnostics-color=always) $(2) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@)
endef
# A program is linked from its own objects, from library objects, and from its LIBS. Library objects go through a
# temporary archive, so the linker takes only those that are needed. Archives in the prerequisites need each other, so
# the first one is repeated at the end.
from_lib = $(filter $(BUILD)/obj/lib/%,$^)
linked   = $(if $(from_lib),rm -f $@.a && $(AR) rcs $@.a $(from_lib) && )$(CC) $(CFLAGS) $(LDFLAGS) \
  $(filter-out $(from_lib),$(filter %.o,$^)) $(1) $(filter %.a,$^) $(if $(from_lib),$@.a,$(firstword $(filter %.a,$^))) \
  $(LIBS) $(LDLIBS) -o $@ $(WINDOWS_RENAMES) $(if $(from_lib),&& rm $@.a)
define link
$(call say,link,$@)
$(call run_compiler,$(call linked))
endef

left_out = echo "left out: $(1), for want of $(2)"
NO_STB   = $(call left_out,figures,stb (make deps installs it))
NO_SDL   = $(call left_out,the viewer,SDL2 (make deps installs it))
NO_SHAPING = $(call left_out,words of every script in the viewer,HarfBuzz from 4.0 on with FriBidi and fontconfig \
  (make deps installs them))
NO_NVCC  = $(call left_out,the kernels of chapter 16,nvcc (on PATH or in CUDA_HOME))
NO_MPI   = $(call left_out,ranks as processes in chapters 23 and 24,MPI (make mpi says how))
NO_CHECK = $(call left_out,$(1),Check (make deps installs it))

PARTS := programs-check unit house-check text-check figures-check exercises train-check attend-check bench-check \
         fail-sample ranks-check install-check budget-check
.PHONY: all help run test $(PARTS) fail-check fuzz text figures window-check test-mutants train test-train bench \
        python-check bench-full bench-models bench-viewer cuda view install uninstall clean FORCE \
        $(EXERCISES:%=exercise-%) \
        $(CHAPTERS_WITH:%=exercise-%)
.DELETE_ON_ERROR:
.PRECIOUS: $(BUILD)/obj/%.o

all: $(PROGRAMS) $(PAGES) $(BUILD)/attend $(if $(HAVE_SDL),$(BUILD)/viewer)
	@$(if $(HAVE_STB),:,$(NO_STB))
	@$(if $(HAVE_SDL),$(if $(HAVE_SHAPING),:,$(NO_SHAPING)),$(NO_SDL))
	@$(if $(NVCC),:,$(NO_NVCC))
	@$(if $(HAVE_CXX),:,$(NO_CXX))
	@$(if $(HAVE_MPI),:,$(NO_MPI))

help:
	@sed -n 's/^#: //p' Makefile chapters/16_cuda/cuda.mk chapters/16_cuda/emulator/emulator.mk viz/web/site.mk

#: make deps            install what is missing (prints the command first)
#: make                 build every chapter, attend and the viewer; on a terminal one line shows how far it is
#: make run             run every chapter in order; figures under build/figures; then the viewer, on a display
run: all
	@for c in $(CHAPTERS); do $(BUILD)/chapters/$$c --figures $(BUILD)/figures/$$c || exit; done
	@if [ -x $(BUILD)/viewer ] && [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	    echo; echo "opening the viewer on the book's sentence (Q closes it)"; $(MAKE) view; fi

#: make test            every test: suites, the house, text, figures, exercises, a killed training, bad input, attend,
#:                      calls that fail, ranks as processes, the installed library, compile time
# The parts run in parallel. Where make supports it, the output of a part is not interleaved with that of others.
test:
	@$(MAKE) $(if $(filter output-sync,$(.FEATURES)),-Otarget) $(PARTS)
	@echo "all tests passed$(if $(HAVE_CHECK),,; left out: the suites, for want of Check)$(if \
	  $(HAVE_STB),,; left out: figures, for want of stb)"

# ---- objects. A change of compiler, flags or detected packages recompiles everything, except for BLAS, which only the
# bench uses. `+` runs a recipe under `make -n` too; otherwise make would consider everything changed.
FLAGS := $(CC) $(CXX) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(if $(HAVE_MPI),$(MPI_LIBS))
BLAS  := $(if $(HAVE_BLAS),openblas,none)
noted  = +@mkdir -p $(@D) && { echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@; }
$(BUILD)/generated/flags: FORCE
	$(call noted,$(FLAGS))
$(BUILD)/generated/blas: FORCE
	$(call noted,$(BLAS))
$(BUILD)/obj/tests/bench/sgemm.o $(BUILD)/tests/bench: $(BUILD)/generated/blas

# Tables of data/ and the page of the viewer are compiled in, as one C string a line: `#include "bench/tiles.inc"` is
# data/bench/tiles.tsv. They are made before anything is compiled; which object has which is then in its .d file.
TABLES   := $(patsubst data/%.tsv,$(BUILD)/generated/%.inc,$(wildcard data/*.tsv data/bench/*.tsv))
PAGE     := $(patsubst %,$(BUILD)/generated/viz/page.%.inc,html js)
EMBEDDED := $(TABLES) $(PAGE)
embed = @mkdir -p $(@D) && sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n",/' $< > $@
$(TABLES): $(BUILD)/generated/%.inc: data/%.tsv
	$(embed)
$(PAGE): $(BUILD)/generated/viz/%.inc: viz/%
	$(embed)

$(BUILD)/obj/%.o: %.c $(BUILD)/generated/flags | $(EMBEDDED)
	$(call compile,cc)
define for_isa
$(BUILD)/obj/%.$(1).o: %.c $(BUILD)/generated/flags | $(EMBEDDED)
	$$(call compile,cc,-DISA=ISA_$(shell echo $(1) | tr a-z A-Z))
endef
$(foreach isa,$(ISAS),$(eval $(call for_isa,$(isa))))

# ---- the library: an archive of the fast kernels, and one of everything else
LIBRARY := $(filter-out %/main.c $(if $(WINDOWS),lib/io/python_peer.c),$(sort $(wildcard lib/*/*.c)))
LIB     := $(BUILD)/libmanyheads.a $(BUILD)/libmanyheads-kernels.a
$(BUILD)/generated/library: FORCE
	$(call noted,$(LIBRARY))
$(BUILD)/libmanyheads.a:         $(call objects,$(filter-out lib/kernels/%,$(LIBRARY)))
$(BUILD)/libmanyheads-kernels.a: $(call objects,$(filter lib/kernels/%,$(LIBRARY)))
$(LIB): $(BUILD)/generated/library
	$(call say,ar,$@)
	@rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

# Only these files are compiled with -O3 and contracted multiply-adds (FMA): tests compare them with float64, not bit by
# bit. To vectorise plain C the compiler must also be allowed to evaluate comparisons speculatively. A sanitized build
# keeps its optimisation level, since -O3 would take a minute per file.
$(call objects,$(PER_ISA) $(KERNELS_ONCE)): CFLAGS += $(if $(SANITIZE),,-O3) -ffp-contract=fast
# A short loop that crosses a cache line can take a quarter longer: functions and loops are aligned, so that timings do
# not depend on the order of linking.
KERNELS := $(PER_ISA) $(KERNELS_ONCE) $(basename $(wildcard lib/attention/*.c lib/kernels/*.c))
$(call objects,$(KERNELS)): CFLAGS += -falign-functions=64 -falign-loops=64
$(call objects,lib/kernels/plain_c): CFLAGS += -fno-trapping-math -fno-signed-zeros -fno-math-errno

# The build folder may be outside the repository, so the path of the repository is compiled in.
$(BUILD)/obj/lib/train/bundled.o: CPPFLAGS += $(if $(WEB)$(WINDOWS),,-DBOOK='"$(CURDIR)"')

# Include paths of tests start at tests/ or at the root, those of the viewer at the root.
$(BUILD)/obj/tests/%.o: CPPFLAGS += -Itests -I.
$(BUILD)/obj/viz/%.o:   CPPFLAGS += -I.

# Only the viewer and its tests shape text.
AS_NEEDED := $(call links,-Wl$(COMMA)--as-needed)
ifneq ($(HAVE_SHAPING),)
  LDLIBS += $(AS_NEEDED) $(SHAPING_LIBS)
endif

# Only programs with ranks load the MPI library.
ifneq ($(HAVE_MPI),)
  $(BUILD)/obj/lib/ranks/rank_mpi.o: CPPFLAGS += -DHAVE_MPI $(MPI_CFLAGS)
  LDLIBS += $(AS_NEEDED) $(MPI_LIBS)
endif

# Peers in the bench get the same optimisation as our kernels.
$(BUILD)/obj/tests/bench/sgemm.o:  CFLAGS += -O3 -ffp-contract=fast
$(BUILD)/obj/tests/bench/sgemm.o:  CPPFLAGS += $(if $(HAVE_BLAS),-DHAVE_OPENBLAS)
$(patsubst %,$(BUILD)/obj/tests/bench/%.o,bench models): CPPFLAGS += -DBENCH_FOLDER='"$(CURDIR)/tests/bench"'

# ---- programs. of/NAME lists the program's own files. The other files that build/NAME is linked from follow from the
# #include lines (tests/tools/link_closure.awk), so nothing else is compiled for it.
TOOLS := $(addprefix $(BUILD)/tests/,text figures pixel cli_probe flags fail mistakes layers mutate ranks_smoke)
$(foreach c,$(CHAPTERS),$(eval of/chapters/$(c) := $(wildcard chapters/$(c)/main.c chapters/$(c)/steps_*.c)))
of/attend             := lib/judge/main.c
of/train              := data/train.c
of/pages/models       := data/models.c
of/viewer             := viz/main.c
of/tests/suites       := $(SUITES) tests/run.c $(if $(filter tests/web/% tests/viz/%,$(SUITES)),viz/web/shell.c)
of/tests/double       := $(DOUBLE_SUITES) tests/run.c
of/tests/text         := $(addprefix tests/text/,text.c source.c prose.c program.c record.c)
of/tests/figures      := tests/text/figures.c tests/text/program.c
of/tests/pixel        := tests/text/pixel.c
of/tests/cli_probe        := tests/programs/cli_probe.c
of/tests/flags        := tests/programs/flags.c
of/tests/fail         := tests/programs/fail.c tests/programs/fail_run.c
of/tests/ranks_smoke        := tests/ranks/ranks_smoke.c
of/tests/layers       := tests/house/layers.c
of/tests/mutate       := tests/mutants/mutate.c
of/tests/mistakes     := $(patsubst %,tests/exercises/%.c,mistakes judge judge_process judge_self_test)
of/tests/check        := tests/train/check.c
of/tests/bench        := $(filter-out tests/bench/test_% $(patsubst %,tests/bench/%.c,models made_model),\
  $(wildcard tests/bench/*.c))
of/tests/bench-models := $(patsubst %,tests/bench/%.c,models made_model reader vectors)
of/tests/bench-viewer := tests/viz/bench.c
of/tests/screen       := tests/viz/screen.c
FUZZ                  := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
$(foreach f,$(FUZZ),$(eval of/fuzz_$(f) := tests/fuzz/fuzz_$(f).c $(wildcard tests/fuzz/mutate*.c)))

MADE    := $(patsubst of/%,%,$(filter of/%,$(.VARIABLES)))
EMPTY   :=
CLOSURE := $(shell grep -HE '^($(HASH)include "|int main|int LLVMFuzzer)' \
  $(wildcard $(patsubst %,%/*.[ch],lib/* viz viz/web data tests tests/* chapters/*)) | \
  awk -v programs='$(foreach m,$(MADE),$(m)=$(subst $(EMPTY) $(EMPTY),$(COMMA),$(strip $(of/$(m)))))' \
  -f tests/tools/link_closure.awk)
closure_of = $(patsubst $(1)=%,%,$(filter $(1)=%,$(CLOSURE)))
$(foreach m,$(filter-out tests/double,$(MADE)),$(eval $(BUILD)/$(m): $(call objects,$(call closure_of,$(m)))))
$(MADE:%=$(BUILD)/%):
	$(link)
SUITE_OBJ = $(call objects,$(filter-out lib/%,$(call closure_of,tests/suites)))

$(BUILD)/viewer $(BUILD)/tests/bench-viewer: LIBS = -lSDL2
$(BUILD)/tests/suites $(BUILD)/tests/double: LIBS = $(CHECK_LIBS)
$(BUILD)/tests/bench:  LIBS = $(if $(HAVE_BLAS),-lopenblas)
$(BUILD)/tests/screen: LIBS = -lX11
$(if $(MANIFEST),$(MADE:%=$(BUILD)/%): $(MANIFEST))
$(BUILD)/obj/windows.o: lib/windows/windows.rc lib/windows/program.manifest
	$(call say,windres,$<)
	@$(WINDRES) $< $@
$(FUZZ:%=$(BUILD)/fuzz_%): LIBS = -fsanitize=fuzzer

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# ---- suites: the tests of tests/<part>/test_<name>.c register themselves (tests/support/suite.h); a file may define
# Suite *<name>_suite(void) instead. SUITES="tests/io/test_npy.c …" makes a program of these alone.
suites_inc = +@mkdir -p $(@D) && \
  sed -n 's/^Suite \*\([a-z0-9_]*_suite\)(void)$$/SUITE(\1)/p' $(1) > $@.new && \
  if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/generated/suites.inc: FORCE
	$(call suites_inc,$(SUITES))
$(BUILD)/obj/tests/run.o: $(BUILD)/generated/suites.inc

# The suites of derivatives again, with everything that they use compiled for float64 (tests/support/float64_shim.h).
DOUBLE     := $(BUILD)/double
$(DOUBLE)/obj/%.o: %.c tests/support/float64_shim.h $(BUILD)/generated/flags
	$(call compile,cc,-include tests/support/float64_shim.h -I$(DOUBLE) -Itests -I.)
$(DOUBLE)/suites.inc: Makefile
	$(call suites_inc,$(DOUBLE_SUITES))
$(DOUBLE)/obj/tests/run.o: $(DOUBLE)/suites.inc
$(BUILD)/tests/double: $(patsubst %.c,$(DOUBLE)/obj/%.o,$(call closure_of,tests/double))
-include $(shell find $(DOUBLE)/obj -name '*.d' 2>/dev/null)

# The longest loops try one case in THIN, picked by SEED or else by the time. THIN=1 tries all, and so does
# build/tests/suites itself.
unit: export THIN ?= 4
unit: export SEED := $(or $(SEED),$(shell date +%s))
unit: $(if $(HAVE_CHECK),$(BUILD)/tests/suites $(BUILD)/tests/double)
	@echo "suites: one case in $(THIN) of the longest loops, SEED=$(SEED)"
	@$(if $(HAVE_CHECK),$(BUILD)/tests/suites && $(BUILD)/tests/double,$(call NO_CHECK,the suites))

#: make libm-check      our expf, exp2f and logf at every float; takes some minutes
.PHONY: libm-check
libm-check: $(BUILD)/tests/suites
	@EVERY_FLOAT=1 CK_DEFAULT_TIMEOUT=3600 $< portable_math

# ---- texts and figures are compared with the programs
READMES := $(CHAPTERS:%=chapters/%/README.md) $(filter-out %/README.md,$(wildcard chapters/*/*.md)) \
  $(wildcard README.md lib/README.md viz/README.md)

# Without the emulator, chapter 16 prints less than its text shows.
TEXTS    = $(if $(HAVE_CXX),$(READMES),$(filter-out chapters/16_cuda/%,$(READMES)))

#: make text            refresh the code and the output in every README
text: $(PROGRAMS) $(PAGES) $(BUILD)/tests/text
	@$(BUILD)/tests/text --update --chapters $(BUILD)/chapters $(TEXTS)
	@$(BUILD)/tests/text --update --chapters $(BUILD)/pages data/models/README.md
# One run of each program serves both checks. Where it fails there is no file, and the checks run it again and report.
RUNS     := $(BUILD)/runs
ALL_RUNS := $(patsubst %,$(RUNS)/%.txt,$(notdir $(PROGRAMS) $(PAGES)))
DATA     := $(wildcard data/*.tsv data/*/*)
define kept_run
	@rm -rf $(RUNS)/$* $@ && mkdir -p $(RUNS)/$*
	@MANYHEADS_TEXT_BOXES=1 $< --color never --figures $(RUNS)/$* >$@.new 2>/dev/null </dev/null && \
	  sed -e '/ figures written to /{N;d;}' -e '/ figures left out, for want of /{N;d;}' $@.new >$@.cut && \
	  mv $@.cut $@; rm -f $@.new
endef
$(RUNS)/%.txt: $(BUILD)/chapters/% $(DATA)
	$(kept_run)
$(RUNS)/%.txt: $(BUILD)/pages/% $(DATA)
	$(kept_run)

text-check: $(patsubst chapters/%/,$(RUNS)/%.txt,$(filter chapters/%,$(sort $(dir $(TEXTS))))) $(RUNS)/models.txt \
    $(PROGRAMS) $(PAGES) $(TOOLS)
	@sh tests/text/test_text.sh $(BUILD) && sh tests/text/test_figures.sh $(BUILD)
	@$(BUILD)/tests/text --runs $(RUNS) --chapters $(BUILD)/chapters $(TEXTS)
	@$(if $(HAVE_CXX),:,$(call left_out,the text of chapter 16,$(WANTED_CXX)))
	@$(BUILD)/tests/text --runs $(RUNS) --chapters $(BUILD)/pages data/models/README.md

#: make figures         redraw the figures of every chapter
TOUR := $(if $(HAVE_SDL),$(BUILD)/tests/tour/viz)
$(BUILD)/tests/tour/viz: tests/viz/tour.sh $(BUILD)/viewer $(PROGRAMS)
	@mkdir -p $(@D) && cp $< $@ && chmod +x $@
DRAWN = export VIEWER=$(BUILD)/viewer CHAPTERS=$(BUILD)/chapters; $(BUILD)/tests/figures
figures-check: $(ALL_RUNS)
figures figures-check: $(PROGRAMS) $(PAGES) $(BUILD)/tests/figures $(TOUR)
	@$(DRAWN) $(BUILD)/chapters chapters $(if $(filter figures,$@),--update,--runs $(RUNS))
	@$(DRAWN) $(BUILD)/pages data $(if $(filter figures,$@),--update,--runs $(RUNS))
	@$(if $(TOUR),$(DRAWN) $(BUILD)/tests/tour . $(if $(filter figures,$@),--update))

# ---- layout: which folder may include which; do the patches of known bugs apply; clang-format, where it is installed
#: make format          run clang-format over every C file
C_FILES := $(filter-out $(BUILD)/%,$(shell find chapters data lib tests viz -name '*.[ch]' | sort))
CLANG_FORMAT := $(shell command -v clang-format)
.PHONY: format
format:
	@clang-format -i $(C_FILES)
# Any headers can be included together. Left out: kernels' own, which are compiled once for each instruction set; a list
# and tables that one file each includes; and the web's, which has other names for threads.
TOGETHER = $(filter-out lib/kernels/%_kernel.h lib/judge/causes_list.h lib/tokenizer/unicode_tables.h,\
  $(wildcard lib/*/*.h viz/*.h))
house-check: $(BUILD)/tests/layers $(BUILD)/tests/mutate $(LIB)
	@printf '#include "%s"\n' $(TOGETHER:lib/%=%) | $(CC) $(CPPFLAGS) $(CFLAGS) -I. -fsyntax-only -x c -
	@sh tests/house/prefixes.sh $(LIB)
	@sh tests/house/cycles.sh $(LIB)
	@$< $(C_FILES) $(wildcard $(addprefix chapters/16_cuda/,*.cu emulator/*.cpp) tests/cuda/*.cu)
	@$(BUILD)/tests/mutate check tests/mutants/equivalent.tsv $(wildcard tests/mutants/patches/*.patch)
	@$(if $(CLANG_FORMAT),clang-format --dry-run -Werror $(C_FILES),$(call left_out,the check of the layout,clang-format))

# ---- the programs with bad input, from other folders; a sanitized program is slower.
# SOME=N: N of them, picked by SEED or else by the time, and no others are built. Where the viewer is one of them, it
# opens what chapters dump.
PROGRAMS_OF_ALL := $(PROGRAMS) $(PAGES) $(addprefix $(BUILD)/,attend train tests/bench $(if $(HAVE_SDL),viewer))
PICKED_BY       := $(if $(SOME),$(or $(SEED),$(shell date +%s)))
PROGRAMS_TRIED  := $(if $(SOME),$(shell printf '%s\n' $(PROGRAMS_OF_ALL) | \
                     SEED=$(PICKED_BY) sh tests/sample.sh $(SOME)),$(PROGRAMS_OF_ALL))
SEES_DUMPS      := $(if $(HAVE_SDL),$(if $(HAVE_STB),$(abspath $(BUILD)/viewer)))
programs-check: $(PROGRAMS_TRIED) $(BUILD)/tests/cli_probe $(BUILD)/tests/flags
	@$(if $(SOME),echo "programs: $(words $(PROGRAMS_TRIED)) of $(words $(PROGRAMS_OF_ALL))$(COMMA) SEED=$(PICKED_BY)")
	@$(if $(SEES_DUMPS),:,$(call left_out,the viewer on what chapters dump,SDL2 and stb (make deps installs them)))
	@$(if $(SANITIZE),START_MS=1000 SLOW=yes,START_MS=50) VIEWER=$(filter $(SEES_DUMPS),$(abspath $(PROGRAMS_TRIED))) \
	 sh tests/programs/programs.sh $(BUILD) $(notdir $(PROGRAMS_TRIED))

# ---- failure injection: a preloaded library makes system calls fail. Needs glibc, and a build without sanitizers.
#: make fail-check      let every allocation, open, write … of every program fail, one at a time: some hours
#:                      SAMPLE=100 tries a hundred of them, picked by SEED or else by the time; SECONDS=300 ends
#:                      after these
GLIBC    := $(call finds,gnu/libc-version.h)
CAN_FAIL := $(if $(SANITIZE)$(filter -static%,$(CFLAGS) $(LDFLAGS)),,$(GLIBC))
$(BUILD)/tests/failing.so: tests/programs/failing.c $(BUILD)/generated/flags
	$(call say,cc,$<)
	$(if $(V),,@)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared $< -ldl -o $@
FAILING  := $(PAGES) $(addprefix $(BUILD)/,attend train $(if $(HAVE_SDL),viewer) \
  tests/bench tests/fail tests/failing.so)
fail-check fail-sample: $(if $(CAN_FAIL),$(PROGRAMS) $(FAILING))
	@$(if $(CAN_FAIL),tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	  $(BUILD)/tests/fail $(BUILD) "$$tmp" $(or $(SAMPLE),$(if $(filter fail-sample,$@),32,0)) \
	  $(or $(SEED),$$(date +%s)) $(SECONDS),\
	  $(call left_out,calls that fail,a build without sanitizers on glibc))

# ---- attend: right and wrong results, bad input, and the example in README
#: make build/attend    the judge of your own attention code (README, "Check your own attention")
attend-check: $(BUILD)/attend $(BUILD)/tests/cli_probe
	@$(if $(SANITIZE)$(DEBUG),SLOW=yes) sh tests/judge/test_attend.sh $(BUILD)

include chapters/16_cuda/cuda.mk
include chapters/16_cuda/emulator/emulator.mk
include viz/web/site.mk

# ---- exercises: NNa, NNb, … of chapter NN. The reader's file (FILE=mine.c: another than the chapter's) is compiled in
# the recipe, so only its own compiler messages are printed. It is compiled each time, with bounds checks of matrices,
# may call all of the library, and precedes the library on the link line.
EXERCISE := $(BUILD)/tests/exercises
JUDGE := $(call objects,$(patsubst %,tests/exercises/%.c,judge judge_process judge_self_test))
$(EXERCISE)/stub_%: $(BUILD)/obj/tests/exercises/check_%.o $(JUDGE) $(LIB) FORCE
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-conversion -UNDEBUG -c $(or $(FILE),$(wildcard chapters/*/exercise_$*.c)) -o $@.o
	@$(call linked,$@.o)
# Some are kernels, which the emulator runs; the right and the wrong answers are kernels in answers_NNa.cu.
KERNEL_EXERCISES := $(patsubst exercise_%.cu,%,$(notdir $(wildcard chapters/*/exercise_*.cu)))
define emulated_exercise
$(EXERCISE)/stub_$(1): $(2) FORCE $(if $(HAVE_CXX),$(EMULATOR_OBJ) $(LIB) $(EXERCISE)/answers_$(1).o $(JUDGE) \
    $(call objects,tests/exercises/check_$(1).c))
	@$$(if $$(HAVE_CXX),:,echo "exercise $(1) is a kernel: to run it takes a C++ compiler (make deps installs it)"; exit 1)
	@mkdir -p $$(@D)
	@$$(call emulated_kernel,$(2),$$@.o)
	@$$(call linked,$$@.o) $$(CXX_LIBS)
endef
emulated_kernel = { echo '\#line 1 "$(1)"'; sed -E -f $(EMULATOR)/cuda.sed $(1); } > $(2).cpp && \
  $(CXX) $(CXX_CPP) -Itests $(EMULATED) -include runtime.h $(CXXFLAGS) $(HOOKED) -c $(2).cpp -o $(2)
$(EXERCISE)/answers_%.o: tests/exercises/answers_%.cu $(EMULATOR)/cuda.sed
	@mkdir -p $(@D)
	@$(call emulated_kernel,$<,$@)
$(foreach e,$(KERNEL_EXERCISES),$(eval \
  $(call emulated_exercise,$(e),$(or $(FILE),$(wildcard chapters/*/exercise_$(e).cu)))))
FORCE:

#: make exercise-02a    check what you have written in chapters/02_softmax/exercise_02a.c; HINT=2, HINT=3 say more
#: make exercise-02     all exercises of chapter 02
#: make exercise-02a FILE=mine.c   the same of another file
$(EXERCISES:%=exercise-%): exercise-%: $(EXERCISE)/stub_%
	@HINT=$(HINT) $<
$(CHAPTERS_WITH:%=exercise-%): exercise-%:
	@right=yes; export NEXT=no; for e in $(filter $*%,$(EXERCISES)); do $(MAKE) -s exercise-$$e || right=no; done; \
	  [ $$right = yes ]
# SOME=N: N of them, picked by SEED or else by the time; ONLY="16a 16b": these
CAN_TRY := $(if $(HAVE_CXX),$(EXERCISES),$(filter-out $(KERNEL_EXERCISES),$(EXERCISES)))
TRIED := $(if $(SOME),$(sort $(shell printf '%s\n' $(CAN_TRY) | sh tests/sample.sh $(SOME))),$(or $(ONLY),$(CAN_TRY)))
exercises: $(TRIED:%=$(EXERCISE)/stub_%) $(BUILD)/tests/mistakes
	+@sh tests/exercises/exercises.sh $(BUILD) $(TRIED)

#: make python-check    data/manyheads.py with small models, where a python3 has torch and transformers
python-check: $(if $(HAVE_SDL),$(BUILD)/viewer)
	@if command -v python3 >/dev/null 2>&1; then python3 data/manyheads_check.py $(BUILD)/manyheads; \
	 else $(call left_out,data/manyheads.py with models,python3); fi

#: make test-mutants    do the suites notice a wrong library? Patches with known bugs, then random small changes
#:                      SAMPLE=100 changes, picked by SEED or else by the time; PATCHES=10; FILES="lib/io viz/find.c"
#:                      changes of these alone; LEAST=60 fails when fewer than 60 percent are noticed
MUTANTS = MAKE='$(MAKE)' BUILD='$(BUILD)' CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' \
  LIB='$(LIB) $(firstword $(LIB))' LDLIBS='$(CHECK_LIBS) $(CXX_LIBS) $(LDLIBS)' EMULATED='$(EMULATED_TESTS)' \
  SUPPORT='$(filter $(BUILD)/obj/tests/support/% $(BUILD)/obj/tests/bench/%,$(SUITE_OBJ))' \
  VIZ='$(filter $(BUILD)/obj/viz/%,$(SUITE_OBJ))' sh tests/mutants/run.sh
test-mutants: $(if $(HAVE_CHECK),$(BUILD)/tests/suites $(BUILD)/tests/mutate $(LIB))
	@$(if $(HAVE_CHECK),$(if $(FILES),,SAMPLE= $(MUTANTS) patches $(PATCHES) &&) \
	 SAMPLE=$(SAMPLE) $(MUTANTS) mutants $(or $(FILES),$(filter-out lib/windows/,$(wildcard lib/*/)) viz viz/web),$(call NO_CHECK,mutants))

#: make bench           every rung of the ladder against this processor's own limit and against peers: a minute or two
#: make bench-full      the same at every shape, and how cost grows with T: ten minutes or so
bench bench-full: $(BUILD)/tests/bench
	@OPENBLAS_NUM_THREADS=1 $< $(if $(filter %-full,$@),--full) --out $(BUILD)/bench $(if $(SECONDS),--seconds $(SECONDS))
#: make bench-models    a published model of GPT-2's size beside PyTorch and llama.cpp: PYTHON=python3 with torch and
#:                      transformers, llama_cpp and gguf; THREADS=1; LONG=1: the memory of a long text alone
bench-models: $(BUILD)/tests/bench-models
	@$< --folder $(BUILD)/bench/models $(if $(SECONDS),--seconds $(SECONDS)) $(if $(THREADS),--threads $(THREADS)) \
	  $(if $(LONG),--long)
bench-check: $(BUILD)/tests/bench
	@sh tests/bench/test_bench.sh $(BUILD)

# ---- fuzzing, with clang's libFuzzer and sanitizers, in a build folder of its own
#: make fuzz            fuzz every file reader, with clang: TARGET=json alone, SECONDS=60 each
FUZZED  := $(BUILD)/fuzz
TARGETS := $(or $(TARGET),$(FUZZ))
# Comparisons are not traced: the mutators know the file formats, and without tracing twice as many inputs are run.
fuzz:
	@CFLAGS=-fno-sanitize-coverage=trace-cmp $(MAKE) CC=clang WERROR= SANITIZE=fuzzer-no-link,address,undefined \
	  BUILD=$(FUZZED) $(TARGETS:%=$(FUZZED)/fuzz_%)
	@sh tests/fuzz/fuzz.sh $(FUZZED) $(or $(SECONDS),60) $(TARGETS)
$(BUILD)/obj/tests/fuzz/mutate%.o: CFLAGS += -fno-sanitize=fuzzer-no-link      # what makes inputs is not what is tried

#: make train           retrain the book's models into data/models; resumes an interrupted run
MODELS := induction-32 induction-64 glosses-4 glosses-8 language-64 language-64-nope language-32 language-16
train: $(BUILD)/train
	@mkdir -p data/models
	@for m in $(MODELS); do $< $$m --out data/models/$$m.safetensors --state $(BUILD)/$$m.state || exit; done

# The model that is trained fastest, from nothing: its bytes are those in data/models. And a training that is killed.
train-check: $(BUILD)/train
	@sh tests/train/again.sh $(BUILD) induction-32
	@sh tests/train/killed.sh $(BUILD)

#: make test-train      every check on training: the eight models from nothing, to the byte (ten minutes; MODELS="…"
#:                      these), five seeds of each, the controls, the shipped weights
test-train: $(BUILD)/train $(BUILD)/tests/check
	@sh tests/train/again.sh $(BUILD) $(MODELS)
	@$(BUILD)/tests/check A B B8 B0 C $(MODELS:%=data/models/%.safetensors)

# ---- other machines, in an emulator: tests/machines/machines.sh
#: make other-machines  the same digits on 64-bit ARM, s390x, musl, Windows and 32 bits, and suites; an hour or more
#:                      MACHINES="arm64 musl" these; SOME=2 chapters; SUITES="fast npy"; THIN=8 cases of long loops
.PHONY: other-machines
other-machines: $(PROGRAMS) $(BUILD)/tests/cli_probe
	@sh tests/machines/machines.sh $(BUILD) $(MACHINES)

# ---- ranks as processes, where mpirun is
RANKED := $(filter $(BUILD)/chapters/23_% $(BUILD)/chapters/24_%,$(PROGRAMS)) $(BUILD)/tests/ranks_smoke
ranks-check: $(if $(HAVE_MPI),$(RANKED))
	@$(if $(HAVE_MPI),sh tests/ranks/ranks.sh $(BUILD),$(NO_MPI))

#: make hosts-check     the same on two to four hosts, made of network namespaces: takes root, and a minute
hosts-check: $(if $(HAVE_MPI),$(RANKED))
	@$(if $(HAVE_MPI),sh tests/ranks/ranks.sh $(BUILD) hosts,$(NO_MPI))

# The window, driven under Xvfb: needs xdotool, ImageMagick and the headers of X11 (libx11-dev) besides.
window-check: $(BUILD)/viewer $(BUILD)/tests/screen $(BUILD)/chapters/06_multi_head
	@mkdir -p $(BUILD)/window
	@$(BUILD)/chapters/06_multi_head --dump $(BUILD)/window/heads.safetensors >/dev/null
	@sh tests/viz/window.sh $(BUILD) $(BUILD)/window/heads.safetensors $(BUILD)/window

#: make mpi             what chapters 23 and 24 need to run on several machines
.PHONY: mpi hosts-check
mpi:
	@sh tests/tools/deps.sh mpi $(HAVE_MPI)

#: make bench-viewer    how fast the viewer answers, up to 4096 tokens and 144 heads
bench-viewer: $(BUILD)/tests/bench-viewer $(BUILD)/viewer
	@mkdir -p $(BUILD)/bench && $< $(BUILD)/viewer $(BUILD)/bench

#: make view            open the viewer on the book's model
view: $(if $(HAVE_SDL),$(BUILD)/viewer)
	@$(if $(HAVE_SDL),$<,$(NO_SDL))

#: make compile_commands.json   how every file is compiled, for an editor (clangd)
compile_commands.json: FORCE
	@$(MAKE) --always-make --dry-run V=1 all $(BUILD)/tests/suites $(BUILD)/tests/bench $(TOOLS) | \
	 sed -n -e 's/[\\"]/\\&/g' \
	   -e 's|^\(.* -c \([^ ]*\.c\) -o .*\)|  { "directory": "$(CURDIR)", "file": "\2", "command": "\1" },|p' | \
	 sed -e '1s/^/[/' -e '$$s/,$$/]/' > $@

# Compile time: tests/build/budget.sh
budget-check: all
	+@$(if $(SANITIZE)$(DEBUG),$(call left_out,compile time,an optimised build),\
	  BUILD='$(BUILD)' CC='$(CC)' MAKE='$(MAKE)' sh tests/build/budget.sh)

#: make install         programs, archives, headers and manyheads.pc into PREFIX (/usr/local); make uninstall removes them
BIN     := $(DESTDIR)$(PREFIX)/bin/manyheads
SHARE   := $(DESTDIR)$(PREFIX)/share/manyheads
INCLUDE := $(DESTDIR)$(PREFIX)/include/manyheads
ARCHIVE := $(DESTDIR)$(PREFIX)/lib
PC      := $(ARCHIVE)/pkgconfig/manyheads.pc
VERSION := $(shell sed -n 's/.*MANYHEADS_VERSION "\(.*\)"/\1/p' lib/base/version.h)
# Headers that only files of their own folder include are not installed.
PRIVATE := %_kernel.h %_parts.h %_list.h %_tables.h %_internal.h %_private.h %/state.h %/row.h %/wire.h %/tokenizer_reader.h
HEADERS := $(patsubst lib/%,%,$(filter-out $(PRIVATE),$(wildcard lib/*/*.h)))
# The core archive comes first and last, since the kernels need it, too: in two spellings, as pkg-config drops repetitions.
PC_LIBS = -Wl,-lmanyheads -lmanyheads-kernels -lmanyheads $(filter-out $(STACK),$(LDLIBS))
install: all $(LIB)
	@mkdir -p $(dir $(BIN) $(PC)) $(SHARE)/models $(addprefix $(INCLUDE)/,$(sort $(dir $(HEADERS))))
	@for c in $(CHAPTERS); do cp $(BUILD)/chapters/$$c $(BIN)-$$c || exit; done
	@cp $(BUILD)/attend $(BIN)-attend
	@$(if $(HAVE_SDL),cp $(BUILD)/viewer $(BIN)-viewer)
	@cp data/models/*.safetensors data/models/*.tsv $(SHARE)/models
	@cp $(LIB) $(ARCHIVE)
	@for h in $(HEADERS); do cp lib/$$h $(INCLUDE)/$$h || exit; done
	@printf '%s\n' 'prefix=$(PREFIX)' 'Name: manyheads' 'Version: $(VERSION)' \
	  'Description: attention in plain C, and its fast kernels' 'Cflags: -I$${prefix}/include/manyheads' \
	  'Libs: -L$${prefix}/lib $(PC_LIBS)' > $(PC)
	@echo "installed: $(BIN)-*, $(PC)"
uninstall:
	rm -f $(CHAPTERS:%=$(BIN)-%) $(BIN)-viewer $(BIN)-attend $(PC) $(addprefix $(ARCHIVE)/,$(notdir $(LIB)))
	rm -rf $(SHARE) $(INCLUDE)
install-check: all $(LIB)
	+@$(if $(shell command -v pkg-config),BUILD='$(BUILD)' CC='$(CC)' MAKE='$(MAKE)' sh tests/install/install.sh,\
	  $(call left_out,the installed library,pkg-config))

#: make clean           remove the build folder
clean:
	rm -rf $(BUILD)

endif
