# The pages of the site: figures by the native programs, for paper and for the dark; text by cmark-gfm and highlight;
# book.pdf by chromium, where it is. site.mk includes this, and calls for site-pages.
ifndef WEB
SITE_WORK := $(BUILD)/site-made
NODE      ?= node
RUN_IN_PAGES := $(SITE_HOLDS) models attend
PAGE_MAKERS  := $(addprefix viz/web/,pages.mjs letters.mjs book.css page.js) lib/figure/color.c
PAGE_TEXT := $(READMES) $(wildcard data/*/README.md tests/fuzz/README.md chapters/*/exercise_* lib/*/*.[ch] viz/*.[ch] \
  chapters/*/*.[ch] chapters/*/*.cu)

# ---- figures: every program draws its own twice
SITE_DRAWN := $(SITE_HOLDS) models $(if $(HAVE_SDL),viewer)
in_dark     = $(if $(findstring /dark/,$@),$(1))
define draws
$(SITE_WORK)/light/$(1).done $(SITE_WORK)/dark/$(1).done: $(2)
	$$(call say,draw,$$(@:.done=))
	@mkdir -p $$(@:.done=) && $$< --figures $$(@:.done=) --format svg $$(call in_dark,--dark) >/dev/null && touch $$@
endef
$(foreach c,$(CHAPTERS),$(eval $(call draws,$(c),$(BUILD)/chapters/$(c))))
$(eval $(call draws,models,$(BUILD)/pages/models))
$(SITE_WORK)/light/viewer.done $(SITE_WORK)/dark/viewer.done: tests/viz/tour.sh $(BUILD)/viewer $(PROGRAMS)
	$(call say,draw,$(@:.done=))
	@VIEWER=$(BUILD)/viewer CHAPTERS=$(BUILD)/chapters FORMAT=svg DARK=$(call in_dark,yes) \
	  sh $< --figures $(@:.done=) && touch $@
$(SITE_WORK)/figures.done: viz/web/figures.mjs $(BUILD)/generated/holds \
    $(foreach s,light dark,$(SITE_DRAWN:%=$(SITE_WORK)/$(s)/%.done))
	$(call say,figures,$(SITE_WORK)/both)
	@rm -rf $(SITE_WORK)/both $(SITE_WORK)/figures
	@$(NODE) $< $(SITE_WORK)/light $(SITE_WORK)/dark $(SITE_WORK)/both $(SITE_DRAWN)
	@$(NODE) $< $(SITE_WORK)/light $(SITE_WORK)/light $(SITE_WORK)/figures $(SITE_DRAWN) && touch $@

# ---- the book's letters, cut down to those that it has, where there is what cuts them; else the system's
FONT_SERIF := $(firstword $(wildcard /usr/share/fonts/truetype/gentiumplus /usr/share/fonts/*/gentiumplus))
FONT_MONO  := $(firstword $(wildcard /usr/share/fonts/truetype/dejavu /usr/share/fonts/*/dejavu))
CAN_CUT     = $(and $(FONT_SERIF),$(FONT_MONO),$(shell command -v hb-subset),$(shell command -v woff2_compress))
NO_LETTERS  = $(call left_out,letters of the pages' own,hb-subset$(COMMA) woff2_compress or Gentium Plus)
$(SITE_WORK)/fonts.css: viz/web/fonts.sh $(READMES)
	$(call say,fonts,$@)
	@$(if $(CAN_CUT),sh $< $(FONT_SERIF) $(FONT_MONO) $(@D),:) > $@

# ---- the pages, and the book that is printed of them
$(SITE_WORK)/pages.done: $(PAGE_MAKERS) $(SITE_WORK)/figures.done $(SITE_WORK)/fonts.css $(PAGE_TEXT) | web-lacks
	$(call say,pages,$(SITE))
	@rm -rf $(SITE)/source $(SITE)/figures && mkdir -p $(SITE)
	@$(if $(CHROMIUM),PDF=yes) $(NODE) $< $(SITE) $(SITE_WORK) $(RUN_IN_PAGES) && touch $@
CHROMIUM = $(firstword $(shell command -v chromium chromium-browser google-chrome 2>/dev/null))
$(SITE)/book.pdf: viz/web/print.mjs $(SITE_WORK)/pages.done
	$(call say,print,$@)
	@$(NODE) $< $(CHROMIUM) $(SITE_WORK) $@

.PHONY: site-pages
site-pages: $(SITE_WORK)/pages.done $(if $(CHROMIUM),$(SITE)/book.pdf)
	@$(if $(CAN_CUT),:,$(NO_LETTERS))
	@$(if $(CHROMIUM),:,$(call left_out,book.pdf,chromium))
endif
