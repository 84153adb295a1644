// Bytes as the letters of a string, for a script that is read as x-user-defined: a letter for each byte, its low eight
// bits. Only what may not stand in a string is escaped: 1.02 letters a byte, where base64 takes 1.33. Stdin to stdout.
const SAID = { 10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\" };
const pieces = [];
for await (const piece of process.stdin) pieces.push(piece);
const bytes = Buffer.concat(pieces), letters = Buffer.alloc(2 * bytes.length);
let length = 0;
for (const byte of bytes)
  if (SAID[byte]) length += letters.write(SAID[byte], length);
  else letters[length++] = byte;
process.stdout.write(letters.subarray(0, length));
