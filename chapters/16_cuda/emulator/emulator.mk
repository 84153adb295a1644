# The Makefile's part about the emulator of chapter 16: its kernels as C++, where a C++ compiler is. The hooks of loads
# and stores have names that the thread sanitizer has, too, and fibers confuse the others: a sanitized build does
# without. What a page has in the place of this is in viz/web/site.mk.
EMULATOR  := chapters/16_cuda/emulator
HAVE_CXX  := $(if $(SANITIZE),,$(or $(WEB),$(shell printf '$(HASH)include <ucontext.h>\n$(HASH)include <vector>\n' | \
               $(CXX) -std=c++17 -fsanitize=thread -x c++ -c - -o /dev/null 2>/dev/null && echo yes)))
WANTED_CXX = $(if $(SANITIZE),a build without sanitizers,g++ (make deps installs it))
NO_CXX     = $(call left_out,the emulator of chapter 16,$(WANTED_CXX))
EMULATED   = -DEMULATED -I$(GPU) -I$(GPU)/emulator -Itests -I.
EMULATOR_OBJ := $(patsubst %.cpp,$(BUILD)/obj/%.o,$(filter-out $(EMULATOR)/contexts$(if $(WEB),,_page).cpp,\
  $(wildcard $(EMULATOR)/*.cpp)))
# read.cu measures a card's memories: there are none to measure here.
KERNELS_CU = $(filter-out $(GPU)/exercise_% $(GPU)/read.cu,$(wildcard $(GPU)/*.cu))
EMULATION := $(if $(HAVE_CXX),$(KERNELS_CU:$(GPU)/%.cu=$(BUILD)/emulated/%.o) $(EMULATOR_OBJ))
CXX_LIBS  := $(if $(HAVE_CXX),$(or $(call links,-lstdc++),-lc++))
CXXFLAGS  += -std=c++17 -g -O2 -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow $(WERROR)
CXX_CPP    = $(filter-out -D_POSIX_C_SOURCE=%,$(CPPFLAGS))

# A kernel's loads and stores stay those of its source: neither are two of them made one, nor many a vector.
# What the compiler has to say of the kernels it says to nvcc's users. DWARF 4: of 5 addr2line may take the first file,
# which is the .cpp, for the second.
HOOKED     = -gdwarf-4 -fsanitize=thread -fno-tree-vectorize -fno-tree-slp-vectorize \
             $(call flag,-fno-store-merging) -w $(call flag,-Wno-psabi)
EMULATE    = $(CXX_CPP) $(EMULATED) $(CXXFLAGS) $(HOOKED)
flag       = $(shell $(CXX) $(1) -x c++ -c /dev/null -o /dev/null 2>/dev/null && echo $(1))
emulated   = $(CXX) $(EMULATE) -include runtime.h -MMD -MP -c $< -o $@
.PRECIOUS: $(BUILD)/emulated/%.cpp
$(BUILD)/emulated/%.cpp: $(GPU)/%.cu $(EMULATOR)/cuda.sed
	@mkdir -p $(@D)
	@{ echo '#line 1 "$<"'; sed -E -f $(EMULATOR)/cuda.sed $<; } > $@
$(BUILD)/emulated/%.o: $(BUILD)/emulated/%.cpp $(BUILD)/generated/flags
	$(call say,emulate,$(GPU)/$*.cu)
	$(if $(V),,@)$(emulated)
$(BUILD)/obj/$(EMULATOR)/%.o: $(EMULATOR)/%.cpp $(BUILD)/generated/flags
	$(call say,c++,$<)
	$(if $(V),,@)$(CXX) $(CXX_CPP) $(CXXFLAGS) $(if $(DEBUG),,-O3 -g1) -MMD -MP -c $< -o $@
$(BUILD)/emulated/tiles_narrow.o $(BUILD)/emulated/tiles_open.o: $(BUILD)/emulated/tiles.cpp
$(BUILD)/emulated/mma_plain.o: $(BUILD)/emulated/mma.cpp
-include $(wildcard $(BUILD)/emulated/*.d)

# Who runs the kernels here: the chapter, the suites, and cuda-check with the harness that a card has, too.
HARNESS := $(if $(HAVE_CXX),$(patsubst %,$(BUILD)/emulated/%.o,card check))
$(HARNESS): $(BUILD)/emulated/%.o: $(GPU)/%.c $(BUILD)/generated/flags
	$(call compile,cc,$(EMULATED))
$(BUILD)/chapters/16_cuda: $(EMULATION)
$(BUILD)/chapters/16_cuda: LIBS += $(CXX_LIBS)
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(GPU)/main.c $(GPU)/steps_*.c)): \
  CPPFLAGS += $(if $(HAVE_CXX),-DHAVE_EMULATOR -DEMULATED)

# The suites have them, too, and small kernels of their own, of single instructions; EMULATED_TESTS is what all that is.
TEST_CU        := $(if $(HAVE_CXX),$(patsubst tests/cuda/%.cu,$(BUILD)/emulated/tests/%.o,$(wildcard tests/cuda/*.cu)))
EMULATED_TESTS := $(EMULATION) $(TEST_CU) $(if $(HAVE_CXX),$(BUILD)/emulated/card.o $(BUILD)/obj/tests/cuda/trial.o)
$(BUILD)/emulated/tests/%.cpp: tests/cuda/%.cu $(EMULATOR)/cuda.sed
	@mkdir -p $(@D)
	@{ echo '#line 1 "$<"'; sed -E -f $(EMULATOR)/cuda.sed $<; } > $@
$(BUILD)/emulated/tests/%.o: $(BUILD)/emulated/tests/%.cpp $(BUILD)/generated/flags
	$(call say,emulate,tests/cuda/$*.cu)
	$(if $(V),,@)$(emulated)
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/cuda/*.c)): CPPFLAGS += $(if $(HAVE_CXX),-DHAVE_EMULATOR -DEMULATED)
$(BUILD)/tests/suites: $(if $(filter tests/cuda/%,$(SUITES)),$(EMULATED_TESTS))
$(BUILD)/tests/suites: LIBS += $(CXX_LIBS)

#: make cuda-check      the kernels of chapter 16 on this CPU: every case of the card's check, any shapes, all orders:
#:                      ten minutes or so; CASES=200 any shapes in the place of 60, picked by SEED or else by the time
$(BUILD)/tests/cuda-check: LIBS = $(CXX_LIBS)
$(BUILD)/tests/cuda-check: $(call objects,tests/cuda/check.c) $(HARNESS) $(EMULATED_TESTS) $(LIB)
	$(link)
.PHONY: cuda-check
cuda-check: $(if $(HAVE_CXX),$(BUILD)/tests/cuda-check)
	@$(if $(HAVE_CXX),$< $(CASES),$(NO_CXX))
