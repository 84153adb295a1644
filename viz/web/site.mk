# The Makefile's part about the book in a browser. `make site` calls make once more, with the compiler of emscripten and
# a build folder of its own, $(BUILD)/wasm: there WEB is set, and every rule of the Makefile makes WebAssembly.
#
# The chapters are one program, which goes by its own name (programs.c): they share the library. What a chapter alone
# knows is made local to it first. The two whose ranks are threads are another, as fibers (fibers.c) need code that can
# be left and taken up again; all of the first would pay for that.
#
# SITE_HOLDS="06_multi_head …": a site whose pages run these chapters alone, which takes less to make. The others are
# there to be read, with their figures as PNG.
SITE := $(BUILD)/site
SITE_HOLDS ?= $(CHAPTERS)
$(BUILD)/generated/holds: FORCE
	$(call noted,$(SITE_HOLDS))

ifdef WEB
# ---------------------------------------------------------------------------------------------------------------------
RANKED_WEB := $(filter 23_% 24_%,$(SITE_HOLDS))
BOOK_WEB   := $(filter-out $(RANKED_WEB),$(SITE_HOLDS)) models attend

# one.o of a program: its main goes by the program's name, and all else that it defines is its own.
$(BUILD)/obj/chapters/%.o $(BUILD)/obj/data/models.o $(BUILD)/obj/lib/judge/main.o: CFLAGS += -emit-llvm
main_is = $(eval $(1): CPPFLAGS += -Dmain=program_$(2))
$(foreach c,$(CHAPTERS),$(call main_is,$(BUILD)/obj/chapters/$(c)/main.o,$(c)))
$(call main_is,$(BUILD)/obj/data/models.o,models)
$(call main_is,$(BUILD)/obj/lib/judge/main.o,attend)

$(foreach c,$(CHAPTERS),$(eval $(BUILD)/one/$(c).o: \
  $(call objects,$(wildcard chapters/$(c)/main.c chapters/$(c)/steps_*.c))))
$(BUILD)/one/models.o: $(call objects,data/models.c)
$(BUILD)/one/attend.o: $(call objects,lib/judge/main.c)
$(BUILD)/one/%.o:
	$(call say,one,$*)
	@$(LLVM)link$(LLVM_IS) $^ -o $@.bc && \
	  $(LLVM:llvm-=opt)$(LLVM_IS) --internalize --internalize-public-api-list=program_$* $@.bc -o $@.bc && \
	  $(firstword $(CC)) $(filter -target wasm32%,$(CC)) -O2 -x ir -c $@.bc -o $@ && rm $@.bc

# The table of a program's programs, for programs.c.
$(BUILD)/obj/viz/web/book.o:  WHICH = $(BOOK_WEB)
$(BUILD)/obj/viz/web/ranks.o: WHICH = $(RANKED_WEB)
$(BUILD)/obj/viz/web/book.o $(BUILD)/obj/viz/web/ranks.o: viz/web/programs.c viz/web/site.mk \
    $(BUILD)/generated/flags $(BUILD)/generated/holds
	$(call say,cc,$<)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -DPROGRAMS='$(foreach p,$(WHICH),PROGRAM($p))' -c $< -o $@

# Kernels of chapter 16: hooks of loads and stores are asked of the compiler's inner part, since its outer one refuses
# them for WebAssembly. There no function can tell what has called it: before each call of the emulator it is written
# down which of the file's calls it is (sites.awk). As with gcc every read has its hook, and no loop is unrolled.
HOOKED = -Xclang -fsanitize=thread -mllvm -tsan-instrument-func-entry-exit=0 \
  -mllvm -tsan-instrument-read-before-write=1 -fno-vectorize -fno-slp-vectorize \
  -mllvm -pragma-unroll-threshold=0 -fno-unroll-loops -w
emulated = $(CXX) $(EMULATE) -include runtime.h -MMD -MP -S -emit-llvm $< -o $(@:.o=.ll) && \
  awk -f $(EMULATOR)/sites.awk $(@:.o=.ll) >$(@:.o=.sites.ll) && \
  $(firstword $(CXX)) $(filter -target wasm32%,$(CXX)) -O2 -Xclang -disable-llvm-passes -c $(@:.o=.sites.ll) -o $@
$(KERNELS_CU:$(GPU)/%.cu=$(BUILD)/emulated/%.o): $(EMULATOR)/sites.awk

# Eight MiB of stack, as a program has elsewhere; memory grows as it is asked for.
WEB_LINK = -O1 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=32MB -sTOTAL_STACK=8MB -sEXIT_RUNTIME=1 \
  -sENVIRONMENT=worker -sFORCE_FILESYSTEM=1 -sINVOKE_RUN=0 -sEXPORTED_RUNTIME_METHODS=FS,callMain -sSTRICT=1 \
  -sMODULARIZE=1 -sEXPORT_NAME=program \
  -sINCOMING_MODULE_JS_API=instantiateWasm,thisProgram,preRun,onExit,onAbort,noInitialRun,print,printErr
