import type { RawAddress } from '@shardwalk/model'
import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { type DueWebhook, dueWebhooks, insertWebhook, type NewWebhook } from '../src/index.ts'

/** Webhooks want events of the masterchain blocks after `START`; those up to `LAST` are looked at. */
export const START = 40
export const LAST = 120

export const LEASE = { limit: 100, leaseSeconds: 60 }

/** Webhooks and their outbox beside the indexed sample. */
export class Outbox {
  constructor(
    readonly scratch: ScratchDatabase,
    readonly busy: readonly RawAddress[],
  ) {}

  static async open(): Promise<Outbox> {
    const scratch = await sampleChainDatabase()
    return new Outbox(scratch, await busyAccounts(scratch))
  }

  async query(text: string, values: unknown[] = []) {
    return (await this.scratch.pool.query(text, values)).rows
  }

  async clear(): Promise<void> {
    await this.query('truncate webhooks, webhook_accounts, webhook_secrets, webhook_outbox')
  }

  async add(more: Partial<NewWebhook> = {}): Promise<number> {
    const { id } = await insertWebhook(this.scratch.pool, {
      ...{ url: 'https://example.org/', types: ['transactions'], accounts: this.busy, after: START },
      ...more,
    })
    return id
  }

  /** What happened to the accounts of a webhook, by the tables of the chain. */
  happened(id: number) {
    return this.query(
      `select distinct t.account_id, t.mc_block_seqno as mc_seqno from transactions t
       join webhook_accounts a on a.account_id = t.account_id and a.webhook_id = $1
       where t.mc_block_seqno > $2 and t.mc_block_seqno <= $3 order by 1, 2`,
      [id, START, LAST],
    )
  }

  queued(id: number, type: number) {
    return this.query(
      'select account_id, mc_seqno from webhook_outbox where webhook_id = $1 and type = $2 order by 1, 2',
      [id, type],
    )
  }

  /** The outbox is as if all of it had happened just now. */
  async refill(id: number): Promise<void> {
    await this.query('truncate webhook_outbox')
    await this.query(
      `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
       select distinct $1::int, t.account_id, t.mc_block_seqno, 0, 0 from transactions t
       join webhook_accounts a on a.account_id = t.account_id and a.webhook_id = $1
       where t.mc_block_seqno > $2 and t.mc_block_seqno <= $3 order by 3, 2`,
      [id, START, LAST],
    )
  }

  async dueOne(id: number): Promise<DueWebhook | undefined> {
    return (await dueWebhooks(this.scratch.db)).find((one) => one.id === id)
  }
}

/** The accounts with most transactions, in a database of the sample. */
export async function busyAccounts({ pool }: ScratchDatabase): Promise<readonly RawAddress[]> {
  const { rows } = await pool.query<RawAddress>(
    `select a.workchain, a.address as hash from transactions t join accounts a on a.id = t.account_id
     where t.mc_block_seqno <= $1 group by 1, 2 order by count(*) desc, 2 limit 12`,
    [LAST],
  )
  return rows
}
