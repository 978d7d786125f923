import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DatabaseHandle, insertWebhook } from '@shardwalk/db'
import { sql } from 'kysely'
import { waitUntil } from './processes.ts'

const RAW = `a.workchain || ':' || upper(encode(a.address, 'hex'))`

/** Accounts to which most happens, raw. */
export async function busiestAccounts({ pool }: Pick<DatabaseHandle, 'pool'>): Promise<readonly string[]> {
  const { rows } = await pool.query<{ raw: string }>(
    `select ${RAW} as raw from transactions t join accounts a on a.id = t.account_id where a.workchain = 0
     group by 1 order by count(*) desc, 1 limit 5`,
  )
  return rows.map(({ raw }) => raw)
}

interface Event {
  readonly account: string
  readonly transactions?: readonly { readonly hash: string }[]
  /** Of events with actions. */
  readonly trace_external_hash_norm?: string
}

/** A server that webhooks are sent to, and what it received, each once. */
export class PostedEvents {
  private readonly received = new Set<string>()

  private constructor(
    private readonly server: Server,
    private readonly accounts: readonly string[],
  ) {}

  static async open(accounts: readonly string[]): Promise<PostedEvents> {
    const server = createServer(async (request, reply) => {
      posted.take(JSON.parse(Buffer.concat(await request.toArray()).toString()) as Event)
      reply.end()
    })
    const posted = new PostedEvents(server, accounts)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return posted
  }

  private take({ account, transactions = [], trace_external_hash_norm: trace }: Event): void {
    for (const { hash } of transactions) this.received.add(`${account} transaction ${hash}`)
    // Once for each trace, whose actions may change when more is known of its contracts.
    if (trace !== undefined) this.received.add(`${account} actions of ${trace}`)
  }

  /** From the first block on. */
  async ask({ pool }: Pick<DatabaseHandle, 'pool'>): Promise<void> {
    const { port } = this.server.address() as AddressInfo
    const accounts = this.accounts.map((raw) => {
      const [workchain, hash] = raw.split(':') as [string, string]
      return { workchain: Number(workchain), hash: Buffer.from(hash, 'hex') }
    })
    const url = `http://127.0.0.1:${port}/`
    await insertWebhook(pool, { url, types: ['transactions', 'actions'], accounts, after: 0 })
  }

  /** Everything has been delivered; returns what was not received of what the tables have. */
  async missing({ db, pool }: DatabaseHandle): Promise<readonly string[]> {
    // What the passing of time does: nobody waits for what a dead process was delivering.
    await sql`update webhook_outbox set leased_until = now(), due_at = now()
      where leased_until is not null`.execute(db)
    const isEmpty = async () => (await pool.query('select from webhook_outbox limit 1')).rowCount === 0
    const seen = () => `${this.received.size} received`
    await waitUntil('all webhooks are delivered', isEmpty, { everyMs: 400, seen })
    const { rows } = await pool.query<{ event: string }>(
      `select ${RAW} || ' transaction ' || encode(t.hash, 'base64') as event
       from transactions t join accounts a on a.id = t.account_id where ${RAW} = any ($1)
       union select ${RAW} || ' actions of '
         || encode(coalesce(r.external_hash_norm, r.external_hash, r.trace_id), 'base64')
       from actions x join traces r on r.trace_id = x.trace_id
       cross join unnest(account_ids_in(x.account_ids)) i(id) join accounts a on a.id = i.id
       where ${RAW} = any ($1) and x.ancestor_type is null`,
      [this.accounts],
    )
    if (rows.length === 0) throw new Error('the tables have nothing of these accounts')
    return rows.map(({ event }) => event).filter((event) => !this.received.has(event))
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }
}
