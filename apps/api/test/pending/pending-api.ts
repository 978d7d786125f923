import { profileRules, traceReplies } from '@shardwalk/api-schema'
import { parseRoot, serializeBoc } from '@shardwalk/cells'
import { openChain, readRootMessage, walletMessage } from '@shardwalk/emulation'
import type { NodeAccess } from '@shardwalk/node-access'
import { expect } from 'vitest'
import type { RunningServer } from '../../src/server.ts'
import type { Streams } from '../../src/streaming/streams.ts'
import type { Json } from '../client.ts'
import { SseClient } from '../streaming/stream-clients.ts'

/** Of messages that are handed over. */
export const PUSH_SECRET = 'known to the test'

export interface Answer {
  readonly status: number
  readonly body: Json
}

interface Parts {
  readonly server: RunningServer
  readonly node: NodeAccess
  readonly streams: Streams
}

export interface PendingTrace extends Json {
  readonly trace_id: string | null
  readonly transactions: Readonly<Record<string, PendingTransaction>>
  readonly transactions_order: readonly string[]
  readonly actions: readonly PendingAction[]
  readonly trace_info: Json
}

export interface PendingTransaction {
  readonly account: string
  readonly lt: string
  readonly emulated: boolean
  readonly finality: string
  readonly in_msg: { readonly hash: string }
  readonly block_ref: { readonly seqno: number }
}

export interface PendingAction {
  readonly type: string
  readonly finality: string
  readonly trace_id: string | null
  readonly transactions: readonly string[]
  readonly transactions_full?: readonly PendingTransaction[]
}

const traces = traceReplies(profileRules('standard')).Traces

/** A process of the API that follows pending messages. */
export class PendingApi {
  readonly url: string
  readonly node: NodeAccess
  readonly streams: Streams
  private lastParsed = ''

  constructor(
    { server, node, streams }: Parts,
    readonly close: () => Promise<void>,
  ) {
    this.url = server.url
    this.node = node
    this.streams = streams
  }

  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const reply = await fetch(`${this.url}/api/v3/${path}?${new URLSearchParams(query)}`)
    return { status: reply.status, body: (await reply.json()) as Json }
  }

  /** By either hash of its message, compared with the schema of the reply. */
  async pendingTrace(hash: string): Promise<PendingTrace | undefined> {
    const { status, body } = await this.get('pendingTraces', { ext_msg_hash: hash })
    const text = JSON.stringify(body)
    expect(status, text).toBe(200)
    // Most are asked for again and again until something changes.
    if (text !== this.lastParsed) expect(traces.parse(body)).toBeTruthy()
    this.lastParsed = text
    return (body['traces'] as PendingTrace[])[0]
  }

  follow(minFinality: string, body: Json, headers = {}): Promise<SseClient> {
    return SseClient.open(`${this.url}/api/streaming/v2/sse`, { min_finality: minFinality, ...body }, headers)
  }

  /** Another message of the wallet with the same seqno. */
  async competitorOf(boc: Buffer): Promise<Buffer> {
    const { destination: from } = readRootMessage(parseRoot(boc)).message
    const at = await openChain(this.node, {})
    const payments = [{ address: from!, bounce: false, amount: 1_000_000n }]
    return serializeBoc(walletMessage(await at.account(from!), { from: from!, messages: payments }, at.utime))
  }

  /** Sends a message as wallets do. */
  async send(boc: Buffer): Promise<{ readonly message_hash: string; readonly message_hash_norm: string }> {
    const { status, body } = await this.post('/api/v3/message', { boc: boc.toString('base64') })
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body as never
  }

  /** As `send`, whatever becomes of it. */
  trySend(boc: Buffer): Promise<Answer> {
    return this.post('/api/v3/message', { boc: boc.toString('base64') })
  }

  /** Hands over a message that was sent elsewhere. */
  push(boc: Buffer, secret = PUSH_SECRET): Promise<Answer> {
    return this.post(`/api/pending/v1/message?secret=${encodeURIComponent(secret)}`, {
      boc: boc.toString('base64'),
    })
  }

  private async post(path: string, body: Json): Promise<Answer> {
    const reply = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: reply.status, body: (await reply.json()) as Json }
  }
}

export const hashOf = (boc: Buffer): string => parseRoot(boc).hash().toString('hex')

const RANKS = ['pending', 'confirmed', 'finalized']

/** From the first finality to the last, never backwards. */
export function expectRising(events: readonly Json[], first: string): void {
  const ranks = events.map((event) => RANKS.indexOf(event['finality'] as string))
  expect(ranks).toEqual([...ranks].sort((a, b) => a - b))
  expect(events[0]!['finality']).toBe(first)
  expect(events.at(-1)!['finality']).toBe('finalized')
}
