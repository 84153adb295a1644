// A Python script in a child process that returns one number per line, such as PyTorch's time for the same attention.
// The interpreter is $PYTHON, or python3. A missing interpreter or package is reported, so that a benchmark can omit
// it.
#ifndef IO_PYTHON_PEER_H
#define IO_PYTHON_PEER_H

typedef struct PythonPeer PythonPeer;

// Starts `script` (a path), which must first print "ready VERSION". Otherwise returns NULL and writes the reason to
// `why`, a buffer of `capacity` bytes.
PythonPeer *python_peer_start(const char *script, char *why, int capacity);
double python_peer_ask(PythonPeer *peer,
                       const char *command); // sends a line, returns the number; negative: no number received
void python_peer_stop(PythonPeer *peer);     // NULL is allowed
const char *python_peer_version(const PythonPeer *peer); // VERSION: "2.4.1"

#endif
