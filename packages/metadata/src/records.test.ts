import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  failedSeconds,
  imageLinks,
  lifetimeSeconds,
  makeRecord,
  parseOverrides,
  retryDelaySeconds,
  type StoredToken,
  tokenInfo,
} from './index.ts'

test('on-chain content alone is a record if it has a name', () => {
  const enough = (kind: Parameters<typeof makeRecord>[0]['kind'], content: Record<string, string> | null) =>
    makeRecord({ kind, content }) !== undefined
  expect(enough('jetton_masters', { symbol: 'X' })).toBe(true)
  expect(enough('jetton_masters', { name: 'X' })).toBe(false)
  expect(enough('nft_items', { name: 'X' })).toBe(true)
  expect(enough('nft_items', { description: 'X' })).toBe(false)
  expect(enough('nft_collections', { image: 'X' })).toBe(true)
  expect(enough('nft_collections', { uri: 'X' })).toBe(false)
  expect(enough('nft_items', null)).toBe(false)
  expect(makeRecord({ kind: 'nft_items', content: {}, domain: 'alice.ton' })?.extra).toEqual({
    domain: 'alice.ton',
  })
})

test.each([
  ['9', '9'],
  [6, '6'],
  ['009', '9'],
  [0, '0'],
  ['255', '255'],
  [256, undefined],
  [-1, undefined],
  [1.5, undefined],
  ['six', undefined],
  [null, undefined],
])('decimals %j are shown as %j', (decimals, shown) => {
  expect(makeRecord({ kind: 'jetton_masters', content: { symbol: 'X', decimals } })?.extra['decimals']).toBe(
    shown,
  )
})

test('an empty text on the chain does not hide what the document says', () => {
  const content = { uri: 'https://example.org/j.json', name: '', color: '', note: '' }
  const offChain = { document: { name: 'Off', color: 'red' }, url: content.uri }
  expect(makeRecord({ kind: 'jetton_masters', content, offChain })).toEqual({
    name: 'Off',
    extra: { uri: content.uri, color: 'red', note: '' },
  })
})

test('a token that the operator has flagged is shown as such before its document was fetched', () => {
  const token: StoredToken = {
    ...{ type: 'jetton_masters', nft_index: null, content: { uri: 'https://example.org/j.json' } },
    ...{ domain: null, valid: null, name: null, symbol: null, description: null, image: null, extra: null },
    ...{ is_nsfw: false, is_scam: false },
  }
  expect(tokenInfo(token, undefined).info).not.toHaveProperty('is_scam')
  const flagged = tokenInfo({ ...token, is_scam: true }, undefined)
  expect(flagged).toMatchObject({ isIndexed: false, info: { is_nsfw: false, is_scam: true } })
})

test('image links are signed as imgproxy expects, plain or blurred', () => {
  const proxy = {
    url: 'https://img.example/',
    key: Buffer.from('6b6579', 'hex'),
    salt: Buffer.from('73616c74', 'hex'),
  }
  const path = '/pr:small/bl:256/aHR0cHM6Ly9leGFtcGxlLm9yZy9leG0ucG5n'
  const signature = createHmac('sha256', 'key').update(`salt${path}`).digest('base64url')
  expect(imageLinks('https://example.org/exm.png', proxy, true)['_image_small']).toBe(
    `https://img.example/${signature}${path}`,
  )
  expect(Object.keys(imageLinks('https://example.org/exm.png', proxy, false))).toEqual([
    '_image_small',
    '_image_medium',
    '_image_big',
  ])
  expect(imageLinks('data:image/png;base64,AA', proxy, false)).toEqual({})
  expect(imageLinks('ipfs://../x', proxy, false)).toEqual({})
})

test('a file of overrides is read, and errors contain the invalid entry', () => {
  const key = `0:${'AB'.repeat(32)}`
  const [one] = parseOverrides(
    JSON.stringify({ content_overrides: { jetton_masters: { [key]: { symbol: 'X' } } } }),
  )
  expect(one).toMatchObject({ type: 'jetton_masters', content: { symbol: 'X' }, address: { workchain: 0 } })
  expect(() => parseOverrides('{}')).toThrow('content_overrides')
  expect(() => parseOverrides('{"content_overrides":{"wallets":{}}}')).toThrow('wallets')
  expect(() => parseOverrides('{"content_overrides":{"nft_items":{"x":{}}}}')).toThrow('nft_items.x')
})

test('attempts follow after 5, 10, 20 seconds up to five minutes, with 20 % jitter', () => {
  expect([1, 2, 3, 4, 5, 9].map((n) => retryDelaySeconds(n, 0.5))).toEqual([5, 10, 20, 40, 80, 300])
  expect(retryDelaySeconds(1, 0)).toBe(4)
  expect(lifetimeSeconds('jetton_masters', 0.5)).toBe(86_400)
  expect(failedSeconds(0.5)).toBe(7 * 86_400)
})

test('no lifetime reaches the 17 days beyond which an end of life counts as that of a wrong clock', () => {
  const longest = [lifetimeSeconds('nft_items', 1), lifetimeSeconds('nft_collections', 1), failedSeconds(1)]
  expect(Math.max(...longest)).toBeLessThan(17 * 86_400)
})
