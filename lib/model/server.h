// Chapter 20. A model that decodes for many at once: model/schedule.h decides who runs, keys and values stand in pages.
//
// Every answer is, to the bit, the one that the request would get alone: attention reads pages in order
// (attention/paged_cache.h), and whoever was preempted computes the same numbers again. Requests of one step are worked
// on side by side, on as many processors as there are.
//
// What is not here: one product with the weights for all who run, which is what makes a batch cheap on a GPU (Yu et al.
// 2022, Orca, OSDI, §3: selective batching); answers that are drawn by chance.
#ifndef MODEL_SERVER_H
#define MODEL_SERVER_H

#include "attention/paged_cache.h"
#include "model/decode.h"
#include "model/schedule.h"

// A request's tokens and what it computes with. `request` is its place in the schedule.
typedef struct {
    ScheduleRequest request;
    int *tokens;    // (prompt + answer): the prompt, and behind it what has been written
    int stop;       // the answer ends with this token; −1: with none
    Arena *arena;   // of tokens, table and decoder; closed by server_forget
    PagedCache *of; // (layers)
    Decoder decoder;
} ServerRequest;

typedef struct {
    Transformer model;
    PagePool pool;
    PagedMemory memory;
    PrefixTree tree;
    Schedule schedule;
    ServerRequest *of; // (room)
    int forgotten;     // requests before this one hold nothing more
} Server;

// `pages` pages of `size` tokens for a causal model whose outputs are its words. Prompts that begin alike share pages,
// if `share`. The server must stay where it is: it points into itself.
Server *server_new(Arena *arena, Transformer model, int pages, int size, int room, int most, bool share);

// Does a request of so many tokens fit, with nobody else there?
bool server_fits(const Server *server, int tokens);

// A request of `prompt` tokens and at most `answer` more. Returns its number: 0, 1, …
int server_ask(Server *server, const int *tokens, int prompt, int answer, int stop, double now);

// One token for everyone who runs. false: nobody waits and nobody runs.
bool server_step(Server *server, double now);

// The memory of a request that is done, from the first one on; it is not looked at again.
void server_forget(Server *server, int number);

// Everything that is held is given back, whoever holds it.
void server_close(Server *server);

// Pages that somebody holds; those that a request holds, not only the tree; those that two or more requests hold.
typedef struct {
    int held, used, shared;
} ServerPages;
ServerPages server_pages(const Server *server);

#endif
