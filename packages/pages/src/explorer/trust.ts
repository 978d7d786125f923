import { USDT_MASTER } from '@shardwalk/contracts'
import type { TokenFacts } from './tokens.tsx'

/** A judgement of a token, and what it is based on. */
export interface Label {
  readonly word: 'Verified' | 'Suspicious' | 'Scam'
  readonly reason: string
}

/**
 * Names of tokens that are imitated, with the jetton master that they belong to; null: no jetton may have
 * the name. Source of addresses: the issuers.
 */
const KNOWN: Readonly<Record<string, string | null>> = {
  ton: null,
  toncoin: null,
  usdt: USDT_MASTER,
  tetherusd: USDT_MASTER,
  tether: null,
  usdc: null,
  usdcoin: null,
  btc: null,
  bitcoin: null,
  eth: null,
  ethereum: null,
}
const VERIFIED: ReadonlySet<string> = new Set(Object.values(KNOWN).filter((master) => master !== null))

/** Letters that look like Latin ones. Source: Unicode confusables.txt, the ones used in names of tokens. */
const ALIKE: Readonly<Record<string, string>> = {
  ...{
    а: 'a',
    в: 'b',
    с: 'c',
    е: 'e',
    н: 'h',
    к: 'k',
    м: 'm',
    о: 'o',
    р: 'p',
    т: 't',
    у: 'y',
    х: 'x',
    ѕ: 's',
  },
  ...{
    і: 'i',
    ј: 'j',
    ԁ: 'd',
    α: 'a',
    β: 'b',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
  },
  υ: 'u',
  χ: 'x',
  '0': 'o',
  '1': 'l',
  '₮': 't',
  $: 's',
  '₿': 'b',
  ξ: 'e',
  ð: 'd',
}

/**
 * The text without what readers do not notice: marks, case, spaces, signs, and which alphabet a letter is
 * of.
 */
const skeleton = (text: string): string =>
  [...text.slice(0, 200).normalize('NFKD').toLowerCase()]
    .map((letter) => ALIKE[letter] ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Undefined: nothing is known for or against it. Flags of the operator go before rules. */
export function labelOf(
  raw: string,
  { name, symbol, isScam }: Pick<TokenFacts, 'name' | 'symbol' | 'isScam'>,
): Label | undefined {
  if (isScam) return { word: 'Scam', reason: 'flagged in table address_metadata_flags' }
  if (VERIFIED.has(raw)) return { word: 'Verified', reason: 'the address is that of the known token' }
  for (const text of [symbol, name]) {
    if (text === undefined) continue
    if (Object.hasOwn(KNOWN, skeleton(text)))
      return { word: 'Suspicious', reason: 'looks like the name of a known token and is not that token' }
    if (/\p{Script=Latin}/u.test(text) && /\p{Script=Cyrillic}|\p{Script=Greek}/u.test(text))
      return { word: 'Suspicious', reason: 'mixes letters of several alphabets' }
  }
  return undefined
}
