# Which C files a program is linked from, found from #include lines, before anything is compiled.
#
#     grep -HE '^(#include "|int main|int LLVMFuzzer)' FILE … |
#         awk -v programs='attend=lib/judge/main.c …' -f link_closure.awk
#
# A program needs its own files, the headers that they include, the files that implement these headers, and so on.
# A header X.h is implemented by X.c and by X_part.c. A file of lib or viz whose name belongs to no header
# (lesson/tell.c) implements the headers of its own folder that it includes. Programs and chapters implement nothing.
# `programs` gives the files of each program itself, separated by commas. The output is one word PROGRAM=FILE for each
# C file.
function folder_of(file) { sub(/[^\/]*$/, "", file); return file }

{
    split($0, quoted, "\"")
    file = substr($0, 1, index($0, ":") - 1)
    if ($0 ~ /:int /) { has_main[file] = 1; next }
    places = split(folder_of(file) quoted[2] " lib/" quoted[2] " tests/" quoted[2] " " quoted[2], place, " ")
    for (p = 1; p <= places; p++) {
        includes[file] = includes[file] " " place[p]
        is_included[place[p]] = 1
    }
}

END {
    for (file in includes) {
        if (file !~ /\.c$/ || file ~ /^chapters\// || file in has_main) continue
        header = file ~ /^(lib|viz)\// ? includes[file] : ""
        stem = substr(file, 1, length(file) - 2)
        do if (stem ".h" in is_included) { header = stem ".h"; break } while (sub(/_[^_\/]*$/, "", stem))
        count = split(header, list, " ")
        for (i = 1; i <= count; i++)
            if (folder_of(list[i]) == folder_of(file)) implemented_by[list[i]] = implemented_by[list[i]] " " file
    }
    count = split(programs, program, " ")
    for (p = 1; p <= count; p++) {
        name = substr(program[p], 1, index(program[p], "=") - 1)
        last = split(substr(program[p], length(name) + 2), list, ",")
        split("", seen)
        for (i = 1; i <= last; i++) seen[list[i]] = 1
        for (i = 1; i <= last; i++) {
            if (list[i] ~ /\.c$/) print name "=" list[i]
            more = split(includes[list[i]] implemented_by[list[i]], needed, " ")
            for (j = 1; j <= more; j++) if (!(needed[j] in seen)) { seen[needed[j]] = 1; list[++last] = needed[j] }
        }
    }
}
