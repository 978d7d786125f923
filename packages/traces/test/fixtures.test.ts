import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { DecodedMessage } from '@shardwalk/model'
import { expect, test } from 'vitest'
import type { TraceInput } from '../src/index.ts'
import { MemoryStore } from './memory-store.ts'

const FOLDER = new URL('../../../fixtures/traces/', import.meta.url)

interface FileMessage {
  readonly direction: 'in' | 'out'
  readonly msg_hash: string
  readonly source: string | null
  readonly destination: string | null
}

interface File {
  readonly trace: {
    readonly trace_id: string
    readonly nodes: number
    readonly end_lt: string
    readonly mc_seqno_end: number
  }
  readonly transactions: readonly {
    readonly hash: string
    readonly lt: string
    readonly now: number
    readonly mc_block_seqno: number
    readonly messages: readonly FileMessage[]
  }[]
}

const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json.gz'))
  .map((name): File => JSON.parse(gunzipSync(readFileSync(new URL(name, FOLDER))).toString('utf8')))

const hash = (text: string): Buffer => Buffer.from(text, 'base64')

const toMessage = ({ msg_hash, source, destination }: FileMessage): DecodedMessage => ({
  kind: source === null ? 'external_in' : destination === null ? 'external_out' : 'internal',
  hash: hash(msg_hash),
  ...(source !== null && {
    source: { workchain: Number(source.split(':')[0]), hash: Buffer.from(source.split(':')[1]!, 'hex') },
  }),
  bodyHash: Buffer.alloc(32),
  body: Buffer.alloc(0),
})

const toInputs = ({ transactions }: File): TraceInput[] =>
  transactions.map(({ hash: txHash, lt, now, mc_block_seqno: mcBlockSeqno, messages }) => {
    const incoming = messages.find(({ direction }) => direction === 'in')
    return {
      mcBlockSeqno,
      transaction: {
        hash: hash(txHash),
        lt: BigInt(lt),
        now,
        ...(incoming && { inMsg: toMessage(incoming) }),
        outMsgs: messages.filter(({ direction }) => direction === 'out').map(toMessage),
      },
    }
  })

const batchesOf = (inputs: readonly TraceInput[]): TraceInput[][] => {
  const seqnos = [...new Set(inputs.map(({ mcBlockSeqno }) => mcBlockSeqno))].sort((a, b) => a - b)
  return seqnos.map((seqno) => inputs.filter(({ mcBlockSeqno }) => mcBlockSeqno === seqno))
}

test.each(['oldest', 'newest'])('real traces are complete, %s block first', (first) => {
  const batches = batchesOf(files.flatMap(toInputs))
  const memory = new MemoryStore()
  for (const batch of first === 'oldest' ? batches : batches.reverse()) memory.add(batch)
  expect(memory.traces.size).toBe(files.length)
  for (const { trace, transactions } of files) {
    const row = memory.traces.get(hash(trace.trace_id).toString('hex'))
    expect(row).toMatchObject({
      state: 'complete',
      nodes: transactions.length,
      endLt: BigInt(trace.end_lt),
      mcBlockSeqnoEnd: trace.mc_seqno_end,
    })
  }
  expect(memory.open).toEqual([])
})
