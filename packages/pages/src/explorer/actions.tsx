import type { ComponentChildren } from 'preact'
import { tracePath } from '../frame/paths.ts'
import { ChainText } from '../text/chain-text.tsx'
import { Address, type Column, Hash, Table, Time } from './parts.tsx'
import type { Action, Names } from './replies.ts'
import { Token, TokenAmount } from './tokens.tsx'

type Details = Readonly<Record<string, unknown>>

interface ActionSummary {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly amounts: readonly { readonly amount: string; readonly asset: string | null }[]
  /** An NFT item or the like that changed hands. */
  readonly thing?: string | undefined
  readonly comment?: string | undefined
}

const FROM = ['sender', 'source', 'old_owner', 'owner', 'user', 'staker', 'bidder']
const TO = ['receiver', 'destination', 'new_owner', 'pool', 'contract', 'auction', 'sale_contract']
const THINGS = ['nft_item', 'item', 'nft_address']

const IS_ADDRESS = /^-?\d+:[0-9A-F]{64}$/
const address = (value: unknown): string | undefined =>
  typeof value === 'string' && IS_ADDRESS.test(value) ? value : undefined
const digits = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d+$/.test(value) ? value : undefined
const first = (details: Details, keys: readonly string[]): string | undefined =>
  keys.map((key) => address(details[key])).find((found) => found !== undefined)

const SUMMARIES = new WeakMap<object, ActionSummary>()

/** Who gave what to whom, from the details of any type of action. Several columns of a row show it. */
export function summaryOf(action: Pick<Action, 'type' | 'details'>): ActionSummary {
  const found = SUMMARIES.get(action) ?? readSummary(action)
  SUMMARIES.set(action, found)
  return found
}

function readSummary(action: Pick<Action, 'type' | 'details'>): ActionSummary {
  // Of any type: what its fields are called says what they mean.
  const details = action.details as Details
  const comment = details['comment']
  const encrypted = details['is_encrypted_comment'] === true || details['encrypted'] === true
  return {
    from: first(details, FROM),
    to: first(details, TO),
    amounts: amountsOf(action.type, details),
    thing: first(details, THINGS),
    comment: encrypted ? undefined : typeof comment === 'string' && comment !== '' ? comment : undefined,
  }
}

/** What the amount is of, in types where `asset` is something else: the token that a stake gives, a pool. */
const ASSET_OF_AMOUNT: Readonly<Record<string, string>> = {
  stake_deposit: 'source_asset',
  stake_withdrawal: 'source_asset',
  coffee_create_pool: 'provided_asset',
  coffee_create_pool_creator: 'provided_asset',
}

/** Without an asset, the amount is of a token that is not known rather than of TON. */
const isOfUnknown = (type: string, details: Details): boolean =>
  /^(jetton|tgbtc|jvault)_/.test(type) ||
  details['is_known_asset'] === false ||
  (type === 'evaa_withdraw' && details['fail_reason'] != null)

function amountsOf(type: string, details: Details): ActionSummary['amounts'] {
  const swapped = ['dex_incoming_transfer', 'dex_outgoing_transfer'].flatMap((key) => {
    const part = details[key] as Details | null | undefined
    const amount = digits(part?.['amount'])
    return amount === undefined ? [] : [{ amount, asset: address(part?.['asset']) ?? null }]
  })
  if (swapped.length > 0) return swapped
  const amount = digits(details['amount'])
  const asset = address(details[ASSET_OF_AMOUNT[type] ?? 'asset']) ?? null
  if (asset === null && isOfUnknown(type, details)) return []
  // Items of collections are counted, not measured.
  if (amount !== undefined) return [{ amount, asset }]
  const value = digits(details['value']) ?? digits(details['payout_amount']) ?? digits(details['price'])
  return value === undefined ? [] : [{ amount: value, asset: null }]
}

/** `jetton_swap` as `Jetton swap`. */
const typeInWords = (type: string): string => {
  const words = type
    .replaceAll('_', ' ')
    .replace(/\b(nft|dns|ton|dex|dvn|mev|tgbtc)\b/g, (word) => word.toUpperCase())
    .slice(0, 60)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

interface Props {
  readonly actions: readonly Action[]
  readonly names: Names
  /** The account of the page. */
  readonly self?: string
  readonly caption: string
  readonly empty: string
  /** Whether rows link to their traces. */
  readonly hasTraces: boolean
}

/** A table of actions: time, type, parties, amount. */
export function ActionTable({ actions, names, self, caption, empty, hasTraces }: Props) {
  const columns: Column<Action>[] = [
    { name: 'Time', cell: (action) => <Time unix={action.end_utime} /> },
    {
      name: 'Action',
      cell: (action) => (
        <>
          {typeInWords(action.type)}
          {action.success === false && <span class="label failed">failed</span>}
        </>
      ),
    },
    { name: 'From', cell: (action) => <Party raw={summaryOf(action).from} names={names} self={self} /> },
    { name: 'To', cell: (action) => <Party raw={summaryOf(action).to} names={names} self={self} /> },
    { name: 'Amount', cell: (action) => <Amounts action={action} names={names} /> },
    { name: 'Comment', cell: (action) => commentOf(action) },
    ...(hasTraces
      ? [
          {
            name: 'Trace',
            cell: (action: Action) => action.trace_id && <Hash hash={action.trace_id} path={tracePath} />,
          },
        ]
      : []),
  ]
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={actions}
      keyOf={(action) => action.action_id}
      empty={empty}
    />
  )
}

const Party = ({
  raw,
  ...rest
}: {
  readonly raw: string | undefined
  names: Names
  self?: string | undefined
}) => (raw === undefined ? null : <Address raw={raw} {...rest} />)

function Amounts({ action, names }: { readonly action: Action; readonly names: Names }) {
  const { amounts, thing } = summaryOf(action)
  const parts: ComponentChildren[] = amounts.map(({ amount, asset }) => (
    <TokenAmount key={`${amount}${asset}`} amount={amount} asset={asset} names={names} />
  ))
  if (thing !== undefined) parts.unshift(<Token key={thing} raw={thing} names={names} />)
  return (
    <>
      {parts.map((part, index) => (
        <span key={index}>
          {index > 0 && ' → '}
          {part}
        </span>
      ))}
    </>
  )
}

function commentOf(action: Action): ComponentChildren {
  const { comment } = summaryOf(action)
  return comment === undefined ? null : <ChainText text={comment} kind="brief" />
}
