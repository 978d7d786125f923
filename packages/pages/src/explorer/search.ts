import { parseAddress } from '@shardwalk/api-schema'
import { formatRawAddress } from '@shardwalk/model'
import { OF_MASTERCHAIN } from '../frame/paths.ts'

/** How the text of a search is read. */
export type Search =
  | { readonly kind: 'account'; readonly address: string; readonly isOfOtherNetwork: boolean }
  /** A transaction, trace, message or block; hex. */
  | { readonly kind: 'hash'; readonly hash: string }
  | { readonly kind: 'block'; readonly workchain: number; readonly shard: string; readonly seqno: number }
  | { readonly kind: 'domain'; readonly domain: string }
  | { readonly kind: 'nothing' }

const INT32_MAX = 2_147_483_647
const NOTHING: Search = { kind: 'nothing' }
/** Longer texts are not searched for. */
const MAX_LENGTH = 1000
const MAX_DOMAIN = 126

/** Reads an address in any form, a hash, a block id or a domain, alone or as part of a pasted URL. */
export function readSearch(text: string, { testOnly }: { readonly testOnly: boolean }): Search {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > MAX_LENGTH) return NOTHING
  if (/^https?:\/\//i.test(trimmed)) return readUrl(trimmed, testOnly)
  return readOne(trimmed, testOnly)
}

function readOne(text: string, testOnly: boolean): Search {
  return readAddress(text, testOnly) ?? readHash(text) ?? readBlock(text) ?? readDomain(text) ?? NOTHING
}

/** The last part of the path, or value of a parameter, that can be read. */
function readUrl(text: string, testOnly: boolean): Search {
  if (!URL.canParse(text)) return NOTHING
  const url = new URL(text)
  const parts = [...url.pathname.split('/'), ...url.searchParams.values()].flatMap(decoded)
  for (const part of parts.reverse()) {
    // A number in a URL may be anything, and words are no domains.
    const found =
      readAddress(part, testOnly) ?? readHash(part) ?? (/[(:,]/.test(part) ? readBlock(part) : undefined)
    if (found) return found
    if (/\.(ton|t\.me)$/i.test(part)) return readDomain(part) ?? NOTHING
  }
  return NOTHING
}

function decoded(part: string): string[] {
  try {
    return [decodeURIComponent(part)]
  } catch {
    return []
  }
}

function readAddress(text: string, testOnly: boolean): Search | undefined {
  const address = parseAddress(text)
  if (!address) return undefined
  const isFriendly = !text.includes(':')
  const tag = isFriendly ? Buffer.from(text, 'base64')[0]! : 0
  return {
    kind: 'account',
    address: formatRawAddress(address),
    isOfOtherNetwork: isFriendly && (tag & 0x80) !== 0 && !testOnly,
  }
}

function readHash(text: string): Search | undefined {
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return { kind: 'hash', hash: text.slice(-64).toLowerCase() }
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined
  return { kind: 'hash', hash: Buffer.from(text, 'base64').toString('hex') }
}

const BLOCK = /^\(?(-?\d{1,10})[:,]([0-9a-f]{16})[:,](\d{1,10})\)?(:[0-9a-f]{64}){0,2}$/i

function readBlock(text: string): Search | undefined {
  const plain = text.replace(/[\s_]|(?<=\d),(?=\d{3}(\D|$))/g, (found) =>
    found === ',' && BLOCK.test(text) ? ',' : '',
  )
  if (/^\d{1,10}$/.test(plain) && Number(plain) <= INT32_MAX)
    return { kind: 'block', ...OF_MASTERCHAIN, seqno: Number(plain) }
  const [, workchain, shard, seqno] = BLOCK.exec(text.replaceAll(' ', '')) ?? []
  if (workchain === undefined || Math.abs(Number(workchain)) > INT32_MAX || Number(seqno) > INT32_MAX)
    return undefined
  return { kind: 'block', workchain: Number(workchain), shard: shard!.toLowerCase(), seqno: Number(seqno) }
}

function readDomain(text: string): Search | undefined {
  const name = text.toLowerCase().normalize('NFC')
  const isName = name.length <= MAX_DOMAIN && /^[^\s./:@\\]+(\.[^\s./:@\\]+)+$/u.test(name)
  return isName ? { kind: 'domain', domain: name } : undefined
}
