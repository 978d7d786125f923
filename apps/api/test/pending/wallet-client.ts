import type { Json } from '../client.ts'

export interface Transfer {
  /** Of the API, `http://…`. */
  readonly base: string
  /** The signed message, standard base64. */
  readonly boc: string
  /** The wallet, in any form. */
  readonly address: string
  /** Whether jettons of the wallet are known to change. */
  readonly movesJettons?: boolean
}

/** What the client has read of an answer; reading fails where a member is missing. */
export interface WalletStep {
  readonly step: 'preview' | 'subscribed' | 'sent' | 'event' | 'indexed'
  readonly finality?: string
  readonly read: readonly string[]
}

// Members are read as in a wallet, without asking whether they are there.
// biome-ignore lint/suspicious/noExplicitAny: whatever comes is dereferenced unchecked
type Any = any

/**
 * A transfer as WalletKit makes it: preview, subscribe, send, follow until it is final, look it up. It reads
 * the members that WalletKit reads, so a missing one is an exception. This file uses nothing but globals, to
 * run in a browser too: the global `report` takes the steps, one after the other.
 */
export async function transfer({ base, boc, address, movesJettons }: Transfer): Promise<void> {
  await preview(base, boc)
  const stream = await EventStream.open(base, movesJettons)
  stream.subscribe(address)
  const { message_hash_norm: hash } = await post(`${base}/api/v3/message`, { boc })
  report({ step: 'sent', read: [hash] })
  await stream.isFinal
  stream.close()
  await lookUp(base, hash)
}

const report = (step: WalletStep): void =>
  (globalThis as unknown as { report(step: WalletStep): void }).report(step)

async function preview(base: string, boc: string): Promise<void> {
  const flags = { with_actions: true, include_code_data: true, include_address_book: true }
  const request = { boc, ignore_chksig: true, include_metadata: true, ...flags }
  const reply = await post(`${base}/api/emulate/v1/emulateTrace`, request)
  const read = [
    ...Object.values(reply.transactions).map(readTransaction),
    ...reply.actions.map(readAction),
    ...readBook(reply.address_book),
    reply.trace.tx_hash,
    reply.rand_seed,
    ...Object.keys(reply.code_cells),
    ...Object.keys(reply.data_cells),
    ...Object.values(reply.metadata).flatMap((one: Any) => one.token_info.map((info: Any) => info.type)),
  ]
  report({ step: 'preview', read })
}

const RANKS = ['pending', 'confirmed', 'finalized']

/** Events of the account of a wallet. */
class EventStream {
  /** Resolves when the transfer is final, rejects when an event lacks a member or comes too late. */
  readonly isFinal: Promise<void>
  /** Types of which the last event has not come. */
  private readonly left: Set<string>
  /** The highest finality of each trace, its place in `RANKS`. */
  private readonly highest = new Map<string, number>()

  private constructor(
    private readonly socket: WebSocket,
    movesJettons = false,
  ) {
    this.left = new Set(movesJettons ? ['transactions', 'jettons_change'] : ['transactions'])
    this.isFinal = new Promise((resolve, reject) => {
      socket.onmessage = ({ data }) => {
        try {
          this.receive(JSON.parse(data as string))
          if (this.left.size === 0) resolve()
        } catch (error) {
          reject(error)
        }
      }
    })
  }

  static async open(base: string, movesJettons?: boolean): Promise<EventStream> {
    const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/api/streaming/v2/ws?api_key=its`)
    await new Promise((resolve, reject) => {
      socket.onopen = resolve
      socket.onerror = () => reject(new Error('no connection'))
    })
    return new EventStream(socket, movesJettons)
  }

  subscribe(address: string): void {
    const types = ['transactions', 'account_state_change', 'jettons_change']
    const wanted = { types, addresses: [address], min_finality: 'pending', include_metadata: true }
    this.socket.send(JSON.stringify({ operation: 'subscribe', id: '1', ...wanted }))
    this.socket.send(JSON.stringify({ operation: 'ping', id: '2' }))
  }

  close(): void {
    this.socket.close()
  }

  private receive(event: Any): void {
    if (event.status) report({ step: 'subscribed', read: [event.status] })
    const read = this.read(event)
    if (!read) return
    const { type, finality } = event
    report({ step: 'event', finality, read: [type, ...read] })
    if (finality === 'finalized') this.left.delete(type)
  }

  private read(event: Any): string[] | undefined {
    switch (event.type) {
      case 'account_state_change':
        return [event.account, String(BigInt(event.state.balance.trim()))]
      case 'jettons_change':
        return readJettons(event)
      case 'transactions':
        this.rise(event.trace_external_hash_norm, event.finality)
        Object.values(event.metadata).map((one: Any) => one.token_info.length)
        return [event.trace_external_hash_norm, ...event.transactions.map(readTransaction)]
      default:
        return undefined
    }
  }

  private rise(trace: string, finality: string): void {
    const rank = RANKS.indexOf(finality)
    if ((this.highest.get(trace) ?? -1) > rank) throw new Error(`${finality} comes too late`)
    this.highest.set(trace, rank)
  }
}

/** Asks until the trace is complete in the index. */
async function lookUp(base: string, hash: string): Promise<void> {
  const url = `${base}/api/v3/traces?${new URLSearchParams({ msg_hash: hash })}`
  for (;;) {
    const reply: Any = await (await fetch(url)).json()
    const [trace] = reply.traces
    if (trace?.trace_info.trace_state === 'complete') {
      const read = Object.values(trace.transactions).map(readTransaction)
      return report({ step: 'indexed', read: [...read, ...readBook(reply.address_book)] })
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function post(url: string, body: Json): Promise<Any> {
  const headers = { 'Content-Type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (reply.status !== 200) throw new Error(`${url}: ${reply.status} ${await reply.text()}`)
  return reply.json()
}

function readTransaction(transaction: Any): string {
  const { account_state_before: before, account_state_after: after, description } = transaction
  const parts = [
    ...[before.hash, after.hash, description.storage_ph.storage_fees_collected ?? ''],
    ...[description.compute_ph.skipped, transaction.block_ref.workchain, transaction.block_ref.shard],
    ...[transaction.trace_external_hash.length, transaction.lt.length, transaction.now.toFixed()],
  ]
  if (description.action) parts.push(description.action.tot_msg_size.cells.length)
  for (const message of transaction.out_msgs) parts.push(message.hash.length, message.message_content.hash)
  return parts.join()
}

const readAction = (action: Any): string =>
  [action.type, ...action.accounts, ...action.transactions, action.trace_external_hash.length].join()

const readBook = (book: Any): string[] => Object.values(book).map((row: Any) => row.user_friendly.trim())

function readJettons({ jetton, metadata }: Any): string[] {
  const info = metadata[jetton.jetton].token_info.find((one: Any) => one.type === 'jetton_masters')
  return [jetton.balance.trim(), jetton.owner.trim(), info.extra.decimals.trim()]
}
