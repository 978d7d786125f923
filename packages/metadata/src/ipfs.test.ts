import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FetchError } from './fetch-error.ts'
import { gatewayUrl } from './ipfs.ts'

const CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPgpx'
const GATEWAY = 'https://gateway.example/ipfs'

test('a path, a query and odd names stay as they are', () => {
  const root = `${GATEWAY}/${CID}`
  expect(gatewayUrl(`ipfs://${CID}`, GATEWAY)).toBe(root)
  expect(gatewayUrl(`ipfs://ipfs/${CID}/a/0.json`, `${GATEWAY}/`)).toBe(`${root}/a/0.json`)
  expect(gatewayUrl(`IPFS:${CID}/a..b/...?x=1/../2#part`, GATEWAY)).toBe(`${root}/a..b/...?x=1/../2`)
  expect(gatewayUrl(`ipfs://${CID}/100%.json`, GATEWAY)).toBe(`${root}/100%.json`)
  expect(gatewayUrl(`ipfs://${CID}/два слова.json`, GATEWAY)).toBe(
    `${root}/${encodeURIComponent('два')}%20${encodeURIComponent('слова')}.json`,
  )
})

/** That of `CID`, in version 1 and every base of which gateways make links. */
test.each([
  ['base58', 'zdj7Wg2Qkk4mYgAkVU1kppfQ2sMGz5zPwERVpeWmxCQKkxazt'],
  ['base36', 'k2jmtxvacy5p64u708sn9oawhfsizpcwgk1g59ckse0h1r7a2j2b4art'],
  ['base36 in upper case', 'K2JMTXVACY5P64U708SN9OAWHFSIZPCWGK1G59CKSE0H1R7A2J2B4ART'],
  ['base32', 'bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf47mxsre'],
  ['base32 in upper case', 'BAFYBEIE5NQV6KD3QNFJUPGVZ34WOH3OKSC3IAU6ABMYAJN7QVTF47MXSRE'],
  ['base16', 'f017012209d6c2be50f706953479ab9df2ce3edca90b68053c00b3004b7f0accbcfb2f289'],
  ['base16 in upper case', 'F017012209D6C2BE50F706953479AB9DF2CE3EDCA90B68053C00B3004B7F0ACCBCFB2F289'],
])('a content id in %s is one', (_, cid) => {
  expect(gatewayUrl(`ipfs://${cid}/0.json`, GATEWAY)).toBe(`${GATEWAY}/${cid}/0.json`)
})

test('what has a digit that its base lacks is no content id', () => {
  for (const cid of [
    `b${'a'.repeat(57)}1`,
    `B${'A'.repeat(57)}a`,
    `f${'0'.repeat(71)}g`,
    `k${'0'.repeat(55)}Z`,
  ])
    expect(() => gatewayUrl(`ipfs://${cid}/0.json`, GATEWAY)).toThrow('not an IPFS content id')
})

test.each([
  ['tab', '.\t./.\t./admin'],
  ['line feed', '.\n./.\n./admin'],
  ['carriage return', '.\r./x'],
  ['tab after the content id', '\t/../../x'],
  ['backslash', '..\\..\\x'],
  ['dots encoded', '%2e%2E/%2e%2e/x'],
  ['one dot encoded', '.%2e/x'],
  ['slash encoded', '..%2f..%2fx'],
  ['backslash encoded', '..%5cx'],
  ['encoded twice', '%252e%252e%252fx'],
  ['encoded thrice', '%25252e%25252e/x'],
  ['control character encoded', '.%09./x'],
  ['a space behind the dots', '.. ?x'],
])('%s does not leave the content id', (_, path) => {
  expect(() => gatewayUrl(`ipfs://${CID}/${path}`, GATEWAY)).toThrow(FetchError)
})

/** Pieces of which paths that climb are made. */
const PIECE = fc.constantFrom(
  ...['..', '.', '/', '\\', '\t', '\n', '\r', '%2e', '%2E', '%2f', '%5c', '%25', '%09', '%00', '?', '#'],
  ...['a', '0.json', ' ', '@', ':', 'é', '//', 'ipfs', '%', '\u0000'],
)

test('whatever the path, the URL is below the content id, as sent and decoded, or refused', () => {
  fc.assert(
    fc.property(fc.array(PIECE, { maxLength: 12 }), fc.boolean(), (pieces, separated) => {
      let url: string
      try {
        url = gatewayUrl(`ipfs://${CID}${separated ? '/' : ''}${pieces.join('')}`, GATEWAY)
      } catch (error) {
        expect(error).toBeInstanceOf(FetchError)
        return
      }
      // Gateways decode before they resolve, some more than once.
      for (let round = 0, path = new URL(url).pathname; round < 4; round++) {
        const seen = new URL(path, GATEWAY)
        expect(seen.host).toBe('gateway.example')
        expect(seen.pathname === `/ipfs/${CID}` || seen.pathname.startsWith(`/ipfs/${CID}/`)).toBe(true)
        path = unescape(path).replaceAll(/[?#]/g, '_')
      }
    }),
    { numRuns: 2_000 },
  )
})
