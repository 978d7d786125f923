// Large answers through one connection on loopback, and the time of a handshake, compared with npm
// `ton-lite-client`. The server runs in a separate process. Run: node --import tsx
// packages/liteserver/bench/transport.bench.ts
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import {
  decodeAnswer,
  decodeFunction,
  decodeQuery,
  encodeAnswer,
  encodeFunction,
  encodeQuery,
} from '@shardwalk/tl'
import { LiteClient, LiteSingleEngine } from 'ton-lite-client'
import { Functions } from 'ton-lite-client/dist/schema.js'
import { connectAdnl } from '../src/adnl/client.ts'
import { serverAddress } from '../src/config/server-address.ts'
import { AdnlServer, type ServerAddress } from '../src/index.ts'

const ANSWER_BYTES = 511_376
const ID = {
  workchain: 0,
  shard: 1n << 63n,
  seqno: 1,
  rootHash: Buffer.alloc(32, 1),
  fileHash: Buffer.alloc(32, 2),
}

if (process.argv[2] === 'serve') await serve()
else await measure()

async function serve(): Promise<void> {
  const data = randomBytes(ANSWER_BYTES)
  const server = new AdnlServer({
    handler: (query) => {
      const call = decodeFunction(decodeQuery(query).functionBytes)
      return call.name === 'liteServer.getBlock'
        ? encodeAnswer(call.name, { id: call.args.id, data })
        : undefined
    },
  })
  process.once('disconnect', () => process.exit())
  const { port, publicKey } = await server.listen()
  process.send?.({ port, key: publicKey.toString('hex') })
}

async function measure(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['serve'])
  const { port, key } = await new Promise<{ port: number; key: string }>((resolve) =>
    child.once('message', resolve),
  )
  const address = serverAddress('127.0.0.1', port, Buffer.from(key, 'hex'))
  const ours = await measureOurs(address)
  const theirs = await measureTheirs(address)
  const row = (name: string, a: number, b: number, unit: string) =>
    console.log(
      name.padEnd(38),
      a.toFixed(2).padStart(9),
      b.toFixed(2).padStart(9),
      `${unit}   x${(b / a).toFixed(1)}`,
    )
  console.log(`${'answers of 511 KB'.padEnd(38)} ${'ours'.padStart(9)} ${'npm'.padStart(9)}`)
  row('one at a time, ms each', ours.sequential, theirs.sequential, 'ms')
  row('8 outstanding, ms each', ours.pipelined, theirs.pipelined, 'ms')
  row('CPU of the client per answer', ours.cpu, theirs.cpu, 'ms')
  row('connect and handshake', ours.connect, theirs.connect, 'ms')
  const megabytesPerSecond = (ANSWER_BYTES / 1000 / ours.pipelined).toFixed(0)
  console.log(`ours: ${(1000 / ours.pipelined).toFixed(0)} answers/s, ${megabytesPerSecond} MB/s`)
  child.kill()
  process.exit(0)
}

async function measureOurs(address: ServerAddress) {
  const connect = await perRun(50, async () => (await connectAdnl(address)).close())
  const connection = await connectAdnl(address)
  const query = encodeQuery(encodeFunction('liteServer.getBlock', { id: ID }))
  const ask = async () => {
    const answer = decodeAnswer('liteServer.getBlock', await connection.query(query, { timeoutMs: 60_000 }))
    if (!answer.ok || answer.value.data.length !== ANSWER_BYTES) throw new Error('wrong answer')
  }
  const result = { connect, ...(await rates(ask, 200)) }
  connection.close()
  return result
}

async function measureTheirs({ host, port, publicKey }: ServerAddress) {
  const open = async () => {
    const engine = new LiteSingleEngine({ host: `tcp://${host}:${port}`, publicKey })
    await new Promise((resolve) => engine.once('ready', resolve))
    return engine
  }
  const connect = await perRun(20, async () => (await open()).close())
  const client = new LiteClient({ engine: await open() })
  const id = { ...ID, shard: '-9223372036854775808', kind: 'tonNode.blockIdExt' as const }
  const ask = async () => {
    const request = { kind: 'liteServer.getBlock', id } as const
    const answer = await client.engine.query(Functions.liteServer_getBlock, request, { timeout: 60_000 })
    if (answer.data.length !== ANSWER_BYTES) throw new Error('wrong answer')
  }
  return { connect, ...(await rates(ask, 24)) }
}

async function rates(ask: () => Promise<void>, count: number) {
  for (let i = 0; i < 5; i++) await ask()
  const cpu = process.cpuUsage()
  const sequential = await perRun(count, ask)
  const used = process.cpuUsage(cpu)
  const start = performance.now()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let i = 0; i < count / 8; i++) await ask()
    }),
  )
  const pipelined = (performance.now() - start) / (Math.ceil(count / 8) * 8)
  return { sequential, pipelined, cpu: (used.user + used.system) / 1000 / count }
}

async function perRun(count: number, run: () => Promise<void>): Promise<number> {
  const start = performance.now()
  for (let i = 0; i < count; i++) await run()
  return (performance.now() - start) / count
}
