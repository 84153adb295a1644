// Chapter 23. Ranks as processes, with MPI as the transport. Only non-blocking calls are used (MPI_Isend, MPI_Irecv,
// MPI_Test), so that every wait has a deadline; MPI has none. Built without MPI, this file only detects mpirun.
#include "ranks/wire.h"

#include "base/error.h"
#include "base/measure.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool wire_mpi_started(void) { return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("PMI_RANK"); }

#ifndef HAVE_MPI

void wire_mpi_open(Ranks *ranks)
{
    (void)ranks;
    fprintf(stderr, "mpirun has started this program, which was built without MPI: make mpi says what is missing\n");
    exit(1);
}

void wire_mpi_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result)
{
    (void)task;
    (void)bytes;
    (void)result;
    (void)work;
    REQUIRE(false, "%d of %d ranks without MPI", count, ranks->count);
}

#else

    #include <mpi.h>

static MPI_Request requests[RANK_MESSAGES];
static int world_rank, world_count;
static double last_deadline = 5;

static MPI_Request *request_of(const Rank *rank, const RankMessage *message)
{
    return &requests[message - rank->state->messages];
}

static void wire_post(Rank *rank, RankMessage *message)
{
    REQUIRE(message->bytes <= INT32_MAX, "a message of %zu bytes: MPI counts them in an int", message->bytes);
    MPI_Request *request = request_of(rank, message);
    int count = (int)message->bytes;
    int wrong = message->sending ? MPI_Isend(message->at, count, MPI_BYTE, message->other, 0, MPI_COMM_WORLD, request)
                                 : MPI_Irecv(message->at, count, MPI_BYTE, message->other, 0, MPI_COMM_WORLD, request);
    if (wrong) rank_fail(rank, "MPI refuses a message with rank %d (%s)", message->other, message->what);
}

static bool wire_look(Rank *rank, RankMessage *message)
{
    if (message->done) return true;
    MPI_Status status;
    int done = 0, count = (int)message->bytes;
    int wrong = MPI_Test(request_of(rank, message), &done, &status);
    if (!wrong && done && !message->sending) wrong = MPI_Get_count(&status, MPI_BYTE, &count);
    if (wrong || count != (int)message->bytes)
        rank_fail(rank, "the message from rank %d is lost, or not of %zu bytes (%s)", message->other, message->bytes,
                  message->what);
    message->done = done;
    if (done) message->arrived = measure_clock_wall();
    return done;
}

// There may be more ranks than cores: sleeping lets others run.
static void wire_pause(Rank *rank)
{
    (void)rank;
    nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

static const Wire wire_of_mpi = { wire_post, wire_look, wire_pause };

// ---- tasks: rank 0 sends the next task to all others

enum { EXIT = -1, UPDATE_SETTINGS = -2 };

typedef struct {
    int work, count; // work: index in ranks_open's list, or EXIT or UPDATE_SETTINGS
    double deadline;
    bool patient;
    char task[RANK_TASK_BYTES];
} Command;

static void run_task(const Command *command, RankWork *work, const void *task, void *result)
{
    Rank rank;
    wire_begin(&rank, world_rank, command->count, &wire_of_mpi, NULL, command->deadline);
    work(&rank, task, result);
    wire_end(&rank);
}

static void send_command(const Command *command)
{
    Rank rank;
    RankMessage *sent[RANKS_MOST];
    wire_begin(&rank, 0, world_count, &wire_of_mpi, NULL, command->deadline);
    for (int i = 1; i < world_count; i++) sent[i] = rank_send(&rank, i, command, sizeof *command, "the next task");
    for (int i = 1; i < world_count; i++) rank_wait(&rank, sent[i]);
    wire_end(&rank);
}

static void receive_command(Command *command)
{
    Rank rank;
    wire_begin(&rank, world_rank, world_count, &wire_of_mpi, NULL, command->patient ? 0 : command->deadline);
    rank_wait(&rank, rank_receive(&rank, 0, command, sizeof *command, "the next task"));
    wire_end(&rank);
}

void wire_mpi_run(Ranks *ranks, int count, RankWork *work, const void *task, size_t bytes, void *result)
{
    Command command = {
        .work = UPDATE_SETTINGS, .count = count, .deadline = ranks->deadline, .patient = ranks->patient
    };
    last_deadline = ranks->deadline;
    for (int i = 0; i < ranks->works_count; i++)
        if (ranks->works[i] == work) command.work = i;
    REQUIRE(!work || command.work >= 0, "a task that ranks_open has not been told of");
    if (bytes > 0) memcpy(command.task, task, bytes);
    send_command(&command);
    if (work) run_task(&command, work, task, result);
}

// ---- start and exit

// mpirun sends SIGTERM to all ranks when one has died.
static void on_term(int number)
{
    static const char message[] = "a rank is told to end: another has died, or mpirun was ended\n";
    (void)number;
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(1);
    _exit(1);
}

static void on_alarm(int number)
{
    static const char message[] = "MPI does not start, or does not end: a rank has died or cannot be reached\n";
    (void)number;
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(1);
    _exit(1);
}

// For a rank that is done. It ignores SIGTERM, which mpirun sends if rank 0 exits with a non-zero status: it is about
// to exit anyway.
static void finalize(void)
{
    signal(SIGTERM, SIG_IGN);
    alarm(8);
    MPI_Finalize();
    alarm(0);
}

// Runs at exit of rank 0, however the program ends.
static void dismiss_ranks(void)
{
    Command command = { .work = EXIT, .deadline = last_deadline };
    send_command(&command);
    finalize();
}

static _Noreturn void serve(RankWork *const *works)
{
    Command command = { .deadline = 30 }; // until rank 0 has read its flags
    for (;;) {
        receive_command(&command);
        if (command.work == EXIT) break;
        if (command.work >= 0 && world_rank < command.count)
            run_task(&command, works[command.work], command.task, NULL);
    }
    finalize();
    exit(0);
}

void wire_mpi_open(Ranks *ranks)
{
    signal(SIGTERM, on_term);
    signal(SIGALRM, on_alarm);
    alarm(20);
    if (MPI_Init(NULL, NULL)) {
        fprintf(stderr, "MPI refuses to start\n");
        exit(1);
    }
    alarm(0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_count);
    if (world_count > RANKS_MOST) {
        if (world_rank == 0)
            fprintf(stderr, "mpirun has started %d ranks; it should be %d at most\n", world_count, RANKS_MOST);
        MPI_Finalize();
        exit(1);
    }
    ranks->processes = true;
    ranks->count = world_count;
    if (world_rank > 0) serve(ranks->works);
    atexit(dismiss_ranks);
}

#endif