web_objects = $(1:%=$(BUILD)/obj/viz/web/%.o) $(2:%=$(BUILD)/one/%.o) $(LIB)
KERNELS_WEB := $(if $(filter 16_%,$(SITE_HOLDS)),$(EMULATION))
$(BUILD)/programs/book.js: $(call web_objects,book system,$(BOOK_WEB)) $(KERNELS_WEB)
$(BUILD)/programs/book.js: EMCC := $(if $(KERNELS_WEB),em++,$(EMCC))
$(BUILD)/programs/ranks.js: $(call web_objects,ranks system fibers,$(RANKED_WEB))
$(BUILD)/obj/lib/ranks/rank_threads.o $(BUILD)/obj/viz/web/fibers.o: CPPFLAGS += -DWEB_FIBERS
$(BUILD)/programs/ranks.js: WEB_LINK += -sASYNCIFY=1
$(BUILD)/programs/%.js:
	$(call say,link,$(@:.js=.wasm))
	@$(EMCC) $(WEB_LINK) $(filter %.o %.a,$^) -o $@
	@$(if $(findstring ASYNCIFY,$(WEB_LINK)),wasm-opt -O1 --enable-simd $(@:.js=.wasm) -o $(@:.js=.wasm))

.PHONY: web-programs
web-programs: $(BUILD)/programs/book.js $(if $(RANKED_WEB),$(BUILD)/programs/ranks.js)

# What fibers.c and system.c say of themselves, in Node.
$(BUILD)/obj/tests/web/threads.o: CPPFLAGS += -DWEB_FIBERS
$(BUILD)/tests/threads.js: WEB_LINK = -O1 -sTOTAL_STACK=8MB -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1 -sASYNCIFY=1 \
  -sENVIRONMENT=node -sSTRICT=1
$(BUILD)/tests/threads.js: $(call objects,tests/web/threads.c viz/web/fibers.c viz/web/system.c) $(LIB)
	$(call say,link,$(@:.js=.wasm))
	@$(EMCC) $(WEB_LINK) $(filter %.o %.a,$^) -o $@
.PHONY: web-tests
web-tests: $(BUILD)/tests/threads.js
endif

ifndef WEB
# ---------------------------------------------------------------------------------------------------------------------
# Emscripten's own compiler and flags, without its script around them, which takes longer than most of our files do.
em_config  = $(shell em-config $(1) 2>/dev/null | grep -vx None)
LLVM_IS    = $(addprefix -,$(call em_config,LLVM_ADD_VERSION))
LLVM       = $(call em_config,LLVM_ROOT)/llvm-
WEB_CC     = $(call em_config,LLVM_ROOT)/clang$(addprefix -,$(call em_config,CLANG_ADD_VERSION)) $(shell emcc --cflags)
WEB_MAKE   = env CC='$(WEB_CC) -I$(BUILD)/wasm/include' CFLAGS='-msimd128' CPPFLAGS='-include viz/web/web.h -I.' \
  CXX='$(WEB_CC) -msimd128 -fno-exceptions -fno-rtti' AR='$(LLVM)ar$(LLVM_IS)' WEB=yes EMCC=emcc LLVM='$(LLVM)' \
  LLVM_IS='$(LLVM_IS)' MPI=no SHAPING=no SANITIZE= DEBUG= $(MAKE) BUILD=$(BUILD)/wasm

STB_IS_IN  = $(patsubst %/stb_truetype.h,%,$(filter %/stb_truetype.h,$(shell \
               printf '$(HASH)include <stb/stb_truetype.h>' | $(CC) -M -x c - 2>/dev/null)))
FONT_IS_IN = $(firstword $(dir $(shell find /usr/share/fonts /usr/local/share/fonts $(HOME)/Library/Fonts \
               -name DejaVuSans.ttf 2>/dev/null)))

# What the site takes and this machine lacks: asked when it is made, and by nothing else.
needs      = $(if $(shell command -v $(1)),,$(or $(2),$(1)))
WEB_LACKS  = $(strip $(call needs,emcc,emscripten) $(call needs,cmark-gfm) $(call needs,highlight) \
               $(if $(HAVE_STB),,libstb-dev) $(if $(FONT_IS_IN),,fonts-dejavu-core))
.PHONY: site web-programs web-tests web-lacks
web-lacks:
	@$(if $(WEB_LACKS),echo "make site: install $(WEB_LACKS) (the names are Debian's)" >&2; exit 1,:)

web-programs web-tests: web-lacks
	@mkdir -p $(BUILD)/wasm/include && ln -sfn $(STB_IS_IN) $(BUILD)/wasm/include/stb
	@+$(WEB_MAKE) $@

