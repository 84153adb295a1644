# The Makefile's part about the kernels of chapter 16: for these architectures, and as PTX for later ones. A spilled
# register in the last rungs, or a warning, is an error. GPU_ARCHS="80 90" and the like choose others; mma and decode
# need 80 at least.
GPU       := chapters/16_cuda
GPU_ARCHS ?= 75 80 90
CUDA       = $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
GPU_OBJ   := $(patsubst %,$(BUILD)/cuda/%.o,first naive tiles online mma decode hopper read)
GPU_C     := $(call objects,$(patsubst %,$(GPU)/%.c,card check watch memory bench gpu))
gencode    = -gencode arch=compute_$(1),code=$(2)_$(1)
gencodes   = $(foreach a,$(1),$(call gencode,$(a),sm)) $(call gencode,$(lastword $(1)),compute)

$(BUILD)/cuda/hopper.o: FOR = 90a
$(BUILD)/cuda/mma.o $(BUILD)/cuda/decode.o: FOR = $(filter-out 75,$(GPU_ARCHS))
$(BUILD)/cuda/%.o: FOR = $(GPU_ARCHS)
$(BUILD)/cuda/%.o: $(GPU)/%.cu $(wildcard $(GPU)/*.h) chapters/16_cuda/gpu_schedule.h lib/base/half.h $(GPU)/ptxas.sh
	$(call say,nvcc,$<)
	@$(NVCC) -std=c++17 -O3 -Ilib $(call gencodes,$(FOR)) -Xcompiler -Wall -Xptxas -v -c $< -o $@ >$(@:.o=.ptxas) 2>&1 || \
	  { cat $(@:.o=.ptxas); exit 1; }
	@sh $(GPU)/ptxas.sh $(@:.o=.ptxas)
$(GPU_C): CPPFLAGS += -isystem $(CUDA)/include -DGPU_FOLDER='"$(CURDIR)/$(GPU)"'
$(BUILD)/chapters/16_cuda_gpu: LIBS = -L$(CUDA)/lib64 -lcudart_static -lstdc++ -ldl -lrt
$(BUILD)/chapters/16_cuda_gpu: $(GPU_OBJ) $(GPU_C) $(LIB)
	$(link)

#: make cuda            the kernels of chapter 16, where nvcc is; build/chapters/16_cuda --check, --bench run them
cuda: $(BUILD)/chapters/16_cuda $(if $(NVCC),$(BUILD)/chapters/16_cuda_gpu)
	@$(if $(NVCC),:,$(NO_NVCC))

#: make cuda-code       registers, spills and instructions of these kernels, held against data/bench/gpu_code.tsv
.PHONY: cuda-code
cuda-code:
	@$(if $(NVCC),sh $(GPU)/code.sh $(NVCC) $(BUILD)/cuda/code data/bench/gpu_code.tsv $(KEEP),$(NO_NVCC))
