// Measures how many transactions per second one core joins into traces.
// Run: node --import tsx packages/traces/bench/assemble.bench.ts
import { createHash } from 'node:crypto'
import type { DecodedMessage } from '@shardwalk/model'
import { assemble, type TraceInput } from '../src/index.ts'

const TRANSACTIONS = 2_000
const CHAIN = 5
const ROUNDS = 50

const hashOf = (name: string): Buffer => createHash('sha256').update(name).digest()
const empty = { bodyHash: Buffer.alloc(32), body: Buffer.alloc(0) }

const incoming = (i: number): DecodedMessage =>
  i % CHAIN === 0
    ? { kind: 'external_in', hash: hashOf(`ext ${i}`), ...empty }
    : { kind: 'internal', hash: hashOf(`msg ${i}`), source: { workchain: 0, hash: hashOf('a') }, ...empty }

/** Chains of five transactions in one batch; the last one sends a message that the batch does not deliver. */
const batch: TraceInput[] = Array.from({ length: TRANSACTIONS }, (_, i) => ({
  mcBlockSeqno: 1,
  transaction: {
    hash: hashOf(`tx ${i}`),
    lt: BigInt(i * 10),
    now: 1,
    inMsg: incoming(i),
    outMsgs: [
      { kind: 'internal', hash: hashOf(`msg ${i + 1 + (i % CHAIN === CHAIN - 1 ? 1e9 : 0)}`), ...empty },
    ],
  },
}))

for (let i = 0; i < 10; i++) assemble(batch)
const start = process.cpuUsage()
let traces = 0
for (let i = 0; i < ROUNDS; i++) traces += assemble(batch).pieces.length
const { user, system } = process.cpuUsage(start)
const seconds = (user + system) / 1e6
console.log(`${TRANSACTIONS} transactions a batch, ${traces / ROUNDS} traces, ${ROUNDS} rounds`)
const rate = Math.round((TRANSACTIONS * ROUNDS) / seconds).toLocaleString('en')
console.log(`assembled: ${rate} transactions per second of CPU time`)
