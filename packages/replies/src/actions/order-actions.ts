import { type OrderActions, rawAddressesIn, readOrderActions, toJsonText } from '@shardwalk/api-schema'
import { Pace } from '@shardwalk/concurrency'
import type { MultisigOrderRow } from '@shardwalk/db'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { OrderAmounts } from '@shardwalk/queries'
import { BASE64, type ReplySize, TYPICAL_BYTES, wholeReply } from '../reply-size.ts'

/** Less is not counted by `hold`. Bytes. */
const HELD_AT_A_TIME = 65_536

/** What bounds a reply and everything else that is being answered. */
interface Limits {
  readonly size: ReplySize
  /** Takes memory until the reply ends. Throws when too much is taken. */
  readonly hold: (bytes: number) => void
}

/** Average size of an order as JSON without its bag of cells and its signers. Bytes. */
const ORDER_BYTES = 600

/** Throws `ReplyTooLarge` when orders are too large for one reply, before they are loaded. */
export function expectOrders(
  { size, hold }: Limits,
  { orders, bocBytes, signers }: OrderAmounts,
  instead: string,
): void {
  const bytes = orders * ORDER_BYTES + bocBytes * BASE64 + signers * TYPICAL_BYTES.address
  wholeReply(size.maxBytes).expect(bytes, instead)
  hold(bytes)
}

/** Orders of multisigs with the actions in their bodies; null: not asked for. */
export interface OrdersWithActions {
  readonly views: readonly { readonly row: MultisigOrderRow; readonly actions: OrderActions | null }[]
  /** Addresses that the actions name, without duplicates. */
  readonly named: readonly RawAddress[]
}

/** The same without reading any. */
export const withoutActions = (rows: readonly MultisigOrderRow[]): OrdersWithActions => ({
  views: rows.map((row) => ({ row, actions: null })),
  named: [],
})

/**
 * Reads the actions of orders. An order may print hundreds of times its size, because cells are shared, so
 * the text is measured action by action. Throws `ReplyTooLarge`, and what `hold` throws.
 */
export async function readActionsOf(
  limits: Limits,
  rows: readonly MultisigOrderRow[],
): Promise<OrdersWithActions> {
  const growth = new Growth(limits)
  const named = new Map<string, RawAddress>()
  const pace = new Pace()
  const views = []
  for (const row of rows) {
    const actions = []
    const found = readOrderActions(row)
    for (const action of found ?? []) {
      const text = toJsonText(action)
      growth.add(text.length)
      for (const address of rawAddressesIn(text)) {
        const raw = formatRawAddress(address)
        if (!named.has(raw)) growth.add(TYPICAL_BYTES.address)
        named.set(raw, address)
      }
      actions.push(action)
      await pace.rest()
    }
    views.push({ row, actions: found && actions })
  }
  return { views, named: [...named.values()] }
}

/** Text that is kept until the reply ends. */
class Growth {
  private bytes = 0
  private held = 0

  constructor(private readonly limits: Limits) {}

  add(bytes: number): void {
    this.bytes += bytes
    wholeReply(this.limits.size.maxBytes).expect(this.bytes, 'lower `limit` or leave out `parse_actions`')
    if (this.bytes - this.held <= HELD_AT_A_TIME) return
    this.limits.hold(this.bytes - this.held)
    this.held = this.bytes
  }
}
