// A lite server behind a slow link, in a process that can be killed: its head goes on with the time, so that
// a new process continues where the chain is by then.
// Arguments: folder of a recorded chain, port, ms of a round trip, first head, blocks per second, Unix ms at
// which the head begins to move.
import { startReplay } from '@shardwalk/replay'
import { openSlowLink } from '@shardwalk/testkit'

const [folder = '', ...numbers] = process.argv.slice(2)
const [listenPort = 0, roundTripMs = 0, first = 1, speed = 1, movesAt = 0] = numbers.map(Number)

const headNow = (): number => first + Math.max(0, Math.floor(((Date.now() - movesAt) / 1000) * speed))

const replay = await startReplay({ recording: folder, startSeqno: headNow() })
await openSlowLink({ host: replay.host, port: replay.port, listenPort, roundTripMs })
setInterval(() => replay.setHead(headNow()), 1000 / speed / 4)

const config = JSON.parse(replay.globalConfig) as { liteservers: { port: number }[] }
for (const server of config.liteservers) server.port = listenPort
process.send!(JSON.stringify(config))
process.once('disconnect', () => process.exit())
