import type { Client, Json } from '../client.ts'

/** Paths of pages about something of the recorded chain. */
type Find = (client: Client) => Promise<string>

const hexOf = (hash: unknown): string => Buffer.from(String(hash), 'base64').toString('hex')

const rows = async (client: Client, path: string, key: string): Promise<Json[]> => {
  const { body } = await client.get(path, { limit: 1000 })
  return body[key] as Json[]
}

async function account(client: Client, tab: string): Promise<string> {
  const [wallet] = await rows(client, 'jetton/wallets', 'jetton_wallets')
  const [transaction] = await rows(client, 'transactions', 'transactions')
  return `/address/${String(wallet?.['owner'] ?? transaction!['account'])}?tab=${tab}`
}

async function transaction(client: Client, matches: (transaction: Json) => boolean): Promise<string> {
  const found = (await rows(client, 'transactions', 'transactions')).find(matches)
  return `/tx/${hexOf(found!['hash'])}`
}

const description = (one: Json): Json => one['description'] as Json

/** The trace with the number of transactions closest to `count`. */
async function trace(client: Client, count: number): Promise<string> {
  const size = (one: Json) => Math.abs(Number((one['trace_info'] as Json)['transactions']) - count)
  const found = (await rows(client, 'traces', 'traces')).sort((a, b) => size(a) - size(b))[0]
  return `/trace/${hexOf(found!['trace_id'])}`
}

export const FOUND = {
  'account: actions': (client) => account(client, 'actions'),
  'account: transactions': (client) => account(client, 'transactions'),
  'account: jettons': (client) => account(client, 'jettons'),
  'account, never seen': async () => `/address/0:${'0123'.repeat(16)}`,
  'transaction: ordinary': (client) => transaction(client, (one) => (one['out_msgs'] as Json[]).length > 0),
  'transaction: aborted': (client) => transaction(client, (one) => description(one)['aborted'] === true),
  'transaction: tick-tock': (client) =>
    transaction(client, (one) => description(one)['type'] === 'tick_tock'),
  'trace of 3': (client) => trace(client, 3),
  'trace of 40': (client) => trace(client, 40),
} satisfies Readonly<Record<string, Find>>

export type Kind = keyof typeof FOUND
export const KINDS = Object.keys(FOUND) as Kind[]
