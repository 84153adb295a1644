// A Python script in a child process that answers one number per line, such as PyTorch's time for the same attention.
// The interpreter is $PYTHON, or python3. A missing interpreter or package is reported, so that a bench can leave the
// peer out.
#ifndef IO_PYTHON_PEER_H
#define IO_PYTHON_PEER_H

typedef struct PythonPeer PythonPeer;

// Starts `script` (a path), which must print "ready VERSION" first. Returns NULL if it does not, and says why in
// `why`, a buffer of `room` bytes.
PythonPeer *python_peer_start(const char *script, char *why, int room);
double python_peer_ask(PythonPeer *peer, const char *command); // sends a line; returns the number, below 0 if none came
void python_peer_stop(PythonPeer *peer);                       // NULL is allowed
const char *python_peer_version(const PythonPeer *peer);       // VERSION: "2.4.1"

#endif
