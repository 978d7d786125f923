import { parseAddress } from '@shardwalk/api-schema'
import { BatchSink, type EncodedBatch, insertWebhook, WEBHOOK_TYPES, type WebhookType } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import {
  classifiedChain,
  classifyAll,
  RecordedNetwork,
  recordedBatches,
  refreshAll,
} from '@shardwalk/testkit/refresh-chain'

/** The recorded chain as it is indexed: blocks, then what is examined and classified behind them. */
export class FollowedChain {
  private constructor(
    readonly scratch: ScratchDatabase,
    private readonly batches: readonly EncodedBatch[],
    private readonly network: RecordedNetwork,
    private readonly refresher: ReturnType<RecordedNetwork['refresher']>,
    private readonly sink: BatchSink,
    /** Accounts to which most happens between the two blocks, raw. */
    readonly accounts: readonly string[],
  ) {}

  static async open({
    start,
    end,
  }: {
    readonly start: number
    readonly end: number
  }): Promise<FollowedChain> {
    const accounts = await accountsBetween(start, end)
    const [batches, network, scratch] = await Promise.all([
      recordedBatches({ to: end }),
      RecordedNetwork.open(),
      scratchDatabase(),
    ])
    const sink = new BatchSink(scratch.pool)
    const chain = new FollowedChain(scratch, batches, network, network.refresher(scratch), sink, accounts)
    await chain.index(0, start)
    return chain
  }

  /** Blocks after `from`, up to `to`. */
  async index(from: number, to: number): Promise<void> {
    await this.sink.commitBatches(
      this.batches.filter(({ mcBlockSeqno }) => mcBlockSeqno > from && mcBlockSeqno <= to),
    )
    await refreshAll(this.refresher)
    await classifyAll(this.scratch)
  }

  add(
    url: string,
    after: number,
    {
      types = WEBHOOK_TYPES,
      accounts = this.accounts,
    }: { types?: readonly WebhookType[]; accounts?: readonly string[] } = {},
  ): Promise<{ id: number; secret: string }> {
    const addresses = accounts.map((raw) => parseAddress(raw)!)
    return insertWebhook(this.scratch.pool, { url, types, after, accounts: addresses })
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.scratch.pool.query(text, [...values])).rows
  }

  async close(): Promise<void> {
    await this.refresher.close()
    await this.network.close()
    await this.scratch.close()
  }
}

export const RAW = `a.workchain || ':' || upper(encode(a.address, 'hex'))`

async function accountsBetween(start: number, end: number): Promise<string[]> {
  const whole = await classifiedChain()
  try {
    const busy = await whole.pool.query(
      `select ${RAW} as raw from transactions t join accounts a on a.id = t.account_id
       where t.mc_block_seqno between $1 + 1 and $2 and a.workchain = 0
       group by 1 order by count(*) desc, 1 limit 8`,
      [start, end],
    )
    const wallets = await whole.pool.query(
      `select distinct ${RAW} as raw from transactions t join jetton_wallets w on w.account_id = t.account_id
       join accounts a on a.id in (w.account_id, w.owner_id)
       where t.mc_block_seqno between $1 + 1 and $2 order by 1 limit 8`,
      [start, end],
    )
    return [...new Set([...busy.rows, ...wallets.rows].map((row) => row.raw as string))]
  } finally {
    await whole.close()
  }
}
