// Loaded into the processes that run tests (see vitest.config.ts) and that tests start (brief-processes.ts).
// PostgreSQL servers have the settings of a container with this memory: with the buffers of a large machine,
// a start takes twice the processor time, and tests start a hundred.
const BYTES = 1024 ** 3

process.constrainedMemory = function oneGibibyte() {
  return BYTES
}
