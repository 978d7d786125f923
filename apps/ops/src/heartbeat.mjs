// Loaded into supervised processes: a message to the parent every second while the event loop is not blocked.
import { isMainThread } from 'node:worker_threads'

const beat = () => {
  if (process.connected) process.send({ type: 'alive' }, undefined, undefined, () => {})
}
if (isMainThread && process.send) {
  beat()
  setInterval(beat, 1_000).unref()
  // The channel must not keep a finished process alive.
  process.channel.unref()
}
