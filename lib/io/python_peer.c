// A Python script in a child process. Commands are sent as lines, numbers are received as lines.
#include "io/python_peer.h"

#include "base/memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct PythonPeer {
    FILE *to, *from;
    pid_t python;
    char version[128];
};

double python_peer_ask(PythonPeer *peer, const char *command)
{
    char line[256], *end;
    fprintf(peer->to, "%s\n", command);
    fflush(peer->to);
    if (!fgets(line, sizeof line, peer->from)) return -1.0;
    double number = strtod(line, &end);
    return end > line ? number : -1.0;
}

static PythonPeer *fail(PythonPeer *peer, char *why, int capacity, const char *reason)
{
    snprintf(why, (size_t)capacity, "%s", reason);
    why[strcspn(why, "\n")] = '\0';
    python_peer_stop(peer);
    return NULL;
}

PythonPeer *python_peer_start(const char *script, char *why, int capacity)
{
    int in[2], out[2];
    char message[256];
    snprintf(message, sizeof message, "there is no %s", script);
    if (access(script, R_OK)) return fail(NULL, why, capacity, message);
    if (pipe(in) || pipe(out)) return fail(NULL, why, capacity, "no pipe");
    signal(SIGPIPE, SIG_IGN);
    fflush(NULL);
    pid_t python = fork();
    if (python < 0) return fail(NULL, why, capacity, "no process");
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
    PythonPeer *peer = memory_new(sizeof *peer);
    *peer = (PythonPeer){ .to = fdopen(in[1], "w"), .from = fdopen(out[0], "r"), .python = python };
    if (!peer->to || !peer->from) memory_out(BUFSIZ);
    char line[256];
    if (!fgets(line, sizeof line, peer->from)) return fail(peer, why, capacity, "python3 printed nothing");
    if (strncmp(line, "ready ", 6) != 0) return fail(peer, why, capacity, line);
    snprintf(peer->version, sizeof peer->version, "%.*s", (int)strcspn(line + 6, "\n"), line + 6);
    return peer;
}

const char *python_peer_version(const PythonPeer *peer) { return peer->version; }

void python_peer_stop(PythonPeer *peer)
{
    if (!peer) return;
    fclose(peer->to);
    fclose(peer->from);
    waitpid(peer->python, NULL, 0);
    free(peer);
}
