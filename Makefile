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
# `make deps …`: what is missing is installed first; only then is it looked at what this machine has.
ifneq ($(filter deps,$(MAKECMDGOALS)),)

.PHONY: $(MAKECMDGOALS)
deps:
	@sh tests/tools/deps.sh
$(filter-out deps,$(MAKECMDGOALS)): deps
	@$(MAKE) $@

else
# ---------------------------------------------------------------------------------------------------------------------

HASH  := \#
finds  = $(shell printf '$(HASH)include <$(1)>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
HAVE_STB   := $(call finds,stb/stb_truetype.h)
HAVE_CHECK := $(call finds,check.h)
HAVE_SDL   := $(call finds,SDL2/SDL.h)
HAVE_BLAS  := $(shell printf '$(HASH)include <cblas.h>\nvoid openblas_set_num_threads(int);\nint main(void) { openblas_set_num_threads(1); }\n' | \
                $(CC) -x c - -lopenblas -o /dev/null 2>/dev/null && echo yes)
NVCC := $(firstword $(wildcard $(if $(CUDA_HOME),$(CUDA_HOME)/bin/nvcc)) $(shell command -v nvcc 2>/dev/null))
links = $(shell printf 'int main(void) { return 0; }\n' | $(CC) -x c - $(1) -o /dev/null 2>/dev/null && echo $(1))
CHECK_LIBS = -lcheck $(call links,-lsubunit) $(call links,-lrt)

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
LIB_OBJ   := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out %/main.c,$(sort $(wildcard lib/*/*.c))))
LIB       := $(BUILD)/libmanyheads.a
SUITES    := $(sort $(wildcard tests/*/test_*.c))
SUITE_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(SUITES) tests/run.c $(sort $(wildcard tests/support/*.c)) \
  $(filter-out %/main.c,$(sort $(wildcard viz/*.c))) $(patsubst %,tests/bench/%.c,problem reader results))
objects   = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

say = @$(if $(V),,printf '  %-7s %s\n' $(1) $(2);)

.PHONY: all help run test unit text text-check figures figures-check exercises train-check programs-check attend-check \
        bench-check window-check test-mutants train test-train bench bench-full bench-viewer cuda view install uninstall clean
.DELETE_ON_ERROR:
.PRECIOUS: $(BUILD)/obj/%.o

all: $(PROGRAMS) $(BUILD)/attend $(if $(HAVE_SDL),$(BUILD)/viewer)
	@$(if $(HAVE_STB),:,echo "left out: figures, for want of stb (make deps installs it)")
	@$(if $(HAVE_SDL),:,echo "left out: the viewer, for want of SDL2 (make deps installs it)")
	@$(if $(NVCC),:,echo "left out: the kernels of chapter 16, for want of nvcc (on PATH or in CUDA_HOME)")

help:
	@sed -n 's/^#: //p' Makefile

#: make deps            install what is missing (prints the command first)
#: make                 build every chapter
#: make run             run every chapter in order; figures under build/figures; then the viewer, on a display
run: all
	@for c in $(CHAPTERS); do $(BUILD)/chapters/$$c --figures $(BUILD)/figures/$$c || exit; done
	@if [ -x $(BUILD)/viewer ] && [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	    echo; echo "opening the viewer on the book's sentence (Esc closes it)"; $(MAKE) view; fi

#: make test            every test: suites, text, figures, exercises, a killed training, bad input, attend
# Side by side, as jobs allow; each part's words come in one piece, where make can do that.
test:
	@$(MAKE) $(if $(filter output-sync,$(.FEATURES)),-Otarget) programs-check unit text-check figures-check exercises train-check attend-check bench-check
	@echo "all tests passed$(if $(HAVE_CHECK),,; left out: the suites, for want of Check)$(if $(HAVE_STB),,; left out: figures, for want of stb)"

# ---- objects, library, chapters. Another compiler, other flags, a package that has come: everything is compiled anew.
FLAGS := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(if $(HAVE_BLAS),openblas)
$(BUILD)/generated/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@

$(BUILD)/obj/%.o: %.c $(BUILD)/generated/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(if $(V),,@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# The tables travel inside every chapter, so that it starts from any folder: one C string a line.
$(BUILD)/generated/%.inc: data/%.tsv
	@mkdir -p $(@D)
	@sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n",/' $< > $@
$(BUILD)/obj/lib/lesson/embeddings.o: $(BUILD)/generated/embeddings.inc
$(BUILD)/obj/lib/model/sizes.o:       $(BUILD)/generated/sizes.inc
$(BUILD)/obj/chapters/15_fast_on_the_cpu/main.o: $(BUILD)/generated/bench/cpu.inc $(BUILD)/generated/bench/growth.inc

$(LIB): $(LIB_OBJ)
	$(call say,ar,$@)
	@rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/chapters/%: $(BUILD)/obj/chapters/%/main.o $(LIB)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# Chapter 15. Sums may be fused with their products, and loops unrolled, in these files only: they are held to float64, not
# to the bit. In plain C the compiler must also be told that a comparison may be made and not needed, to get vectors.
# A sanitized build stays at its own level: it takes a minute a file otherwise.
FAST := $(patsubst %,$(BUILD)/obj/lib/attention/%.o,fast ladder reordered plain_c)
$(FAST): CFLAGS += $(if $(SANITIZE),,-O3) -ffp-contract=fast
$(BUILD)/obj/lib/attention/plain_c.o: CFLAGS += -fno-trapping-math -fno-signed-zeros -fno-math-errno

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# ---- suites: tests/<part>/test_<name>.c defines Suite *<name>_suite(void) and is found by its name
$(BUILD)/generated/suites.inc: $(SUITES) Makefile
	@mkdir -p $(@D)
	@for f in $(SUITES); do basename $$f .c | sed 's/^test_\(.*\)/SUITE(\1_suite)/'; done > $@
$(BUILD)/obj/tests/run.o: $(BUILD)/generated/suites.inc
$(BUILD)/obj/tests/%.o: CPPFLAGS += -Itests -I.
$(BUILD)/tests/suites: $(SUITE_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(CHECK_LIBS) $(LDLIBS) -o $@

# The suites of derivatives once more, with all that they stand on compiled for float64 (tests/support/double.h).
DOUBLE     := $(BUILD)/double
DOUBLE_SUITES := tests/attention/test_backward.c tests/model/test_transformer.c tests/model/test_training.c
DOUBLE_SRC := $(sort $(wildcard lib/base/*.c)) $(addprefix lib/io/,file.c number.c npy.c text.c) \
  $(patsubst %,lib/attention/%.c,dot_product softmax mask attention self_attention multi_head positions backward) \
  $(patsubst %,lib/model/%.c,product transformer gradient adamw train) \
  $(DOUBLE_SUITES) tests/support/reference.c tests/support/slopes.c tests/run.c
DOUBLE_OBJ := $(DOUBLE_SRC:%.c=$(DOUBLE)/obj/%.o)

$(DOUBLE)/obj/%.o: %.c tests/support/double.h $(BUILD)/generated/flags
	@mkdir -p $(@D)
	$(call say,double,$<)
	$(if $(V),,@)$(CC) -include tests/support/double.h -I$(DOUBLE) -Itests -I. $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@
$(DOUBLE)/suites.inc: Makefile
	@mkdir -p $(@D)
	@for f in $(DOUBLE_SUITES); do basename $$f .c | sed 's/^test_\(.*\)/SUITE(\1_suite)/'; done > $@
$(DOUBLE)/obj/tests/run.o: $(DOUBLE)/suites.inc
$(BUILD)/tests/double: $(DOUBLE_OBJ)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(CHECK_LIBS) $(LDLIBS) -o $@
-include $(shell find $(DOUBLE)/obj -name '*.d' 2>/dev/null)

ifneq ($(HAVE_CHECK),)
unit: $(BUILD)/tests/suites $(BUILD)/tests/double
	@$(BUILD)/tests/suites
	@$(BUILD)/tests/double
else
unit:
	@echo "left out: the suites, for want of Check (make deps installs it)"
endif

# ---- the text is held to the programs, the figures too
READMES  := $(CHAPTERS:%=chapters/%/README.md) $(wildcard README.md viz/README.md)
TOOLS    := $(addprefix $(BUILD)/tests/,text figures pixel probe mistakes)

$(BUILD)/tests/text:    $(call objects,$(addprefix tests/text/,text.c source.c prose.c program.c))
$(BUILD)/tests/figures: $(call objects,tests/text/figures.c tests/text/program.c)
$(BUILD)/tests/pixel:   $(call objects,tests/text/pixel.c)
$(BUILD)/tests/probe:   $(call objects,tests/programs/probe.c)
$(BUILD)/tests/mistakes: $(call objects,tests/exercises/mistakes.c tests/exercises/judge.c)
$(TOOLS): $(LIB)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(LIB) $(LDLIBS) -o $@

#: make text            fill the code and the output in every README anew
text: $(PROGRAMS) $(BUILD)/tests/text
	@$(BUILD)/tests/text --update --chapters $(BUILD)/chapters $(READMES)
text-check: $(PROGRAMS) $(TOOLS)
	@sh tests/text/test_text.sh $(BUILD)
	@$(BUILD)/tests/text --chapters $(BUILD)/chapters $(READMES)

#: make figures         draw the figures of every chapter anew
TOUR := $(if $(HAVE_SDL),$(BUILD)/tests/tour/viz)
$(BUILD)/tests/tour/viz: tests/viz/tour.sh $(BUILD)/viewer $(PROGRAMS)
	@mkdir -p $(@D) && cp $< $@ && chmod +x $@
DRAWN = export VIEWER=$(BUILD)/viewer CHAPTERS=$(BUILD)/chapters; $(BUILD)/tests/figures
figures: $(PROGRAMS) $(BUILD)/tests/figures $(TOUR)
	@$(DRAWN) $(BUILD)/chapters chapters --update
	@$(if $(TOUR),$(DRAWN) $(BUILD)/tests/tour . --update)
figures-check: $(PROGRAMS) $(BUILD)/tests/figures $(TOUR)
	@$(DRAWN) $(BUILD)/chapters chapters
	@$(if $(TOUR),$(DRAWN) $(BUILD)/tests/tour .)

# ---- the programs with bad input, from other folders, on full disks; a sanitized program is slower
programs-check: $(PROGRAMS) $(BUILD)/tests/probe
	@$(if $(SANITIZE),START_MS=1000 SLOW=yes,START_MS=50) sh tests/programs/programs.sh $(BUILD) $(CHAPTERS)

# ---- attend: right and wrong results, bad input, and the example in README
attend-check: $(BUILD)/attend $(BUILD)/tests/probe
	@sh tests/judge/test_attend.sh $(BUILD)

# ---- exercises. The reader's file is compiled in the recipe, so that what the compiler says stands alone; it is compiled
# anew each time, with the bounds of every matrix checked.
EXERCISES := $(patsubst tests/exercises/check_%.c,%,$(sort $(wildcard tests/exercises/check_*.c)))

$(BUILD)/tests/exercises/stub_%: $(BUILD)/obj/tests/exercises/check_%.o $(BUILD)/obj/tests/exercises/judge.o $(LIB) FORCE
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -UNDEBUG -c $(wildcard chapters/$*_*/exercise.c) -o $@.o
	@$(CC) $(CFLAGS) $(LDFLAGS) $@.o $(filter-out FORCE,$^) $(LDLIBS) -o $@
$(BUILD)/tests/exercises/solution_%: $(BUILD)/obj/tests/exercises/solution_%.o $(BUILD)/obj/tests/exercises/check_%.o \
                                     $(BUILD)/obj/tests/exercises/judge.o $(LIB)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@
FORCE:

#: make exercise-02     check what you have written in chapters/02_softmax/exercise.c
$(EXERCISES:%=exercise-%): exercise-%: $(BUILD)/tests/exercises/stub_%
	@$<
exercises: $(foreach n,$(EXERCISES),$(BUILD)/tests/exercises/stub_$(n) $(BUILD)/tests/exercises/solution_$(n)) $(BUILD)/tests/mistakes
	@sh tests/exercises/test_judge.sh $(BUILD)
	@sh tests/exercises/exercises.sh $(BUILD) $(EXERCISES)
.PHONY: FORCE $(EXERCISES:%=exercise-%)

# ---- planted faults, timings, the viewer
#: make test-mutants    plant a fault at a time and see that the suites catch it (FAULTS="05 06": of these chapters)
ifneq ($(HAVE_CHECK),)
test-mutants: $(BUILD)/tests/suites
	@BUILD='$(BUILD)' CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' \
	 LDLIBS='$(CHECK_LIBS) $(LDLIBS)' OBJECTS='$(SUITE_OBJ)' LIB='$(LIB)' sh tests/mutants/run.sh $(FAULTS)
else
test-mutants:
	@echo "left out: planted faults, for want of Check (make deps installs it)"
endif

#: make build/attend    the judge of your own attention code (README, "Check your own attention")
$(BUILD)/attend: $(call objects,lib/judge/main.c) $(LIB)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

#: make bench           every rung of the ladder against this processor's own limit and against peers: a minute or two
#: make bench-full      the same at every shape, and how cost grows with T: ten minutes or so
BENCH := $(call objects,$(filter-out tests/bench/test_%,$(sort $(wildcard tests/bench/*.c))))
bench: $(BUILD)/tests/bench
	@OPENBLAS_NUM_THREADS=1 $(BUILD)/tests/bench --out $(BUILD)/bench $(if $(SECONDS),--seconds $(SECONDS))
bench-full: $(BUILD)/tests/bench
	@OPENBLAS_NUM_THREADS=1 $(BUILD)/tests/bench --full --out $(BUILD)/bench $(if $(SECONDS),--seconds $(SECONDS))
bench-check: $(BUILD)/tests/bench
	@sh tests/bench/test_bench.sh $(BUILD)
$(BUILD)/obj/tests/bench/sgemm.o: CFLAGS += -O3 -ffp-contract=fast
$(BUILD)/obj/tests/bench/reader.o: CFLAGS += -O3
$(BUILD)/obj/tests/bench/sgemm.o: CPPFLAGS += $(if $(HAVE_BLAS),-DHAVE_OPENBLAS)
$(BUILD)/obj/tests/bench/bench.o: CPPFLAGS += -DBENCH_FOLDER='"$(CURDIR)/tests/bench"'
$(BUILD)/tests/bench: $(BENCH) $(LIB)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(if $(HAVE_BLAS),-lopenblas) $(LDLIBS) -o $@

# ---- chapter 16 on a card: for these architectures, and as PTX for later ones. A spilled register in the last rungs, or
# a warning, is an error. GPU_ARCHS="80 90" and the like choose others; mma and decode need 80 at least.
GPU_ARCHS ?= 75 80 90
CUDA       = $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
GPU_OBJ   := $(patsubst %,$(BUILD)/cuda/%.o,naive tiles online mma decode read)
GPU_C     := $(call objects,$(patsubst %,chapters/16_cuda/%.c,card check bench gpu))
gencode    = $(foreach a,$(1),-gencode arch=compute_$(a),code=sm_$(a)) -gencode arch=compute_$(lastword $(1)),code=compute_$(lastword $(1))

$(BUILD)/cuda/mma.o $(BUILD)/cuda/decode.o: FOR = $(filter-out 75,$(GPU_ARCHS))
$(BUILD)/cuda/%.o: FOR = $(GPU_ARCHS)
define nvcc
	@mkdir -p $(@D)
	$(call say,nvcc,$<)
	@$(NVCC) -std=c++17 -O3 -Ilib $(call gencode,$(FOR)) -Xcompiler -Wall -Xptxas -v -c $< -o $@ >$(@:.o=.ptxas) 2>&1 || \
	  { cat $(@:.o=.ptxas); exit 1; }
	@sh chapters/16_cuda/ptxas.sh $(@:.o=.ptxas)
endef
$(BUILD)/cuda/%.o: chapters/16_cuda/%.cu
	$(nvcc)
$(GPU_OBJ): $(wildcard chapters/16_cuda/*.h) lib/attention/gpu_schedule.h lib/base/half.h chapters/16_cuda/ptxas.sh
$(GPU_C): CPPFLAGS += -isystem $(CUDA)/include -DGPU_FOLDER='"$(CURDIR)/chapters/16_cuda"'

$(BUILD)/chapters/16_cuda_gpu: $(GPU_OBJ) $(GPU_C) $(LIB)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ -L$(CUDA)/lib64 -lcudart_static -lstdc++ -ldl -lrt $(LDLIBS) -o $@

#: make cuda            the kernels of chapter 16, where nvcc is; build/chapters/16_cuda --check, --bench run them
ifneq ($(NVCC),)
cuda: $(BUILD)/chapters/16_cuda $(BUILD)/chapters/16_cuda_gpu
else
cuda: $(BUILD)/chapters/16_cuda
	@echo "left out: the kernels of chapter 16, for want of nvcc (on PATH or in CUDA_HOME)"
endif

# ---- the trained models of chapter 09. A build folder may lie anywhere: where the book is, is told to what looks for them.
$(BUILD)/obj/lib/model/shipped.o: CPPFLAGS += -DBOOK='"$(CURDIR)"'
MODELS := induction-32 induction-64 glosses-4 glosses-8
$(BUILD)/train:       $(call objects,data/train.c)
$(BUILD)/tests/check: $(call objects,tests/train/check.c)
$(BUILD)/train $(BUILD)/tests/check: $(LIB)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(LIB) $(LDLIBS) -o $@

#: make train           train the models of chapter 09 anew, into data/models; goes on where it was interrupted
train: $(BUILD)/train
	@mkdir -p data/models
	@for m in $(MODELS); do $(BUILD)/train $$m --out data/models/$$m.safetensors --state $(BUILD)/$$m.state || exit; done

# A training that is killed, and one that was not.
train-check: $(BUILD)/train
	@sh tests/train/killed.sh $(BUILD)

#: make test-train      every check on training: five seeds of each model, the controls, the shipped weights (minutes)
test-train: $(BUILD)/tests/check
	@$(BUILD)/tests/check A B B8 $(MODELS:%=data/models/%.safetensors)

VIZ_OBJ := $(call objects,$(sort $(wildcard viz/*.c)))
$(VIZ_OBJ): CPPFLAGS += -I.
$(BUILD)/viewer: $(VIZ_OBJ) $(LIB)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lSDL2 $(LDLIBS) -o $@

# The window, driven under Xvfb: needs xdotool, ImageMagick and the headers of X11 (libx11-dev) besides.
$(BUILD)/tests/screen: tests/viz/screen.c $(BUILD)/generated/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(if $(V),,@)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $< -lX11 -o $@
window-check: $(BUILD)/viewer $(BUILD)/tests/screen $(BUILD)/chapters/06_multi_head
	@mkdir -p $(BUILD)/window
	@$(BUILD)/chapters/06_multi_head --dump $(BUILD)/window/heads.safetensors >/dev/null
	@sh tests/viz/window.sh $(BUILD) $(BUILD)/window/heads.safetensors $(BUILD)/window

#: make bench-viewer    how fast the viewer answers, up to 4096 tokens and 144 heads
$(BUILD)/obj/tests/viz/bench.o: CPPFLAGS += -I.
$(BUILD)/tests/bench-viewer: $(BUILD)/obj/tests/viz/bench.o $(filter-out %/main.o,$(VIZ_OBJ)) $(LIB)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(if $(V),,@)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lSDL2 $(LDLIBS) -o $@
bench-viewer: $(BUILD)/tests/bench-viewer $(BUILD)/viewer
	@mkdir -p $(BUILD)/bench && $< $(BUILD)/viewer $(BUILD)/bench

#: make view            open the viewer on the book's model
ifneq ($(HAVE_SDL),)
view: $(BUILD)/viewer
	@$(BUILD)/viewer
else
view:
	@echo "left out: the viewer, for want of SDL2 (make deps installs it)"
endif

#: make install         copy chapters, attend and viewer to PREFIX (/usr/local); make uninstall removes them
install: all
	@mkdir -p $(DESTDIR)$(PREFIX)/bin
	@for c in $(CHAPTERS); do cp $(BUILD)/chapters/$$c $(DESTDIR)$(PREFIX)/bin/manyheads-$$c || exit; done
	@cp $(BUILD)/attend $(DESTDIR)$(PREFIX)/bin/manyheads-attend
	@$(if $(HAVE_SDL),cp $(BUILD)/viewer $(DESTDIR)$(PREFIX)/bin/manyheads-viewer)
	@mkdir -p $(DESTDIR)$(PREFIX)/share/manyheads/models && cp data/models/* $(DESTDIR)$(PREFIX)/share/manyheads/models
	@echo "installed: $(DESTDIR)$(PREFIX)/bin/manyheads-*"
uninstall:
	rm -f $(CHAPTERS:%=$(DESTDIR)$(PREFIX)/bin/manyheads-%) $(DESTDIR)$(PREFIX)/bin/manyheads-viewer \
	  $(DESTDIR)$(PREFIX)/bin/manyheads-attend
	rm -rf $(DESTDIR)$(PREFIX)/share/manyheads

#: make clean           remove the build folder
clean:
	rm -rf $(BUILD)

endif
