// PyTorch in a process of its own: commands go in as lines, numbers come back as lines.
#include "judge/torch.h"

#include "base/memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct Torch {
    FILE *to, *from;
    pid_t python;
    char version[128];
};

double torch_ask(Torch *torch, const char *command)
{
    char line[256], *end;
    fprintf(torch->to, "%s\n", command);
    fflush(torch->to);
    if (!fgets(line, sizeof line, torch->from)) return -1.0;
    double number = strtod(line, &end);
    return end > line ? number : -1.0;
}

static Torch *fail(Torch *torch, char *why, int room, const char *reason)
{
    snprintf(why, (size_t)room, "%s", reason);
    why[strcspn(why, "\n")] = '\0';
    torch_stop(torch);
    return NULL;
}

Torch *torch_start(const char *script, char *why, int room)
{
    int in[2], out[2];
    char words[256];
    snprintf(words, sizeof words, "there is no %s", script);
    if (access(script, R_OK)) return fail(NULL, why, room, words);
    if (pipe(in) || pipe(out)) return fail(NULL, why, room, "no pipe");
    signal(SIGPIPE, SIG_IGN);
    fflush(NULL);
    pid_t python = fork();
    if (python < 0) return fail(NULL, why, room, "no process");
    if (python == 0) {
        const char *program = getenv("PYTHON") ? getenv("PYTHON") : "python3";
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int end = 0; end < 2; end++) {
            close(in[end]);
            close(out[end]);
        }
        execlp(program, program, script, (char *)NULL);
        printf("there is no %s\n", program);
        fflush(NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    Torch *torch = memory_new(sizeof *torch);
    *torch = (Torch){ .to = fdopen(in[1], "w"), .from = fdopen(out[0], "r"), .python = python };
    if (!torch->to || !torch->from) memory_out(BUFSIZ);
    char line[256];
    if (!fgets(line, sizeof line, torch->from)) return fail(torch, why, room, "python3 says nothing");
    if (strncmp(line, "ready ", 6) != 0) return fail(torch, why, room, line);
    snprintf(torch->version, sizeof torch->version, "%.*s", (int)strcspn(line + 6, "\n"), line + 6);
    return torch;
}

const char *torch_version(const Torch *torch) { return torch->version; }

double torch_shape(Torch *torch, int H, int T, int S, int d, bool causal)
{
    char command[100];
    snprintf(command, sizeof command, "shape %d %d %d %d %d", H, T, S, d, causal);
    return torch_ask(torch, command);
}

double torch_run(void *torch) { return torch_ask(torch, "run"); }

void torch_stop(Torch *torch)
{
    if (!torch) return;
    fclose(torch->to);
    fclose(torch->from);
    waitpid(torch->python, NULL, 0);
    free(torch);
}
