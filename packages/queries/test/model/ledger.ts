import type { Row } from '@shardwalk/db'
import type pg from 'pg'
import { hashesOf } from '../../src/actions/action-rows.ts'
import { rowsOf } from './contracts.ts'
import { includes, sorted } from './lists.ts'
import type { Message } from './messages.ts'
import type { Transaction } from './transactions.ts'

interface Chain {
  readonly transactions: readonly Transaction[]
  readonly messages: readonly Message[]
}

/** What traces and actions of a chain moved. */
export class Ledger {
  private readonly received: ReadonlyMap<Transaction, Message>

  private constructor(
    private readonly transactions: readonly Transaction[],
    messages: readonly Message[],
    readonly traces: readonly Row<'traces'>[],
    /** Roots of traces by their pieces. */
    private readonly rootOf: ReadonlyMap<bigint, bigint>,
    private readonly wallets: ReadonlyMap<bigint, Row<'jetton_wallets'>>,
  ) {
    this.received = new Map(
      messages.flatMap((message) => (message.receiver ? [[message.receiver, message] as const] : [])),
    )
  }

  static async read(pool: pg.Pool, { transactions, messages }: Chain): Promise<Ledger> {
    const traces = await rowsOf(pool, 'traces')
    const { rows: roots } = await pool.query<{ piece: bigint; root: bigint }>(
      'select piece, root_of_piece(piece) as root from (select distinct piece from transactions) p',
    )
    const rootOf = new Map(roots.map(({ piece, root }) => [piece, root]))
    const wallets = new Map((await rowsOf(pool, 'jetton_wallets')).map((row) => [row.account_id, row]))
    return new Ledger(transactions, messages, traces, rootOf, wallets)
  }

  /** The transactions of the trace; of the action only, if there is one. */
  covered(traceId: Buffer, action: Row<'actions'> | undefined): Transaction[] {
    const { piece } = this.traces.find((one) => one.trace_id.equals(traceId))!
    const ofTrace = this.transactions.filter((tx) => this.rootOf.get(tx.piece) === piece)
    const ofAction = action && hashesOf(action)
    const first = ofTrace.find((tx) => ofAction?.[0]?.equals(tx.hash))
    const hashes = first?.in_msg_account_id == null ? ofAction : ofAction?.slice(1)
    return ofTrace.filter((tx) => !hashes || includes(hashes, tx.hash))
  }

  /** By account: its fees, and what it received less what it sent; null if no message had a value. */
  tonChanges(covered: readonly Transaction[]): object[] {
    const changes = new Map<bigint, { change: bigint | null; fees: bigint }>()
    const add = (account: bigint, change: bigint | null, fees: bigint) => {
      const known = changes.get(account) ?? { change: null, fees: 0n }
      const sum = change === null ? known.change : (known.change ?? 0n) + change
      changes.set(account, { change: sum, fees: known.fees + fees })
    }
    for (const tx of covered) {
      const message = this.received.get(tx)
      add(tx.account_id, message?.value ?? null, tx.total_fees)
      if (message && tx.in_msg_account_id !== null)
        add(
          tx.in_msg_account_id,
          message.value === null ? null : -message.value,
          (message.fwd_fee ?? 0n) + (message.ihr_fee ?? 0n),
        )
    }
    const rows = [...changes].map(([account_id, { change, fees }]) => ({
      ...{ account_id, change: change === null ? null : String(change), fees: String(fees) },
    }))
    return sorted(rows, [{ of: (row) => row.account_id, sort: 'asc' }])
  }

  /** What jetton wallets received with one of these opcodes and did not refuse, in the order of `covered`. */
  jettonMoves(covered: readonly Transaction[], opcodes: readonly number[]): object[] {
    return covered.flatMap((tx) => {
      const [wallet, message] = [this.wallets.get(tx.account_id), this.received.get(tx)]
      if (!wallet || !message?.body || tx.aborted || !opcodes.includes(message.opcode!)) return []
      const { owner_id, jetton_id } = wallet
      return [{ owner_id, jetton_id, opcode: message.opcode, body: message.body }]
    })
  }
}
