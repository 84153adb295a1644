// Chapter 20. A server that decodes many requests at once: model/schedule.h chooses who runs, keys and values are in pages.
//
// Every answer is bit-equal to that of the request alone: paged attention reads pages in order
// (attention/paged_cache.h), and a preempted request recomputes the same numbers. Requests of a step run in parallel.
//
// Not implemented: one product with the weights for all running requests, which makes a batch cheap on a GPU (selective
// batching, Yu et al. 2022, Orca, OSDI, §3); sampling.
#ifndef MODEL_SERVER_H
#define MODEL_SERVER_H

#include "attention/paged_cache.h"
#include "model/decode.h"
#include "model/schedule.h"

// The state of one request. `request` is its entry in the schedule.
typedef struct {
    ScheduleRequest request;
    int *tokens;    // (prompt + answer): the prompt, then the generated tokens
    int stop;       // end-of-text token; −1: none
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
    int forgotten;     // requests before this one have been freed
} Server;

// A cache of `pages` pages of `size` tokens, for a causal model whose outputs are its vocabulary. share: prefix caching.
// The server contains pointers into itself and must not be moved.
Server *server_new(Arena *arena, Transformer model, int pages, int size, int room, int most, bool share);

// Does a request of this many tokens fit when it is alone?
bool server_fits(const Server *server, int tokens);

// Adds a request: `prompt` tokens, and at most `answer` to be generated. Returns its number: 0, 1, …
int server_ask(Server *server, const int *tokens, int prompt, int answer, int stop, double now);

// Generates one token for every running request. false: none is running or waiting.
bool server_step(Server *server, double now);

// Frees the memory of a finished request; to be called in order, from the first one on.
void server_forget(Server *server, int number);

// Releases all pages and memory.
void server_close(Server *server);

// Pages in use; pages used by requests, not only by the prefix tree; pages shared by two or more requests.
typedef struct {
    int held, used, shared;
} ServerPages;
ServerPages server_pages(const Server *server);

#endif
