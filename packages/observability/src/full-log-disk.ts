import type { EventEmitter } from 'node:events'

/** A disk that is full, over its quota, read-only or broken; a terminal that is gone. */
const PASSING = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']

const watched = new WeakSet<EventEmitter>()

/**
 * Lines that cannot be written to a file are lost, and the process goes on; later ones are written when there
 * is space again. Without a listener such an error would end it. Others, such as that of a pipe that nobody
 * reads any more, still do, unless the first caller for this output gives `onLost`.
 */
export function outliveFullLogDisk(output: EventEmitter, onLost: (error: Error) => void = fail): void {
  if (watched.has(output)) return
  watched.add(output)
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (!PASSING.includes(error.code ?? '')) onLost(error)
  })
}

function fail(error: Error): never {
  throw error
}
