// A lite server in a process that can be killed: its head goes on with the time, so that a new process
// continues where the chain is by then.
// Arguments: folder of the compiled program, folder of a recorded chain, port, first head, blocks per second,
// Unix ms at which the head begins to move.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [compiled, folder, ...numbers] = process.argv.slice(2)
const [port, first, speed, movesAt] = numbers.map(Number)
const { startReplay } = await import(pathToFileURL(join(compiled, 'parts/packages/replay/src/index.js')).href)

const headNow = () => first + Math.max(0, Math.floor(((Date.now() - movesAt) / 1000) * speed))

const replay = await startReplay({ recording: folder, startSeqno: headNow(), port })
setInterval(() => replay.setHead(headNow()), 1000 / speed / 4)
process.send(replay.globalConfig)
process.once('disconnect', () => process.exit())
