import { createHash } from 'node:crypto'
import { Builder, type Cell, serializeBoc } from '@shardwalk/cells'
import type { Trace, TraceMessage, TraceTransaction } from '../src/index.ts'

/** A raw address from a name such as ALICE. */
export const addr = (name: string): string =>
  `0:${createHash('sha256').update(name).digest('hex').toUpperCase()}`

export const storeAddr = (b: Builder, name: string | null): Builder =>
  b.storeAddress(name === null ? undefined : { workchain: 0, hash: Buffer.from(addr(name).slice(2), 'hex') })

/** Body builder with the opcode stored; `q` adds a query id. */
export const op = (opcode: number): Builder => new Builder().storeUint(opcode, 32)
export const q = (opcode: number, queryId = 7n): Builder => op(opcode).storeUint(queryId, 64)

export const text = (comment: string): Builder => op(0).storeBytes(Buffer.from(comment))

/** A message and the result of its receiver's transaction. */
export interface Sketch {
  /** Null: a log. */
  readonly to: string | null
  readonly body?: Builder
  /** Nanotons; default 1 TON. */
  readonly value?: bigint
  readonly aborted?: boolean
  readonly deploys?: boolean
  readonly exitCode?: number
  readonly stateInit?: Cell
  readonly sends?: readonly Sketch[]
}

export const boc = (cell: Cell): Buffer => serializeBoc([cell])

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')

/** A trace that starts with an external message to `wallet`, which sends `sends`. */
export function buildTrace(wallet: string, sends: readonly Sketch[]): Trace {
  const transactions: TraceTransaction[] = []
  const state = { lt: 1000n, n: 0 }
  const external: TraceMessage = {
    hash: hashOf('external'),
    source: null,
    destination: addr(wallet),
    value: null,
    createdLt: null,
    createdAt: null,
    opcode: 0x7369676e,
    body: boc(op(0x7369676e).endCell()),
  }
  receive({ transactions, state }, external, { to: wallet, sends })
  return {
    traceId: transactions[0]!.hash,
    externalHash: external.hash,
    externalHashNorm: null,
    mcBlockSeqnoEnd: 9,
    startLt: transactions[0]!.lt,
    endLt: transactions.at(-1)!.lt,
    startUtime: 100,
    endUtime: 100,
    transactions,
  }
}

interface Growing {
  readonly transactions: TraceTransaction[]
  readonly state: { lt: bigint; n: number }
}

/** The receiver's transaction, then, depth first, those of the messages that it sends. */
function receive(growing: Growing, inMessage: TraceMessage, sketch: Sketch): void {
  const { transactions, state } = growing
  const index = transactions.length
  const account = addr(sketch.to!)
  state.lt += 100n
  const lt = state.lt
  const outMessages: TraceMessage[] = []
  const base = { hash: hashOf(`tx ${index}`), account, lt, now: 100, mcBlockSeqno: 9, kind: 'ord' }
  transactions.push({
    ...base,
    origStatus: sketch.deploys ? 'uninit' : 'active',
    endStatus: 'active',
    aborted: sketch.aborted ?? false,
    exitCode: sketch.exitCode ?? 0,
    inMessage,
    outMessages,
  })
  for (const [i, child] of (sketch.sends ?? []).entries()) {
    const message = send(state, account, child, lt + 1n + BigInt(i))
    outMessages.push(message)
    if (child.to !== null) receive(growing, message, child)
  }
}

function send(state: { n: number }, source: string, sketch: Sketch, createdLt: bigint): TraceMessage {
  const body = (sketch.body ?? new Builder()).endCell()
  return {
    hash: hashOf(`message ${state.n++}`),
    source,
    destination: sketch.to === null ? null : addr(sketch.to),
    value: sketch.to === null ? null : (sketch.value ?? 1_000_000_000n),
    createdLt,
    createdAt: 100,
    opcode: body.bits >= 32 ? body.slice().loadUint(32) : null,
    bounce: true,
    body: boc(body),
    ...(sketch.stateInit && { initState: boc(sketch.stateInit) }),
  }
}
