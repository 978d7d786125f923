import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { isLong } from '@shardwalk/testkit/runs'
import { type Address, Cell, type Slice } from '@ton/core'
import { expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { type ChainUnderApi, inChunks } from './chain-under-api.ts'

const TRACES = new URL('../../../../fixtures/traces/', import.meta.url)

/** Base64 of every distinct body in the recorded mainnet traces. */
function traceBodies(): string[] {
  const bodies = new Set<string>()
  for (const name of readdirSync(TRACES).filter((file) => file.endsWith('.json.gz'))) {
    const trace = JSON.parse(gunzipSync(readFileSync(new URL(name, TRACES))).toString('utf8'))
    for (const { messages } of trace.transactions) for (const { body } of messages) if (body) bodies.add(body)
  }
  return [...bodies]
}

const u =
  (bits: number) =>
  (slice: Slice): unknown =>
    String(slice.loadUintBig(bits))
const varUint = (slice: Slice): unknown => {
  const bytes = slice.loadUint(4)
  return {
    '@type': 'var_uint',
    len: String(bytes),
    value: bytes === 0 ? '0' : String(slice.loadUintBig(bytes * 8)),
  }
}
const addressJson = (address: Address | null): unknown =>
  address === null
    ? { '@type': 'addr_none' }
    : {
        '@type': 'addr_std',
        anycast: { '@type': 'nothing_from_maybe' },
        workchain_id: String(address.workChain),
        address: address.hash.toString('hex').toUpperCase(),
      }
const address = (slice: Slice): unknown => addressJson(slice.loadMaybeAddress())
/** The contents of a cell are decoded too; only the frame is checked here. */
const frame = (types: readonly [string, string]) => (slice: Slice) => {
  const isSet = slice.loadBit()
  if (isSet) slice.loadRef()
  return expect.objectContaining({ '@type': types[isSet ? 1 : 0] })
}
const maybeCell = frame(['nothing_from_maybe', 'something_from_maybe'])
const eitherCell = frame(['first_from_either', 'second_from_either'])

/** Fields in order. Source: TEP-62, TEP-74, TEP-85; block.tlb for the kinds. */
const BODIES: ReadonlyMap<number, readonly [string, Readonly<Record<string, (slice: Slice) => unknown>>]> =
  new Map([
    [
      0x0f8a7ea5,
      [
        'jetton_transfer',
        {
          query_id: u(64),
          amount: varUint,
          destination: address,
          response_destination: address,
          custom_payload: maybeCell,
          forward_ton_amount: varUint,
          forward_payload: eitherCell,
        },
      ],
    ],
    [
      0x178d4519,
      [
        'jetton_internal_transfer',
        {
          query_id: u(64),
          amount: varUint,
          from: address,
          response_address: address,
          forward_ton_amount: varUint,
        },
      ],
    ],
    [0x7362d09c, ['jetton_notify', { query_id: u(64), amount: varUint, sender: address }]],
    [
      0x595f07bc,
      [
        'jetton_burn',
        { query_id: u(64), amount: varUint, response_destination: address, custom_payload: maybeCell },
      ],
    ],
    [
      0x7bdd97de,
      [
        'jetton_burn_notification',
        { query_id: u(64), amount: varUint, sender: address, response_destination: address },
      ],
    ],
    [0xd53276db, ['excess', { query_id: u(64) }]],
    [
      0x5fcc3d14,
      [
        'nft_transfer',
        {
          query_id: u(64),
          new_owner: address,
          response_destination: address,
          custom_payload: maybeCell,
          forward_amount: varUint,
          forward_payload: eitherCell,
        },
      ],
    ],
    [
      0x05138d91,
      ['nft_ownership_assigned', { query_id: u(64), prev_owner: address, forward_payload: eitherCell }],
    ],
  ])

/** For an empty body, the opcode of the empty constructor. */
function opcodeOf(boc: string): string {
  const slice = Cell.fromBase64(boc).beginParse()
  return slice.remainingBits < 32 ? '0x7fffffff' : `0x${slice.loadUint(32).toString(16).padStart(8, '0')}`
}

/** The expected decoding of a body, as far as it is known here; undefined when nothing is known. */
function expectedBody(boc: string): Json | undefined {
  const slice = Cell.fromBase64(boc).beginParse()
  if (slice.remainingBits < 32) return undefined
  const [name, fields] = BODIES.get(slice.loadUint(32)) ?? []
  if (!name || !fields) return undefined
  try {
    return {
      '@type': name,
      ...Object.fromEntries(Object.entries(fields).map(([key, read]) => [key, read(slice)])),
    }
  } catch {
    // Some bodies on mainnet are shorter than their opcode requires.
    return undefined
  }
}

export function decodeFacts(chain: () => ChainUnderApi): void {
  const decode = async (body: Json): Promise<{ opcodes: string[]; bodies: Json[] }> => {
    const reply = await fetch(chain().client.url('decode'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify(body),
    })
    expect(reply.status).toBe(200)
    return (await reply.json()) as { opcodes: string[]; bodies: Json[] }
  }

  test('bodies of mainnet traces decode, token messages to the fields that @ton/core reads', async () => {
    const counts = new Map<string, number>()
    let [named, decoded] = [0, 0]
    for (const bodies of inChunks(traceBodies(), 500)) {
      const reply = await decode({ opcodes: bodies.map(opcodeOf), bodies })
      expect(reply.bodies.length).toBe(bodies.length)
      for (const [index, found] of reply.bodies.entries()) {
        const expected = expectedBody(bodies[index]!)
        if (reply.opcodes[index] !== 'unknown') {
          named++
          if (found['@type']) decoded++
        }
        if (!found['@type'])
          expect(Object.keys(found)).toEqual([expect.stringMatching(/^(error|failed_to_decode_json)$/)])
        if (!expected) continue
        expect(found, bodies[index]).toMatchObject(expected)
        expect(Object.keys(found)).toEqual([...Object.keys(found)].sort())
        counts.set(String(expected['@type']), (counts.get(String(expected['@type'])) ?? 0) + 1)
      }
    }
    expect([...counts.keys()].sort()).toEqual([...BODIES.values()].map(([name]) => name).sort())
    // Some contracts send less than their opcode requires.
    expect(named).toBeGreaterThan(500)
    expect(decoded / named).toBeGreaterThan(0.98)
  })

  test('messages have the names and fields that /decode gives for their opcodes and bodies', async () => {
    const most = isLong ? Number.POSITIVE_INFINITY : 2000
    const messages = (await chain().client.all('messages', 'messages', {}, 1000, most)).filter(
      (one) => one['message_content'] !== null,
    )
    let shown = 0
    for (const some of inChunks(messages, 500)) {
      const contents = some.map((one) => one['message_content'] as Json)
      const hex = (opcode: unknown) => `0x${Number(opcode).toString(16).padStart(8, '0')}`
      const { opcodes, bodies } = await decode({
        opcodes: some.map((one) => hex(one['opcode'] ?? 0x7fffffff)),
        bodies: contents.map((content) => content['body']),
      })
      for (const [index, message] of some.entries()) {
        expect(message['decoded_opcode'] ?? 'unknown').toBe(opcodes[index])
        const { decoded } = contents[index] as { decoded: Json | null }
        const body = bodies[index] as Json
        if (decoded === null) expect(body).not.toHaveProperty('@type')
        else if (decoded['@type'] === 'text_comment')
          expect([decoded, body]).toEqual([
            { '@type': 'text_comment', comment: body['text'], type: 'text_comment' },
            { '@type': 'text_comment', text: decoded['comment'] },
          ])
        else expect(decoded).toEqual(body)
        if (decoded) shown++
      }
    }
    expect(shown).toBeGreaterThan(isLong ? 3000 : 500)
  })

  test('payloads of transfers are decoded, comments with the key that clients read', async () => {
    const transfers = await chain().client.all('jetton/transfers', 'jetton_transfers')
    const nfts = await chain().client.all('nft/transfers', 'nft_transfers')
    const burns = await chain().client.all('jetton/burns', 'jetton_burns')
    const comments = new Set<string>()
    for (const row of [...transfers, ...nfts, ...burns])
      for (const name of ['forward_payload', 'custom_payload']) {
        const [payload, decoded] = [row[name], row[`decoded_${name}`] as Json | null | undefined]
        if (payload === null || payload === undefined) {
          expect(decoded ?? null).toBeNull()
          continue
        }
        const { bodies } = await decode({ bodies: [payload] })
        if (decoded?.['@type'] === 'text_comment') {
          expect(decoded).toEqual({
            '@type': 'text_comment',
            comment: bodies[0]?.['text'],
            type: 'text_comment',
          })
          comments.add(String(decoded['comment']))
        } else if (decoded) expect(decoded).toEqual(bodies[0])
        else expect(bodies[0]).not.toHaveProperty('@type')
      }
    expect(comments).toContain('jettons from the multisig')
  })

  test('GET accepts the same as POST; lists are optional and may have a thousand entries', async () => {
    const excess = 'te6cckEBAQEADgAAGNUydtsAAAAAAAAAAPfBmNw='
    const query = {
      opcodes: ['0x0f8a7ea5', 'f8a7ea5', '123', '-1', '4294967295', '0'],
      bodies: [excess, 'zz', 'te6cckEBAQEAAgAAAEysuc0='],
    }
    const { body } = await chain().client.get('decode', query)
    expect(body).toEqual(await decode(query))
    expect(body['opcodes']).toEqual([
      'jetton_transfer',
      'jetton_transfer',
      'unknown',
      'bounce',
      'bounce',
      'text_comment',
    ])
    expect(body['bodies']).toEqual([
      { '@type': 'excess', query_id: '0' },
      { error: expect.stringContaining('unknown: failed to decode hex') },
      { '@type': 'empty_cell' },
    ])
    expect((await chain().client.get('decode')).body).toEqual({ opcodes: [], bodies: [] })
    expect((await decode({ opcodes: Array(1000).fill('0') })).opcodes.length).toBe(1000)
    for (const name of ['opcodes', 'bodies']) {
      const error = `${name} list exceeds maximum length of 1000`
      expect((await chain().client.get('decode', { [name]: Array(1001).fill('0') })).body).toEqual({
        error,
        code: 422,
      })
    }
    for (const opcode of ['0x0f8a7ea5,0x1', '0xfffffffff', '-2147483649'])
      expect((await chain().client.get('decode', { opcodes: ['1', opcode] })).body).toMatchObject({
        error: `invalid opcode format at index 1: ${opcode.replace(/^0x/, '')}`,
        code: 422,
      })
  })
}