# What a page loads: the gzip of a file as letters, which its script (run.js) unpacks. READS: programs that read
# data/models.
packed = gzip -9 -n -c $(1) | $(NODE) viz/web/letters.mjs
READS  = models $(sort $(notdir $(patsubst %/,%,$(dir \
           $(shell grep -lE 'train/bundled|lesson/export_hf' chapters/*/*.[ch])))))
$(SITE)/programs/%.js: web-programs
	$(call say,pack,$@)
	@{ printf 'book.programs["$*"] = { reads: "$(READS)".split(" "), glue: "'; \
	   $(call packed,$(BUILD)/wasm/programs/$*.js); \
	   printf '", wasm: "'; $(call packed,$(BUILD)/wasm/programs/$*.wasm); printf '" };\n'; } > $@

# Of many files: what each is called in the page and how long it is, and the bytes of all. $(3): their folder there.
pack_files = { printf 'book.files["$(1)"] = { list: [\n'; \
    for f in $(2); do \
      printf '["%s", %d],\n' "$(if $(3),$(strip $(3))/$${f$(HASH)$(HASH)*/},$$f)" $$(wc -c <$$f); done; \
    printf '], bytes: "'; cat $(2) | $(call packed,-); printf '" };\n'; } > $@
$(SITE)/programs/data.js $(SITE)/programs/fonts.js: viz/web/letters.mjs viz/web/site.mk
$(SITE)/programs/data.js: $(wildcard data/models/*.safetensors data/models/*.tsv)
	$(call say,pack,$@)
	@$(call pack_files,data,$(filter data/%,$^))
# The fonts of figures, whole, or, where there is what cuts them, these ranges of them: Latin, Greek, Cyrillic, signs,
# arrows, mathematics, boxes.
FONTS    := DejaVuSans.ttf DejaVuSans-Bold.ttf DejaVuSansMono.ttf
LETTERED := 0020-024F,0300-045F,1E00-209F,20A0-20BF,2100-23FF,2500-27BF,FB00-FB06,FFFD
$(SITE)/programs/fonts.js: web-lacks
	$(call say,pack,$@)
	@mkdir -p $(BUILD)/wasm/fonts && for f in $(FONTS); do \
	    if command -v hb-subset >/dev/null; then \
	        hb-subset $(FONT_IS_IN)$$f --unicodes=$(LETTERED) --output-file=$(BUILD)/wasm/fonts/$$f || exit; \
	    else cp $(FONT_IS_IN)$$f $(BUILD)/wasm/fonts/$$f; fi; done
	@$(call pack_files,fonts,$(FONTS:%=$(BUILD)/wasm/fonts/%),/usr/share/fonts/truetype/dejavu)
$(SITE)/%.js: viz/web/%.js
	$(call say,copy,$@)
	@cp $< $@

SITE_RUNS += $(SITE)/run.js $(patsubst %,$(SITE)/programs/%.js,book $(if $(filter 23_% 24_%,$(SITE_HOLDS)),ranks) \
  data fonts)
endif

# The pages, and the viewer in one of them: more rules for both.
-include $(wildcard viz/web/pages.mk viz/web/viewer.mk)

ifndef WEB
#: make site            the book for a browser, in build/site: text, programs and the viewer; wants emscripten
site: $(SITE_RUNS) $(if $(wildcard viz/web/pages.mk),site-pages)
	@echo "$(SITE)/index.html: $$(du -sk $(SITE) | cut -f1) KiB in all"

# What chapter 16 prints without its emulator, as in a browser that cannot run its kernels.
WITHOUT_KERNELS := $(patsubst chapters/16_cuda/%.c,$(BUILD)/without/%.o,$(wildcard $(addprefix chapters/16_cuda/,\
  main.c steps_*.c)))
$(WITHOUT_KERNELS): CPPFLAGS += -D__EMSCRIPTEN__
$(WITHOUT_KERNELS): $(BUILD)/without/%.o: chapters/16_cuda/%.c $(BUILD)/generated/flags \
    $(patsubst %,$(BUILD)/generated/bench/%.inc,gpu_code gpu gpu_counters gpu_memory)
	$(call compile,cc)
$(BUILD)/without/16_cuda: $(WITHOUT_KERNELS) $(LIB)
	$(link)

#: make site-check      the book in a browser, tried in Chromium; SITE_HOLDS="06_multi_head …": a site that runs these
#:                      chapters alone, SITE_CHAPTERS="…": of the site's, these alone are run; SOME=2 of its sources
CHECK_LACKS = $(strip $(if $(CHROMIUM),,chromium) $(call needs,pdftotext,poppler-utils) $(call needs,qpdf))
.PHONY: site-check
site-check: site web-tests $(BUILD)/without/16_cuda $(PROGRAMS) $(BUILD)/viewer
	@$(if $(CHECK_LACKS),echo "make site-check: install $(CHECK_LACKS) (the names are Debian's)" >&2; exit 1)
	@$(NODE) --no-experimental-fetch $(BUILD)/wasm/tests/threads.js
	@$(NODE) tests/site/check.js $(SITE) $(BUILD) $(or $(SITE_CHAPTERS),$(SITE_HOLDS))
endif
