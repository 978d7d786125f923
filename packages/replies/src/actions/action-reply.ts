import { renderAction, type ActionRow as StoredAction } from '@shardwalk/actions'
import { type ActionView, type Json, parseAddress, toActionReply, toJsonText } from '@shardwalk/api-schema'
import { mapPaced } from '@shardwalk/concurrency'
import { unpackDetails } from '@shardwalk/db'
import type { RawAddress } from '@shardwalk/model'
import type { ActionRow } from '@shardwalk/queries'
import type { RenderContext } from '../render-context.ts'

/** An action and the details that the reply contains. */
export interface ShownAction {
  readonly row: ActionRow
  readonly type: string
  readonly details: Json
  /** Undefined: none, or the client does not know the type of that action. */
  readonly parentGaslessAction: string | undefined
}

interface Showing {
  /** Raw address of an account that an action involves. */
  readonly addressOf: (id: bigint) => string
  /** See `ShownAction`. */
  readonly knowsGasless: boolean
}

/** Actions in the form of replies. */
export function showActions(
  context: RenderContext,
  rows: readonly ActionRow[],
  { addressOf, knowsGasless }: Showing,
): Promise<ShownAction[]> {
  const names = actionNames(context)
  return mapPaced(rows, (row) => {
    // Only the columns specific to the type are read.
    const stored = {
      ...unpackDetails(row.details, (index) => addressOf(row.account_ids[index]!)),
      type: row.type,
      ancestor_type: row.ancestor_type,
    } as unknown as StoredAction
    const { type, details } = renderAction(stored, names)
    const parentGaslessAction = knowsGasless ? stored.parent_gasless_action : undefined
    return { row, type, details: toJsonText(details), parentGaslessAction }
  })
}

/** Raw addresses of the accounts that the actions involve. */
export async function accountTexts(
  { accounts, reading }: Pick<RenderContext, 'accounts' | 'reading'>,
  rows: readonly ActionRow[],
): Promise<(id: bigint) => string> {
  const ids = new Set(rows.flatMap((row) => row.account_ids))
  const directory = accounts.known(ids) ?? (await reading((db) => accounts.load(db, ids, { states: false })))
  return (id) => directory.get(id).raw
}

/** What the details of actions depend on besides the action. */
export const actionNames = ({
  testOnly,
  marketplaces,
}: Pick<RenderContext, 'testOnly' | 'marketplaces'>) => ({
  network: testOnly ? ('testnet' as const) : ('mainnet' as const),
  nameOf: (address: string) => marketplaces.get(address),
})

/** All addresses in the details, and others, without duplicates. */
export function addressesIn(actions: readonly ShownAction[], others: readonly string[] = []): RawAddress[] {
  const texts = new Set(
    actions.flatMap(({ details }) => details.match(/(?<=")-?\d+:[0-9A-F]{64}(?=")/g) ?? []),
  )
  for (const text of others) texts.add(text)
  return [...texts].map(parseAddress).filter((address) => address !== undefined)
}

/** An action as JSON. `beside`: members that clients ask for. */
export const actionText = (
  action: ShownAction,
  beside: { readonly accounts?: readonly string[]; readonly transactions?: readonly Json[] } = {},
): Json => toActionReply({ ...action, ...beside })

/** The texts of an action that is rendered once for clients of all versions. */
export function textsForAll<View extends Pick<ActionView, 'parentGaslessAction'>>(
  view: View,
  toText: (view: View) => Json,
) {
  const reply = toText({ ...view, parentGaslessAction: undefined })
  return { reply, replyWithGasless: view.parentGaslessAction === undefined ? undefined : toText(view) }
}
