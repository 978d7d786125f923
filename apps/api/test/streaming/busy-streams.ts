import type { Json } from '../client.ts'
import { MovingChain, type StreamingApi, startStreaming } from './moving-chain.ts'
import { SseClient, WsClient } from './stream-clients.ts'

/** The head when tests begin. */
export const START = 300

/** An API with streams at `START`, clients of it, and accounts that have much to report after that. */
export class BusyStreams {
  private readonly opened: (() => void)[] = []

  private constructor(
    readonly chain: MovingChain,
    readonly api: StreamingApi,
    /** With most transactions in the second half of the chain, and wallets of jettons. */
    readonly busy: readonly string[],
  ) {}

  static async open(): Promise<BusyStreams> {
    const chain = await MovingChain.open()
    await chain.moveTo(START)
    const api = await startStreaming(chain.scratch)
    return new BusyStreams(chain, api, await busyAccounts(chain))
  }

  sse = async (body: unknown, headers?: Record<string, string>, { url } = this.api): Promise<SseClient> => {
    const client = await SseClient.open(`${url}/api/streaming/v2/sse`, body, headers)
    this.opened.push(() => client.close())
    return client
  }

  ws = async ({ url } = this.api): Promise<WsClient> => {
    const client = await WsClient.open(`${url}/api/streaming/v2/ws`)
    this.opened.push(() => client.socket.terminate())
    return client
  }

  /** The next block with transactions of the accounts. */
  nextOfBusy = async (): Promise<number> => {
    const { rows } = await this.chain.scratch.pool.query(
      `select min(t.mc_block_seqno) as seqno from transactions t join accounts a on a.id = t.account_id
       where t.mc_block_seqno > $1 and a.workchain || ':' || upper(encode(a.address, 'hex')) = any($2)`,
      [this.api.streams.follower.position, this.busy],
    )
    return rows[0].seqno
  }

  get = async (path: string): Promise<Json> =>
    (await (await fetch(`${this.api.url}/api/v3/${path}`)).json()) as Json

  endClients(): void {
    for (const close of this.opened.splice(0)) close()
  }

  async close(): Promise<void> {
    await this.api.close()
    await this.chain.close()
  }
}

async function busyAccounts({ scratch }: MovingChain): Promise<readonly string[]> {
  const { rows } = await scratch.pool.query(
    `select a.workchain || ':' || upper(encode(a.address, 'hex')) as raw, count(*) as n
     from transactions t join accounts a on a.id = t.account_id where t.mc_block_seqno > $1
       and a.workchain = 0 and t.in_msg_account_id is not null
     group by 1 order by 2 desc limit 20`,
    [START],
  )
  const { rows: wallets } = await scratch.pool.query(
    `select distinct a.workchain || ':' || upper(encode(a.address, 'hex')) as raw
     from transactions t join jetton_wallets w on w.account_id = t.account_id
     join accounts a on a.id in (w.account_id, w.owner_id)
     where t.mc_block_seqno between $1 + 1 and $1 + 60 limit 20`,
    [START],
  )
  return [...new Set([...rows, ...wallets].map((row) => row.raw as string))]
}
