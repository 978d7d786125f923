import type { TransactionsEvent } from '../src/events.ts'
import type { Finality } from '../src/finality.ts'
import { EventHub, type HubPorts } from '../src/hub.ts'
import { type Frame, Outbox } from '../src/outbox.ts'
import type { Protocol } from '../src/protocol.ts'
import { V1 } from '../src/protocol-v1.ts'
import { V2 } from '../src/protocol-v2.ts'
import { Subscriber } from '../src/subscribers.ts'

const addressOf = (digit: string) => `0:${digit.repeat(64)}`
export const [A, B, C] = ['A', 'B', 'C'].map(addressOf) as [string, string, string]
export const KEY = Buffer.alloc(32, 1).toString('base64')

/** A hub of which `connect` opens connections that keep what they get. */
export function openHub(rest = async () => {}, protocol = V2) {
  let now = 0
  const ports: HubPorts = {
    now: () => now++,
    describe: async (addresses) => ({
      book: new Map(addresses.map((address) => [address, '{}'])),
      metadata: new Map([[C, '{"is_indexed":true}']]),
    }),
    rest,
  }
  const hub = new EventHub(ports, [V2, V1])
  return { hub, connect: (body?: object, own = protocol) => connect(hub, own, body) }
}

function connect(hub: EventHub, protocol: Protocol, body: object | undefined) {
  const got: Record<string, unknown>[] = []
  const closed: number[] = []
  const frames: Frame[] = []
  const transport = {
    isReady: true,
    send: (frame: Frame) => {
      frames.push(frame)
      got.push(JSON.parse(frame.text))
      return transport.isReady
    },
    close: (code: number) => {
      closed.push(code)
    },
  }
  const subscriber = new Subscriber(new Outbox(transport, { frames: 3, bytes: 10_000 }), protocol)
  hub.subscribers.add(subscriber)
  if (body) hub.subscribers.change(subscriber, protocol.readSubscription(body, { wire: 'ws' }))
  return { subscriber, got, frames, closed, transport }
}

export const transactions = (finality: Finality, accounts: readonly string[]): TransactionsEvent => ({
  kind: 'transactions',
  finality,
  key: KEY,
  transactions: accounts.map((account) => ({
    account,
    lt: 1n,
    reply: `{"account":"${account}"}`,
    listed: [account, C],
  })),
})
