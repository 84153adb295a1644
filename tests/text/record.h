// What PyTorch printed for the blocks "The same in PyTorch", as data/reference/same_in_pytorch.py left it.
#ifndef TEXT_RECORD_H
#define TEXT_RECORD_H

#include "text/program.h"

// The code of this chapter's block, and what it printed. false: the record has no such chapter.
bool record_find(Lines record, const char *chapter, Lines *code, Lines *output);

#endif
