import { FetchError } from './fetch-error.ts'

export const DEFAULT_GATEWAYS = [
  'https://ipfs.io/ipfs/',
  'https://dweb.link/ipfs/',
  'https://gateway.pinata.cloud/ipfs/',
] as const

/** CIDv0 (base58, SHA-256), CIDv1 in base32 and base58. Source: github.com/multiformats/cid. */
const CID = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{50,110}|z[1-9A-HJ-NP-Za-km-z]{45,110})$/

/** `<cid>[/path][?query]` of `ipfs://<cid>/...` or `ipfs://ipfs/<cid>/...`. Throws `FetchError`. */
export function ipfsPath(text: string): string {
  const rest = text.replace(/^ipfs:\/*/i, '').replace(/^ipfs\//i, '')
  const [cid = '', ...path] = rest.split('#', 1)[0]?.split('/') ?? []
  if (!CID.test(cid)) throw new FetchError('unsupported', 'not an IPFS content id')
  if (path.some((part) => /^(\.|%2e){1,2}$/i.test(part) || part.includes('\\')))
    throw new FetchError('blocked', 'the IPFS path leaves its content id')
  return [cid, ...path].join('/')
}

/** One URL per gateway, in order; a missing trailing slash is added. */
export const gatewayUrls = (text: string, gateways: readonly string[]): readonly string[] => {
  const path = ipfsPath(text)
  return gateways.map((gateway) => gateway.replace(/\/*$/, '/') + path)
}

export const isIpfs = (url: string): boolean => /^ipfs:/i.test(url)
