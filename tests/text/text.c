// Holds the text to the program: `text [--update] [--chapters DIR] [--runs DIR] README.md …`
//
// In a README, a fenced block whose info string names its source is filled from it:
//
//     ```c lib/attention/softmax.c softmax logsumexp      the definitions, with the comments above them
//     ```text 02_softmax step 3                           what DIR/02_softmax prints in step 3
//     ```text 02_softmax step 3-4 --seed 7                two steps of a run with these flags
//     ```text pytorch 02_softmax                          what PyTorch printed for this chapter's block of Python
//
// A block ```python 02_softmax is held to the record of what was run (data/reference/same_in_pytorch.txt).
//
// In a chapter's folder there may be further pages beside README.md and ANSWERS.md: such a page and the README link to
// each other, and the figures of the folder are shown in one of them.
//
// With --update the blocks are written anew. Without it every difference is reported, and more is looked at: links and
// figures exist; in a chapter, its pages and answers, every decimal number and every large number of a sentence or of
// PyTorch occurs in what its program prints; the length is a chapter's or a page's, and no line of output is wider than
// 80 columns.
//
// --runs DIR: what a program prints without flags is in DIR/NAME.txt, where that file exists.
#include "io/file.h"
#include "text/program.h"
#include "text/prose.h"
#include "text/record.h"
#include "text/source.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_LEAST = 500, WORDS_FEW = 800, WORDS_MANY = 1800, WORDS_MOST = 2200, WIDEST = 80, MOST_RUNS = 512 };
enum { PAGE_LEAST = 300, PAGE_MOST = 1200 }; // words of a further page

typedef struct {
    const char *command;
    Lines lines; // none when the run failed
    bool used;   // by the README at hand
} Run;

typedef struct {
    Arena *arena;
    const char *chapters, *kept; // folders of the programs and of kept output; kept may be NULL
    bool update;
    int problems;
    Run runs[MOST_RUNS];
    int runs_count;
} Book;

typedef struct {
    const char *path, *folder, *name; // chapters/02_softmax/README.md, chapters/02_softmax, 02_softmax
    char *text;
    bool chapter, answers, page; // in a chapter's folder; its ANSWERS.md; a further page of it
} Readme;

typedef struct {
    const char *path;
    int line;
} Place;

