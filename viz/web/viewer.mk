# The viewer as WebAssembly: all of it but its window, with shell.c in that place. site.mk includes this.
ifdef WEB
EMPTY :=
SHELL_CALLS := $(shell sed -n 's/^[^/].*[ *]\(shell_[a-z_]*\)[^a-z_].*/_\1/p' viz/web/shell.h)
$(BUILD)/programs/viewer.js: $(patsubst %,$(BUILD)/obj/viz/web/%.o,shell system) \
  $(call objects,$(filter-out viz/main.c,$(wildcard viz/*.c))) $(LIB)
$(BUILD)/programs/viewer.js: WEB_LINK = -O1 -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=8MB -sENVIRONMENT=web \
  -sFORCE_FILESYSTEM=1 -sSTRICT=1 -sMODULARIZE=1 -sEXPORT_NAME=program --no-entry \
  -sINCOMING_MODULE_JS_API=instantiateWasm,print,printErr -sEXPORTED_RUNTIME_METHODS=FS,ccall,UTF8ToString \
  -sEXPORTED_FUNCTIONS=_malloc,_free,$(subst $(EMPTY) ,$(COMMA),$(SHELL_CALLS))
web-programs: $(BUILD)/programs/viewer.js
endif

SITE_RUNS += $(SITE)/viewer.js $(SITE)/programs/viewer.js
