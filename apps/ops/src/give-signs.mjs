// Loaded into supervised processes: signals to the parent every second that the event loop is not blocked.
import { isMainThread } from 'node:worker_threads'

const sign = () => {
  if (process.connected) process.send({ type: 'alive' }, undefined, undefined, () => {})
}
if (isMainThread && process.send) {
  sign()
  setInterval(sign, 1_000).unref()
  // The channel must not keep a finished process alive.
  process.channel.unref()
}
