import { hash } from 'node:crypto'
import { randomFrom } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { expect, test, vi } from 'vitest'
import { IntermediateSymbols } from './code.ts'
import { BlockDecoder, BlockEncoder } from './index.ts'

const SYMBOL_SIZE = 768
const SEED = testSeed()

/** The data of the vectors. */
const dataOf = (size: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: size }, (_, i) => 7 * i + 13 * (i >> 8) + (i >> 16)))

// Symbols computed by the RaptorQ code of the TON node: bytes of data, seqno, SHA-256. For 49 and
// 1,800 symbols they differ from those of RFC 6330.
test.each([
  [96, 1, '73dd2b73cc3125782bab17e8bd8cc42821cf8d223658d11d869bea80a33616b7'],
  [3_000, 4, 'f1960512fd75a4363bf2a8956323bfd88d2f7135e414d4d3547bcc18fe6ec15e'],
  [3_000, 104, '479197a6b35b9f98aeb5d22055f44bbbf11639146e0cd01246b1f18e4a069385'],
  [36_932, 49, '71c477d1557b31b066c90fe4c40448b0c6e7257efd9bc53616de1df7b6d46e3e'],
  [37_632, 49, '4b949c0f3a6637953c84972175bf2fae48761dc3316b004b47038ca6eeaeefc6'],
  [37_632, 149, '06964a901e7eac203d377799de35713577fee6ef514a7386525f7617a2693ef2'],
  [100_000, 131, '654bf8bbc66518daa3093ccd493b324dcd91cb411c176df207790e618f682dbd'],
  [130_000, 170, 'c705094c29a5882a2a451143df215098952af150fb1caa4b9ccaae77a1fb6f0e'],
  [1_382_400, 1_800, 'acff644598c860a9a809ae7a75cbf8232ec23ed9e640f8eef1e42edbde21fc8d'],
  [1_382_400, 1_900, '1d813f4d496be8665385b8d8cf2bbb69ef165a6aa2e7344c87cdc59b63cb3173'],
  [2_000_000, 2_605, '9ffa0b608d5b38e52914b664c9a01e44172b1c3cbd00c9dc422453141fac9b54'],
  [2_000_000, 2_705, 'fb4a80d5c047703ce3c1c59d502b70aaf41b18eeafb146e13612eb0d02bffeed'],
  [2_000_000, 68_140, 'e779741e0b209547b1cbe96d036f195af2a2978b28e66da965dd153746089285'],
])('%i bytes: symbol %i equals that of the node', (size, seqno, expected) => {
  const symbol = new BlockEncoder(dataOf(size), SYMBOL_SIZE).symbol(seqno)
  expect(hash('sha256', symbol, 'hex')).toBe(expected)
})

test('symbols of a block that has one are what the equations give, without being solved for each', () => {
  const data = dataOf(40)
  const words = new Int32Array(Uint8Array.from(data).buffer)
  const solved = IntermediateSymbols.solve(1, new Map([[0, words]]), words.length)!
  const encoder = new BlockEncoder(data, data.length)
  const solving = vi.spyOn(IntermediateSymbols, 'solve')
  for (let seqno = 0; seqno < 1_000; seqno++) {
    const expected = Buffer.from(solved.symbol(seqno).buffer)
    expect(encoder.symbol(seqno), `${seqno}`).toEqual(expected)
    expect(new BlockEncoder(data, data.length).symbol(seqno)).toEqual(expected)
  }
  expect(solving.mock.calls.length).toBeLessThan(2)
})

test('blocks of every small size are restored from repair symbols alone', () => {
  for (let symbols = 1; symbols <= 60; symbols++) {
    const data = dataOf(symbols * 12 - 5)
    const encoder = new BlockEncoder(data, 12)
    const decoder = new BlockDecoder({ dataSize: data.length, symbolSize: 12 })
    let restored: Buffer | undefined
    for (let seqno = symbols; !restored && seqno < 3 * symbols + 8; seqno++) {
      decoder.add(seqno, encoder.symbol(seqno))
      restored = decoder.decode()
    }
    expect(restored, `${symbols} symbols`).toEqual(data)
    expect(decoder.received).toBeLessThanOrEqual(symbols + 3)
  }
})

test('blocks are restored whatever is lost and in whatever order the rest arrives', () => {
  const random = randomFrom(SEED)
  const long = process.env['LONG_TESTS'] ? 60 : 8
  for (let round = 0; round < long; round++) {
    const size = 1 + Math.floor(random() ** 2 * 300_000)
    const data = Buffer.from(Uint8Array.from({ length: size }, () => random() * 256))
    const symbolSize = 4 * (8 + Math.floor(random() * 185))
    const encoder = new BlockEncoder(data, symbolSize)
    const decoder = new BlockDecoder({ dataSize: size, symbolSize })
    const loss = random() * 0.6
    let restored: Buffer | undefined
    for (let seqno = 0; !restored && seqno < 10 * decoder.symbolCount + 20; seqno++) {
      if (random() < loss) continue
      decoder.add(seqno, encoder.symbol(seqno))
      restored = decoder.decode()
    }
    expect(restored?.equals(data), `SEED=${SEED} round ${round}`).toBe(true)
  }
})

test('a full part of a transfer is restored with a third of its symbols lost', () => {
  const data = dataOf(2_000_000)
  const encoder = new BlockEncoder(data, SYMBOL_SIZE)
  const decoder = new BlockDecoder({ dataSize: data.length, symbolSize: SYMBOL_SIZE })
  let restored: Buffer | undefined
  for (let seqno = 0; !restored; seqno++) {
    if (seqno % 3 === 0) continue
    decoder.add(seqno, encoder.symbol(seqno))
    restored = decoder.decode()
  }
  expect(restored.equals(data)).toBe(true)
})

test('shapes and symbols that are impossible are refused by name', () => {
  expect(() => new BlockDecoder({ dataSize: 0, symbolSize: 768 })).toThrow(/raptorq.data_size/)
  expect(() => new BlockDecoder({ dataSize: 2 ** 31, symbolSize: 768 })).toThrow(/raptorq.data_size/)
  expect(() => new BlockDecoder({ dataSize: 10, symbolSize: 6 })).toThrow(/raptorq.symbol_size/)
  const decoder = new BlockDecoder({ dataSize: 10, symbolSize: 8 })
  expect(() => decoder.add(0, Buffer.alloc(7))).toThrow(/raptorq.data/)
  expect(decoder.add(1, Buffer.alloc(8))).toBe(true)
  expect(decoder.add(1, Buffer.alloc(8))).toBe(false)
  expect(decoder.decode()).toBeUndefined()
})