static void complain(Book *book, Place at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void complain(Book *book, Place at, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    printf("%s:%d: ", at.path, at.line);
    vprintf(format, words);
    putchar('\n');
    va_end(words);
    book->problems++;
}

// ---- running a chapter

static int columns(const char *line)
{
    int count = 0;
    for (; *line; line++) count += ((unsigned char)*line & 0xc0) != 0x80;
    return count;
}

static void check_widths(Book *book, const Run *run, Place at)
{
    for (int i = 0; i < run->lines.count; i++) {
        int wide = columns(run->lines.at[i]);
        if (wide > WIDEST)
            complain(book, at, "line %d of what `%s` prints is %d columns wide, more than %d: %s", i + 1, run->command,
                     wide, WIDEST, run->lines.at[i]);
    }
}

// The run of a program with these flags: made once, then remembered. A failed one is complained about once.
static Run *run_of(Book *book, const char *program, const char *flags, Place at)
{
    const char *command =
        arena_format(book->arena, "%s/%s --color never%s%s", book->chapters, program, *flags ? " " : "", flags);
    for (int i = 0; i < book->runs_count; i++)
        if (!strcmp(book->runs[i].command, command)) {
            book->runs[i].used = true;
            return &book->runs[i];
        }
    REQUIRE(book->runs_count < MOST_RUNS, "more than %d different runs", MOST_RUNS);
    Run *run = &book->runs[book->runs_count++];
    *run = (Run){ command, { NULL, 0 }, true };
    if (!path_exists(arena_format(book->arena, "%s/%s", book->chapters, program))) {
        complain(book, at, "there is no program %s/%s", book->chapters, program);
        return run;
    }
    const char *kept = arena_format(book->arena, "%s/%s.txt", book->kept ? book->kept : "", program);
    if (book->kept && !*flags && path_exists(kept)) command = arena_format(book->arena, "cat '%s'", kept);
    fflush(stdout);
    Output output = program_run(book->arena, command);
    if (output.status) complain(book, at, "`%s` ended with %d; it must end with 0", command, output.status);
    else run->lines = lines_of(book->arena, output.text);
    check_widths(book, run, at);
    return run;
}

// ---- what a block should hold

// The next word of a line, which is moved behind it; empty at the end.
static const char *word_next(Arena *arena, const char **line)
{
    *line += strspn(*line, " \t");
    size_t length = strcspn(*line, " \t");
    const char *word = arena_format(arena, "%.*s", (int)length, *line);
    *line += length;
    return word;
}

static void add_lines(Arena *arena, Lines *to, Lines from, int first, int last)
{
    const char **at = arena_alloc(arena, (size_t)(to->count + last - first + 1) * sizeof *at);
    for (int i = 0; i < to->count; i++) at[i] = to->at[i];
    for (int i = first; i <= last; i++) at[to->count++] = from.at[i];
    to->at = at;
}

static bool code_wanted(Book *book, Place at, const char *path, const char *names, Lines *want)
{
    static const char *nothing[] = { "" };
    Error error;
    FileBytes file;
    if (!file_read(&file, book->arena, path, &error)) {
        complain(book, at, "%s", error.text);
        return false;
    }
    Lines source = lines_of(book->arena, (const char *)file.at);
    for (const char *name; *(name = word_next(book->arena, &names));) {
        int first, last;
        if (!definition_find(source, name, &first, &last)) {
            complain(book, at, "%s defines no %s", path, name);
            return false;
        }
        if (want->count) add_lines(book->arena, want, (Lines){ nothing, 1 }, 0, 0);
        add_lines(book->arena, want, source, first, last);
    }
    if (!want->count) complain(book, at, "name the function to show: ```c %s NAME", path);
    return want->count > 0;
}

// The number of the step whose heading this line is ("3.  Temperature"), or 0. All else that a step prints is indented.
static int heading(const char *line)
{
    int number = 0, length = 0;
    return sscanf(line, "%d%n", &number, &length) == 1 && isdigit((unsigned char)*line) &&
                   !strncmp(line + length, ".  ", 3)
               ? number
               : 0;
}

static bool output_wanted(Book *book, Place at, const char *program, const char *rest, Lines *want)
{
    int from, to, length = 0;
    if (strcmp(word_next(book->arena, &rest), "step") != 0 || sscanf(rest, "%d%n", &from, &length) != 1 || from < 1) {
        complain(book, at, "say which step is meant: ```text %s step 3", program);
        return false;
    }
    rest += length;
    to = from;
    if (*rest == '-' && sscanf(rest, "-%d%n", &to, &length) == 1) rest += length;
    rest += strspn(rest, " \t");

    Run *run = run_of(book, program, rest, at);
    if (!run->lines.count) return false;
    int first = -1, last = -1;
    for (int i = 0, step = 0; i < run->lines.count; i++) {
        const char *line = run->lines.at[i];
        if (*line && *line != ' ') step = heading(line);
        if (step < from || step > to || !*line) continue;
        if (first < 0) first = i;
        last = i;
    }
    if (first < 0) complain(book, at, "`%s` prints no step %d", run->command, from);
    else add_lines(book->arena, want, run->lines, first, last);
    return first >= 0;
}

// ---- what PyTorch was given and what it printed

#define RECORD "data/reference/same_in_pytorch"

static bool recorded(Book *book, Place at, const char *chapter, Lines *code, Lines *output)
{
    Error error;
    FileBytes file;
    if (!file_read(&file, book->arena, RECORD ".txt", &error)) complain(book, at, "%s", error.text);
    else if (record_find(lines_of(book->arena, (const char *)file.at), chapter, code, output)) return true;
    else complain(book, at, "the block of %s was never run (python3 " RECORD ".py runs all)", chapter);
    return false;
}

static void check_code(Book *book, Place at, const char *chapter, Lines lines)
{
    Lines code, output;
    if (!recorded(book, at, chapter, &code, &output)) return;
    for (int i = 0; i < code.count || i < lines.count; i++) {
        if (i < code.count && i < lines.count && !strcmp(code.at[i], lines.at[i])) continue;
        at.line += i + 1;
        complain(book, at, "this is not what was run (python3 " RECORD ".py runs it)");
        return;
    }
}

static bool printed(const Book *book, const Number *wanted);

// The numbers are the same: what PyTorch printed, the chapter prints.
static bool same_wanted(Book *book, Place at, const char *chapter, Lines *want)
{
    Lines code, output;
    Number number;
    if (!recorded(book, at, chapter, &code, &output)) return false;
    add_lines(book->arena, want, output, 0, output.count - 1);
    run_of(book, chapter, "", at);
    for (int i = 0; i < output.count && !book->update; i++)
        for (const char *from = output.at[i]; number_next(output.at[i], from, &number);
             from = number.at + number.length)
            if (number_counts(output.at[i], &number) && !printed(book, &number))
                complain(book, (Place){ at.path, at.line + i + 1 }, "PyTorch printed %.*s, and %s does not",
                         (int)number.length, number.at, chapter);
    return want->count > 0;
}

typedef enum { LEFT_ALONE, FILLED, UNKNOWN } Kind;

// What stands behind the backticks decides: c and a path, text and a program, or anything else.
static Kind block_wanted(Book *book, Place at, const char *info, Lines *want, const char **source)
{
    const char *language = word_next(book->arena, &info);
    *source = word_next(book->arena, &info);
    *want = (Lines){ NULL, 0 };
    if (!**source) return LEFT_ALONE;
    if (!strcmp(language, "c")) return code_wanted(book, at, *source, info, want) ? FILLED : UNKNOWN;
    if (!strcmp(language, "text") && !strcmp(*source, "pytorch"))
        return same_wanted(book, at, word_next(book->arena, &info), want) ? FILLED : UNKNOWN;
    if (!strcmp(language, "text")) return output_wanted(book, at, *source, info, want) ? FILLED : UNKNOWN;
    return LEFT_ALONE;
}

// ---- the blocks of a README

static const char *line_or_end(Lines lines, int i, int end) { return i < end ? lines.at[i] : "(nothing more)"; }

// Reports the first line of the block (lines first … end − 1) that is not as wanted.
static void compare(Book *book, const Readme *readme, Lines lines, int first, int end, Lines want, const char *source)
{
    for (int i = 0; i < want.count || first + i < end; i++) {
        if (i < want.count && first + i < end && !strcmp(lines.at[first + i], want.at[i])) continue;
        complain(book, (Place){ readme->path, first + i + 1 },
                 "the text has drifted from %s (make text refreshes it)\n"
                 "    expected: %s\n    found:    %s",
                 source, line_or_end(want, i, want.count), line_or_end(lines, first + i, end));
        return;
    }
}

static int block_end(Lines lines, int opened)
{
    int ticks = fence_ticks(lines.at[opened]);
    for (int i = opened + 1; i < lines.count; i++) {
        const char *line = lines.at[i] + strspn(lines.at[i], " ");
        size_t run = strspn(line, "`");
        if ((int)run >= ticks && !line[run + strspn(line + run, " \t\r")]) return i;
    }
    return -1;
}

// Walks through the blocks. `filled` becomes the README as it should be.
static void blocks(Book *book, const Readme *readme, Lines *filled)
{
    Lines lines = lines_of(book->arena, readme->text);
    int done = 0; // lines that are in `filled` already
    for (int i = 0; i < lines.count; i++) {
        int ticks = fence_ticks(lines.at[i]), end;
        if (!ticks) continue;
        Place at = { readme->path, i + 1 };
        if ((end = block_end(lines, i)) < 0) {
            complain(book, at, "this block is never closed");
            break;
        }
        const char *info = lines.at[i] + strspn(lines.at[i], " ") + ticks, *source;
        Lines want;
        if (!strncmp(info, "python ", 7) && !book->update)
            check_code(book, at, info + 7, (Lines){ lines.at + i + 1, end - i - 1 });
        if (block_wanted(book, at, info, &want, &source) == FILLED) {
            if (!book->update) compare(book, readme, lines, i + 1, end, want, source);
            add_lines(book->arena, filled, lines, done, i);
            add_lines(book->arena, filled, want, 0, want.count - 1);
            done = end;
        }
        i = end;
    }
    add_lines(book->arena, filled, lines, done, lines.count - 1);
}

static void write_filled(Book *book, const Readme *readme, Lines filled)
{
    size_t size = 0, at = 0;
    for (int i = 0; i < filled.count; i++) size += strlen(filled.at[i]) + 1;
    char *text = arena_alloc(book->arena, size + 1);
    for (int i = 0; i < filled.count; i++) at += (size_t)sprintf(text + at, "%s\n", filled.at[i]);

    Error error;
    if (!strcmp(text, readme->text)) return;
    if (!file_write(readme->path, text, size, &error)) complain(book, (Place){ readme->path, 1 }, "%s", error.text);
    else printf("%s: refreshed\n", readme->path);
}

// ---- links, numbers, length

static bool outside(const char *target)
{
    return !strncmp(target, "http:", 5) || !strncmp(target, "https:", 6) || !strncmp(target, "mailto:", 7);
}

static void check_links(Book *book, const Readme *readme)
{
    size_t length;
    for (const char *at = readme->text, *link; (link = link_next(at, &length)); at = link + length) {
        const char *target = arena_format(book->arena, "%.*s", (int)strcspn(link, "#"), link);
        if (strlen(target) > length) target = arena_format(book->arena, "%.*s", (int)length, link);
        if (!*target || outside(target)) continue;
        if (!path_exists(arena_format(book->arena, "%s/%s", readme->folder, target)))
            complain(book, (Place){ readme->path, line_at(readme->text, link) }, "the link leads nowhere: %s", target);
    }
}

static bool links_to(const char *text, const char *target)
{
    size_t length;
    for (const char *link; (link = link_next(text, &length)); text = link + length)
        if (length == strlen(target) && !strncmp(link, target, length)) return true;
    return false;
}

static bool is_page(const char *file) { return strcmp(file, "README.md") != 0 && strcmp(file, "ANSWERS.md") != 0; }

// Do the further pages of a chapter, one of them, link to the target?
static bool pages_link_to(Book *book, const Readme *readme, Lines files, const char *target)
{
    for (int i = 0; i < files.count; i++) {
        FileBytes file;
        if (!is_page(files.at[i])) continue;
        if (!file_read(&file, book->arena, arena_format(book->arena, "%s/%s", readme->folder, files.at[i]), NULL))
            continue;
        if (links_to((const char *)file.at, target)) return true;
    }
    return false;
}

// A chapter's figures are shown, and its further pages can be found.
static void check_shown(Book *book, const Readme *readme)
{
    Lines figures = lines_named(book->arena, arena_format(book->arena, "%s/figures", readme->folder), ".png");
    Lines files = lines_named(book->arena, readme->folder, ".md");
    for (int i = 0; i < figures.count; i++) {
        const char *target = arena_format(book->arena, "figures/%s", figures.at[i]);
        if (!links_to(readme->text, target) && !pages_link_to(book, readme, files, target))
            complain(book, (Place){ readme->path, 1 }, "%s/%s is shown nowhere in the text", readme->folder, target);
    }
    for (int i = 0; i < files.count; i++)
        if (is_page(files.at[i]) && !links_to(readme->text, files.at[i]))
            complain(book, (Place){ readme->path, 1 }, "no link leads to the page %s/%s", readme->folder, files.at[i]);
}

static bool exponent(const char *at) { return (*at == 'e' || *at == 'E') && (at[1] == '-' || at[1] == '+'); }

static bool printed_in(const char *line, const Number *wanted)
{
    Number number;
    for (const char *at = line; number_next(line, at, &number); at = number.at + number.length)
        if (!strcmp(number.digits, wanted->digits) && !exponent(number.at + number.length)) return true;
    return false;
}

// Does one of the runs that belong to this README print the number?
static bool printed(const Book *book, const Number *wanted)
{
    for (int r = 0; r < book->runs_count; r++) {
        const Run *run = &book->runs[r];
        if (!run->used) continue;
        for (int i = 0; i < run->lines.count; i++)
            if (printed_in(run->lines.at[i], wanted)) return true;
    }
    return false;
}

static void check_numbers(Book *book, const Readme *readme)
{
    Number number;
    for (const char *at = readme->text; number_next(readme->text, at, &number); at = number.at + number.length)
        if (number_counts(readme->text, &number) && !printed(book, &number))
            complain(book, (Place){ readme->path, line_at(readme->text, number.at) },
                     "%.*s stands in a sentence, but %s does not print it", (int)number.length, number.at,
                     readme->name);
}

static void check_length(Book *book, const Readme *readme)
{
    int words = words_in(readme->text);
    if (readme->page && (words < PAGE_LEAST || words > PAGE_MOST))
        complain(book, (Place){ readme->path, 1 }, "%d words; a further page of a chapter has %d to %d", words,
                 PAGE_LEAST, PAGE_MOST);
    if (readme->page) return;
    if (words < WORDS_LEAST || words > WORDS_MOST)
        complain(book, (Place){ readme->path, 1 }, "%d words; a chapter has %d to %d", words, WORDS_LEAST, WORDS_MOST);
    else if (words < WORDS_FEW || words > WORDS_MANY)
        printf("%s:1: warning: %d words; %d to %d is better\n", readme->path, words, WORDS_FEW, WORDS_MANY);
}

// From the whole README to its bare sentences, with a check at each stage.
static void check_prose(Book *book, const Readme *readme)
{
    blank_fences(readme->text);
    blank_comments(readme->text);
    if (readme->chapter && !readme->answers) check_length(book, readme);
    blank_code(readme->text);
    check_links(book, readme);
    if (!readme->chapter) return;
    if (readme->page && !links_to(readme->text, "README.md"))
        complain(book, (Place){ readme->path, 1 }, "no link leads back to the chapter's README.md");
    else if (!readme->page && !readme->answers) check_shown(book, readme);
    blank_targets(readme->text);
    run_of(book, readme->name, "", (Place){ readme->path, 1 });
    check_numbers(book, readme);
}

// ---- one README, all of them

static bool readme_open(Book *book, Readme *readme, const char *path)
{
    Error error;
    FileBytes file;
    if (!file_read(&file, book->arena, path, &error)) {
        complain(book, (Place){ path, 1 }, "%s", error.text);
        return false;
    }
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_format(book->arena, "%.*s", (int)(slash - path), path) : ".";
    const char *name = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;
    bool chapter = isdigit((unsigned char)name[0]) && isdigit((unsigned char)name[1]) && name[2] == '_';
    const char *own = slash ? slash + 1 : path;
    *readme = (Readme){ path,
                        folder,
                        name,
                        arena_format(book->arena, "%s", (const char *)file.at),
                        chapter,
                        !strcmp(own, "ANSWERS.md"),
                        chapter && is_page(own) };
    return true;
}

static void hold(Book *book, const char *path)
{
    Readme readme;
    Lines filled = { NULL, 0 };
    for (int i = 0; i < book->runs_count; i++) book->runs[i].used = false;
    if (!readme_open(book, &readme, path)) return;
    blocks(book, &readme, &filled);
    if (book->update) write_filled(book, &readme, filled);
    else check_prose(book, &readme);
}

int main(int argc, char **argv)
{
    static Book book;
    book.arena = arena_open();
    book.chapters = "build/chapters";
    int readmes = 0;
    for (int a = 1; a < argc; a++) {
        if (!strcmp(argv[a], "--update")) book.update = true;
        else if (!strcmp(argv[a], "--chapters") && a + 1 < argc) book.chapters = argv[++a];
        else if (!strcmp(argv[a], "--runs") && a + 1 < argc) book.kept = argv[++a];
        else if (argv[a][0] == '-') {
            fprintf(stderr, "text: no flag %s; usage: text [--update] [--chapters DIR] [--runs DIR] README.md …\n",
                    argv[a]);
            return 2;
        } else {
            hold(&book, argv[a]);
            readmes++;
        }
    }
    if (!book.update) printf("text: %d files, %d problems\n", readmes, book.problems);
    arena_close(book.arena);
    return book.problems ? 1 : 0;
}
