import { ChainText } from '../text/chain-text.tsx'
import { formatUnits } from '../text/numbers.ts'
import { Address } from './parts.tsx'
import type { Names } from './replies.ts'
import { labelOf } from './trust.ts'

/** What the metadata of a token says; all of it is written by its owner. */
export interface TokenFacts {
  readonly name?: string | undefined
  readonly symbol?: string | undefined
  readonly description?: string | undefined
  readonly decimals: number
  readonly isScam: boolean
  readonly isNsfw: boolean
}

/** Jettons without `decimals` have 9. Source: TEP-64. */
const DECIMALS = 9

/** `type`: as in `metadata`, for example `jetton_masters`. */
export function tokenFacts(names: Names, raw: string, type?: string): TokenFacts | undefined {
  const infos = names.metadata[raw]?.token_info ?? []
  const info = infos.find((one) => (type ? one.type === type : one.type !== 'jetton_wallets'))
  if (!info) return undefined
  const decimals = Number(info.extra?.['decimals'] ?? DECIMALS)
  return {
    name: textOf(info.name),
    symbol: textOf(info.symbol),
    description: textOf(info.description),
    decimals,
    isScam: info.is_scam === true,
    isNsfw: info.is_nsfw === true,
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Marks the name of a token that imitates another or is otherwise suspicious. */
export function TrustLabel({ names, raw }: { readonly names: Names; readonly raw: string }) {
  const facts = tokenFacts(names, raw)
  const label = facts && labelOf(raw, facts)
  if (!label) return null
  return (
    <span class={`label ${label.word.toLowerCase()}`} title={label.reason}>
      {label.word}
    </span>
  )
}

/** A token by its symbol or name, always with its address. */
export function Token({ names, raw }: { readonly names: Names; readonly raw: string }) {
  const facts = tokenFacts(names, raw)
  return (
    <span class="token">
      {facts?.symbol ? (
        <ChainText text={facts.symbol} kind="symbol" />
      ) : (
        facts?.name && <ChainText text={facts.name} kind="line" />
      )}{' '}
      <TrustLabel names={names} raw={raw} /> <Address raw={raw} names={names} />
    </span>
  )
}

interface AmountProps {
  readonly amount: string
  /** Jetton master; null: TON. */
  readonly asset: string | null | undefined
  readonly names: Names
}

/** An amount of a jetton, or the raw number where `decimals` make no sense. */
export function TokenAmount({ amount, asset, names }: AmountProps) {
  if (!asset) {
    const text = formatUnits(amount, 9)
    return <span class="amount">{text === undefined ? amount : `${text} TON`}</span>
  }
  const facts = tokenFacts(names, asset, 'jetton_masters')
  const text = formatUnits(amount, facts?.decimals ?? DECIMALS)
  return (
    <span class="amount" title={`${amount} in the smallest unit`}>
      {text ?? `${amount} (smallest unit)`} <Token names={names} raw={asset} />
    </span>
  )
}
