import { FetchError } from './fetch-error.ts'

/** Public gateways, in the order in which they are tried. */
export const DEFAULT_GATEWAYS = [
  'https://ipfs.io/ipfs/',
  'https://dweb.link/ipfs/',
  'https://gateway.pinata.cloud/ipfs/',
] as const

/**
 * CIDv0 (base58, SHA-256), CIDv1 with its prefix of the base: 58, 36, 32 and 16. Sources:
 * github.com/multiformats/cid, github.com/multiformats/multibase.
 */
const CID = new RegExp(
  '^(Qm[1-9A-HJ-NP-Za-km-z]{44}|z[1-9A-HJ-NP-Za-km-z]{45,110}|k[0-9a-z]{45,110}|K[0-9A-Z]{45,110}|' +
    'b[a-z2-7]{50,110}|B[A-Z2-7]{50,110}|f[0-9a-f]{62,136}|F[0-9A-F]{62,136})$',
)
/** URL parsers drop tabs and line ends, so `.<tab>.` is `..` to them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/
const MAX_DECODINGS = 8

/** Whether the URL names content of IPFS, which is fetched from gateways. */
export const isIpfs = (url: string): boolean => /^ipfs:/i.test(url)

/**
 * URL of `ipfs://<cid>[/path][?query]` or `ipfs://ipfs/<cid>...` on a gateway, whose missing trailing slash
 * is added. The text is untrusted and the gateway's host may be exempt from the address policy, so the URL
 * never leaves the content id, neither as the parser of URLs reads it nor after a gateway has decoded it
 * several times. Throws `FetchError`.
 */
export function gatewayUrl(text: string, gateway: string): string {
  const { cid, rest } = splitIpfs(text)
  const root = gatewayRoot(gateway) + cid
  const url = new URL(root + rest)
  const after = url.href.slice(root.length)
  if (!url.href.startsWith(root) || !/^([/?]|$)/.test(after) || climbs(url.pathname)) throw leaves()
  return url.href
}

/** What every URL on the gateway begins with. */
export const gatewayRoot = (gateway: string): string => new URL(gateway.replace(/\/*$/, '/')).href

function splitIpfs(text: string): { readonly cid: string; readonly rest: string } {
  if (CONTROL.test(text)) throw leaves()
  const address = text
    .replace(/^ipfs:\/*/i, '')
    .replace(/^ipfs\//i, '')
    .split('#', 1)[0]!
  const cid = address.split(/[/?]/, 1)[0]!
  if (!CID.test(cid)) throw new FetchError('unsupported', 'not an IPFS content id')
  const rest = address.slice(cid.length)
  if (climbs(rest.split('?', 1)[0]!)) throw leaves()
  return { cid, rest }
}

const leaves = (): FetchError => new FetchError('blocked', 'the IPFS path leaves its content id')

/** Whether the path, decoded any number of times, has a dot segment or a character that hides one. */
function climbs(path: string): boolean {
  let decoded = path
  for (let round = 0; round < MAX_DECODINGS; round++) {
    if (decoded.includes('\\') || CONTROL.test(decoded)) return true
    // Parsers of URLs drop spaces at the end.
    if (decoded.split('/').some((part) => /^ *\.{1,2} *$/.test(part))) return true
    const next = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    if (next === decoded) return false
    decoded = next
  }
  return true
}
