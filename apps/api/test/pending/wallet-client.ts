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

/**
 * A transfer as WalletKit makes it: preview, subscribe, send, follow until it is final, look it up. It reads
 * the members that WalletKit reads without asking whether they are there, so a missing one is an exception.
 * Uses nothing but globals, to run in a browser too: `report` takes its steps, one after the other.
 */
export async function transfer({ base, boc, address, movesJettons }: Transfer): Promise<void> {
  const { report } = globalThis as unknown as { report(step: WalletStep): unknown }
  // Members are checked as they are used, as in a wallet.
  // biome-ignore lint/suspicious/noExplicitAny: whatever comes is dereferenced unchecked
  type Any = any
  const post = async (path: string, body: Json): Promise<Any> => {
    const reply = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return reply.json()
  }
  const readTransaction = (transaction: Any): string => {
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
  const readEmulated = (reply: Any): string[] => [
    ...Object.values(reply.transactions).map(readTransaction),
    ...reply.actions.map(readAction),
    ...readBook(reply.address_book),
    reply.trace.tx_hash,
    reply.rand_seed,
    ...Object.keys(reply.code_cells),
    ...Object.keys(reply.data_cells),
    ...Object.values(reply.metadata).flatMap((one: Any) => one.token_info.map((info: Any) => info.type)),
  ]
  const flags = { with_actions: true, include_code_data: true, include_address_book: true }
  const preview = await post('/api/emulate/v1/emulateTrace', {
    ...{ boc, ignore_chksig: true, include_metadata: true },
    ...flags,
  })
  report({ step: 'preview', read: readEmulated(preview) })

  const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/api/streaming/v2/ws?api_key=its`)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('no connection'))
  })
  const ranks = ['pending', 'confirmed', 'finalized']
  const highest = new Map<string, number>()
  const isFinal = new Promise<void>((resolve, reject) => {
    const left = new Set(movesJettons ? ['transactions', 'jettons_change'] : ['transactions'])
    const finished = ({ type, finality }: Any) => {
      if (finality === 'finalized' && left.delete(type) && left.size === 0) resolve()
    }
    const receive = (event: Any): void => {
      if (event.status) return void report({ step: 'subscribed', read: [event.status] })
      if (event.type === 'account_state_change') {
        BigInt(event.state.balance.trim())
        return void report({ step: 'event', finality: event.finality, read: [event.type, event.account] })
      }
      if (event.type === 'jettons_change') {
        const { jetton, metadata } = event
        const info = metadata[jetton.jetton].token_info.find((one: Any) => one.type === 'jetton_masters')
        const read = [event.type, jetton.balance.trim(), jetton.owner.trim(), info.extra.decimals.trim()]
        report({ step: 'event', finality: event.finality, read })
        return void finished(event)
      }
      if (event.type !== 'transactions') return
      const { trace_external_hash_norm: key, finality } = event
      if ((highest.get(key) ?? -1) > ranks.indexOf(finality)) throw new Error(`${finality} comes too late`)
      highest.set(key, ranks.indexOf(finality))
      Object.values(event.metadata).map((one: Any) => one.token_info.length)
      report({
        step: 'event',
        finality,
        read: ['transactions', key, ...event.transactions.map(readTransaction)],
      })
      finished(event)
    }
    socket.onmessage = ({ data }) => {
      try {
        receive(JSON.parse(data as string))
      } catch (error) {
        reject(error)
      }
    }
  })
  const types = ['transactions', 'account_state_change', 'jettons_change']
  const wanted = { types, addresses: [address], min_finality: 'pending', include_metadata: true }
  socket.send(JSON.stringify({ operation: 'subscribe', id: '1', ...wanted }))
  socket.send(JSON.stringify({ operation: 'ping', id: '2' }))

  const sent = await post('/api/v3/message', { boc })
  report({ step: 'sent', read: [sent.message_hash_norm] })
  await isFinal
  socket.close()
  for (;;) {
    const query = new URLSearchParams({ msg_hash: sent.message_hash_norm })
    const reply: Any = await (await fetch(`${base}/api/v3/traces?${query}`)).json()
    if (reply.traces[0]?.trace_info.trace_state === 'complete') {
      const [trace] = reply.traces
      const read = Object.values(trace.transactions).map(readTransaction)
      return void report({ step: 'indexed', read: [...read, ...readBook(reply.address_book)] })
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
