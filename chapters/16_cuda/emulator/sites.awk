# A kernel as LLVM's text, for a page: before each call of the emulator it is written down which of the file's calls it
# is, twice its line; what a call asks for besides has the number in between.
/(\(| )ptr[ ,)]/ { pointer = "ptr" }                 # LLVM from 15 on; before, types of what is pointed to
/^@emulator_site/ { known = 1 }
/call .*@(__tsan_(unaligned_)?(read|write)|_Z[0-9]+emulator_)/ {
    print "  store i32 " 2 * NR ", " (pointer ? pointer : "i32*") " @emulator_site, align 4"
}
{ print }
END { if (!known) print "@emulator_site = external global i32, align 4" }
