// How much CPU does a download from a full node take, sender and receiver apart, with and without losses?
// Target: 8 MB/s on one core.
//   npm run bench -- transfer
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { AdnlKey } from '@shardwalk/adnl'
import { UdpNode } from '../src/udp-node.ts'

const SLICE = 2 << 20
const SLICES = 12
const SEED = Buffer.alloc(32, 9)
const content = Buffer.from(Uint8Array.from({ length: SLICE }, (_, i) => 7 * i + 13 * (i >> 8)))

if (process.send) await serve()
else await measure()

/** The sender, in a process of its own. */
async function serve(): Promise<void> {
  const node = new UdpNode({ seed: SEED, host: '127.0.0.1', onQuery: async () => content })
  const port = await node.listen()
  process.send?.(port)
  process.once('disconnect', () => process.exit(0))
}

async function measure(): Promise<void> {
  const sender = fork(fileURLToPath(import.meta.url))
  const [port] = (await once(sender, 'message')) as [number]
  console.log('loss    MB/s     CPU per MB of the receiver, threads included; MB/s of one core')
  for (const loss of [0, 0.01, 0.1]) await download(port, loss)
  sender.disconnect()
}

async function download(port: number, loss: number): Promise<void> {
  const node = new UdpNode({
    host: '127.0.0.1',
    line: (datagram, deliver) => (Math.random() < loss ? undefined : deliver(datagram)),
  })
  await node.listen()
  const peer = node.peer(new AdnlKey(SEED).publicKey, { host: '127.0.0.1', port })
  const slice = () => node.download(peer, Buffer.of(1), { maxAnswerSize: SLICE, timeoutMs: 60_000 })
  // The first opens the channel and starts the threads.
  await slice()
  const before = process.cpuUsage()
  const startedAt = performance.now()
  for (let i = 0; i < SLICES; i += 2) await Promise.all([slice(), slice()])
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(before)
  const megabytes = (SLICES * SLICE) / 1e6
  const cpuMs = (user + system) / 1_000 / megabytes
  console.log(
    `${String(loss).padEnd(7)} ${(megabytes / seconds).toFixed(1).padEnd(8)} ` +
      `${cpuMs.toFixed(0)} ms; ${(1_000 / cpuMs).toFixed(1)}`,
  )
  await node.close()
}
