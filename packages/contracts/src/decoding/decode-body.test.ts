import { Builder, type Cell, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { randomFrom } from '@shardwalk/testkit'
import { randomCases } from '@shardwalk/testkit/runs'
import { describe, expect, test } from 'vitest'
import { hostileBody } from '../../test/hostile-bodies.ts'
import { traceMessages } from '../../test/trace-fixtures.ts'
import {
  CONSTRUCTOR_COUNT,
  decodeBodies,
  decodeBody,
  decodeCell,
  decodeOpcodes,
  namedOpcodes,
  opcodeName,
} from '../index.ts'

const OWNER = {
  workchain: 0,
  hash: Buffer.from('9de1220f8bee4530d23503fee44ced5f98a555d650937349fd41a45c0013d998', 'hex'),
}
const NOTHING = { '@type': 'nothing_from_maybe' }
const OWNER_JSON = {
  '@type': 'addr_std',
  anycast: NOTHING,
  workchain_id: '0',
  address: '9DE1220F8BEE4530D23503FEE44CED5F98A555D650937349FD41A45C0013D998',
}
const EMPTY = { '@type': 'empty_cell' }
const varUint = (len: number, value: number) => ({
  '@type': 'var_uint',
  len: String(len),
  value: String(value),
})
const comment = (text: string): Cell => new Builder().storeUint(0, 32).storeBytes(Buffer.from(text)).endCell()
const decode = (body: Builder) => decodeBody({ body: body.endCell() })

/** An internal message without init and with an empty body in line. */
const message = (value: bigint): Cell =>
  new Builder()
    .storeUint(0b0110, 4)
    .storeAddress(undefined)
    .storeAddress(OWNER)
    .storeCoins(value)
    .storeBit(0)
    .storeCoins(0n)
    .storeCoins(0n)
    .storeUint(0, 64 + 32)
    .storeUint(0, 2)
    .endCell()
const messageJson = (value: ReturnType<typeof varUint>) => ({
  '@type': 'message',
  info: {
    '@type': 'int_msg_info',
    ihr_disabled: true,
    bounce: true,
    bounced: false,
    src: { '@type': 'addr_none' },
    dest: OWNER_JSON,
    value: {
      '@type': 'currencies',
      grams: { '@type': 'nanograms', amount: value },
      other: { '@type': 'extra_currencies', dict: { '@type': 'hashmap_empty' } },
    },
    ihr_fee: { '@type': 'nanograms', amount: varUint(0, 0) },
    fwd_fee: { '@type': 'nanograms', amount: varUint(0, 0) },
    created_lt: '0',
    created_at: '0',
  },
  init: NOTHING,
  body: { '@type': 'first_from_either', value: EMPTY },
})

describe('opcode names', () => {
  test('555 constructors give names to 507 opcodes', () => {
    expect(CONSTRUCTOR_COUNT).toBe(555)
    expect([...namedOpcodes()]).toHaveLength(507)
  })

  test('the first constructor in group order gives the name, misspelt and composite ones included', () => {
    const expected: readonly (readonly [number, string | null])[] = [
      [0x00000000, 'text_comment'],
      [0x00000001, 'evaa_supply_master,pyth_update_guardian_set,w4_deploy_install_plugin'],
      [0xf718510f, 'mulisig_new_order'],
      [0x0bf3f447, 'tonco_account_refund_me'],
      [0x0c0ffede, 'coffee_staking_lock_forward_payload'],
      [0x7362d09c, 'jetton_notify'],
      [0xffffffff, 'bounce'],
      [0x7369676e, 'w5_external_signed_request'],
      [0xfffffffe, null],
    ]
    for (const [opcode, name] of expected) expect(opcodeName(opcode)).toBe(name)
    expect(opcodeName(0xf718510f | 0)).toBe('mulisig_new_order')
  })
})

describe('bodies', () => {
  test('a jetton transfer with a comment in a reference is printed field by field', () => {
    const body = new Builder()
      .storeUint(0x0f8a7ea5, 32)
      .storeUint(2929751232266331893n, 64)
      .storeCoins(3000000n)
      .storeAddress(OWNER)
      .storeAddress(undefined)
      .storeBit(0)
      .storeCoins(1n)
      .storeBit(1)
      .storeRef(comment('ref'))
    const decoded = decode(body)
    expect(decoded).toEqual({
      '@type': 'jetton_transfer',
      query_id: '2929751232266331893',
      amount: varUint(3, 3000000),
      destination: OWNER_JSON,
      response_destination: { '@type': 'addr_none' },
      custom_payload: NOTHING,
      forward_ton_amount: varUint(1, 1),
      forward_payload: { '@type': 'second_from_either', value: { '@type': 'text_comment', text: 'ref' } },
    })
    expect(Object.keys(decoded ?? {})[0]).toBe('@type')
  })

  test('an empty inline payload is printed as an empty cell', () => {
    const body = new Builder().storeUint(0x05138d91, 32).storeUint(5, 64).storeAddress(OWNER).storeBit(0)
    expect(decode(body)).toEqual({
      '@type': 'nft_ownership_assigned',
      query_id: '5',
      prev_owner: OWNER_JSON,
      forward_payload: { '@type': 'first_from_either', value: EMPTY },
    })
  })

  test('a comment at the root has the form that clients read, inline or in a reference', () => {
    const expected = { '@type': 'text_comment', comment: 'Coffee ☕', type: 'text_comment' }
    const text = new Builder().storeBytes(Buffer.from('Coffee ☕')).endCell()
    expect(decodeBody({ body: comment('Coffee ☕') })).toEqual(expected)
    expect(decode(new Builder().storeUint(0, 32).storeRef(text))).toEqual(expected)
    expect(decode(new Builder().storeUint(0, 32))).toEqual({ ...expected, comment: '' })
  })

  test('text that is not UTF-8 gives null at the root and stays a bag of cells inside', () => {
    const broken = new Builder().storeUint(0, 32).storeUint(0xff, 8).endCell()
    expect(decodeBody({ body: broken })).toBeNull()
    expect(decode(new Builder().storeUint(0xbbe27821, 32).storeRef(broken))).toEqual({
      '@type': 'cron_destroyed',
      rest: expect.stringMatching(/^te6cck/),
    })
  })

  test('an empty body is an empty cell, and fewer than 32 bits give null', () => {
    expect(decodeBody({ body: EMPTY_CELL })).toEqual(EMPTY)
    expect(decode(new Builder().storeUint(1, 31))).toBeNull()
    expect(decode(new Builder().storeRef(EMPTY_CELL))).toBeNull()
  })

  test('a signed wallet v4 body is recognised without an opcode only if every bit is used', () => {
    const signed = () =>
      new Builder()
        .storeBytes(Buffer.alloc(64, 0x39))
        .storeUint(698983191, 32)
        .storeUint(1745876365, 32)
        .storeUint(4449, 32)
        .storeUint(0, 8)
        .storeUint(3, 8)
        .storeRef(message(7n))
    expect(decode(signed())).toEqual({
      '@type': 'wallet_signed_v4',
      signature: '39'.repeat(64),
      subwallet_id: '698983191',
      valid_until: '1745876365',
      msg_seqno: '4449',
      op: {
        '@type': 'simple_send',
        msgs: { '@type': 'msgs_1', msg_1: { mode: '3', msg: messageJson(varUint(1, 7)) } },
      },
    })
    expect(decode(signed().storeBit(1))).toBeNull()
  })

  test('a wallet v5 request counts its actions by following the references', () => {
    const action = (previous: Cell, value: bigint): Cell =>
      new Builder()
        .storeRef(previous)
        .storeUint(0x0ec3c86d, 32)
        .storeUint(3, 8)
        .storeRef(message(value))
        .endCell()
    const lastExtended = new Builder().storeUint(4, 8).storeBit(0).endCell()
    const body = new Builder()
      .storeUint(0x7369676e, 32)
      .storeUint(2147483409, 32)
      .storeUint(1, 32)
      .storeUint(2, 32)
      .storeBit(1)
      .storeRef(action(action(EMPTY_CELL, 1n), 2n))
      .storeBit(1)
      .storeUint(2, 8)
      .storeAddress(OWNER)
      .storeRef(lastExtended)
      .storeBytes(Buffer.alloc(64, 0xab))
    const sent = (value: number) => ({
      '@type': 'action_send_msg',
      mode: '3',
      out_msg: messageJson(varUint(1, value)),
    })
    expect(decode(body)).toEqual({
      '@type': 'w5_external_signed_request',
      request: {
        '@type': 'w5_signed_request',
        wallet_id: '2147483409',
        valid_until: '1',
        msg_seqno: '2',
        inner: {
          '@type': 'w5_actions_request',
          out_actions: {
            '@type': 'something_from_maybe',
            value: {
              cell_reference: {
                '@type': 'out_list',
                prev: { '@type': 'out_list', prev: { '@type': 'out_list_empty' }, action: sent(1) },
                action: sent(2),
              },
            },
          },
          extended_actions: {
            '@type': 'something_from_maybe',
            value: {
              '@type': 'extended_list_action',
              action: { '@type': 'add_extension', addr: OWNER_JSON },
              prev: {
                '@type': 'extended_list_last',
                action: { '@type': 'set_signature_auth_allowed', allowed: false },
              },
            },
          },
        },
        signature: 'AB'.repeat(64),
      },
    })
  })

  test('a highload v2 body prints its dictionary as the raw tree', () => {
    const leaf = new Builder()
      .storeUint(0b10, 2)
      .storeUint(16, 5)
      .storeUint(0, 16)
      .storeUint(3, 8)
      .storeRef(message(7n))
    const body = new Builder()
      .storeBytes(Buffer.alloc(64, 0x77))
      .storeUint(1, 32)
      .storeUint(2, 64)
      .storeBit(1)
      .storeRef(leaf.endCell())
    expect(decode(body)).toMatchObject({
      '@type': 'highload_wallet_signed_v2',
      payload: {
        '@type': 'hashmap_root',
        root: {
          '@type': 'hashmap_edge',
          label: { '@type': 'hashmap_label_long', n: '16', s: '0000' },
          node: { '@type': 'hashmap_node_leaf', value: { mode: '3', msg: messageJson(varUint(1, 7)) } },
        },
      },
    })
  })

  test('a change of a DNS record without a value is a deletion', () => {
    const head = () =>
      new Builder().storeUint(0x4eb1f0f9, 32).storeUint(1, 64).storeBytes(Buffer.alloc(32, 1))
    const record = new Builder().storeUint(0x9fd3, 16).storeAddress(OWNER).storeUint(0, 8).endCell()
    expect(decode(head())?.['@type']).toBe('delete_dns_record')
    expect(decode(head().storeRef(record))).toMatchObject({
      '@type': 'change_dns_record',
      value: { '@type': 'dns_smc_address', smc_addr: OWNER_JSON, flags: '0' },
    })
  })

  test('cells are decoded ten levels deep; the eleventh stays a bag of cells', () => {
    let body = comment('end')
    for (let i = 0; i < 11; i++)
      body = new Builder()
        .storeUint(0xf1989255, 32)
        .storeUint(i, 64)
        .storeAddress(OWNER)
        .storeRef(body)
        .endCell()
    let inner: unknown = decodeBody({ body })
    for (let level = 0; level < 10; level++) inner = (inner as { body: unknown }).body
    expect(inner).toMatchObject({ '@type': 'dedust_forward', body: expect.stringMatching(/^te6cck/) })
  })
})

describe('real bodies', () => {
  test('every body of the mainnet traces decodes or gives null, and nearly all named ones decode', () => {
    const counts = { bodies: 0, named: 0, decoded: 0 }
    const undecoded = new Set<string>()
    for (const { opcode, body } of traceMessages()) {
      counts.bodies++
      const decoded = decodeBody({ body })
      const name = opcode === null ? null : opcodeName(Number(opcode))
      if (name === null) continue
      counts.named++
      if (decoded) counts.decoded++
      else undecoded.add(name)
    }
    expect(counts.bodies).toBeGreaterThan(1500)
    // Older versions of these messages lack fields that the table names.
    expect([...undecoded].sort()).toEqual([
      'coffee_payout_internal',
      'coffee_staking_deposit',
      'coffee_swap',
      'coffee_swap_internal',
      'evaa_supply_fail',
      'evaa_withdraw_master',
      'jetton_burn_notification',
    ])
    expect(counts.decoded / counts.named).toBeGreaterThan(0.98)
  })
})

describe('hostile bodies', () => {
  const COUNT = randomCases(20_000)

  test(`${COUNT} random bodies under real opcodes give an outcome and never an error`, () => {
    const seed = 20251121
    const random = randomFrom(seed)
    const outcomes = new Map<string, number>()
    for (let i = 0; i < COUNT; i++) {
      const result = decodeCell(hostileBody(random))
      if (result.outcome === 'decoded') JSON.stringify(result.body)
      outcomes.set(result.outcome, (outcomes.get(result.outcome) ?? 0) + 1)
    }
    expect(outcomes.get('decoded'), `seed ${seed}`).toBeGreaterThan(COUNT / 4)
    expect(outcomes.get('unknown'), `seed ${seed}`).toBeGreaterThan(COUNT / 4)
  })

  test('bytes that are not a bag of cells give null', () => {
    const boc = serializeBoc(comment('hello'), { crc32c: true })
    for (let i = 0; i < boc.length; i++) {
      const broken = Buffer.from(boc)
      broken[i] = (broken[i] as number) ^ 0x55
      expect(() => decodeBody({ body: broken })).not.toThrow()
      expect(decodeBody({ body: boc.subarray(0, i) })).toBeNull()
    }
  })

  test('shared subtrees that describe 2^60 payloads stop at the limit', () => {
    let payload = comment('x')
    for (let i = 0; i < 60; i++)
      payload = new Builder()
        .storeUint(0x0f8a7ea5, 32)
        .storeUint(0, 64)
        .storeCoins(0n)
        .storeUint(0, 4)
        .storeBit(1)
        .storeRef(payload)
        .storeCoins(0n)
        .storeBit(1)
        .storeRef(payload)
        .endCell()
    expect(() => decodeBody({ body: payload })).not.toThrow()
  })

  test('a dictionary whose forks are all the same cell is not traversed', () => {
    let edge = new Builder().storeUint(0, 2).endCell()
    for (let i = 0; i < 256; i++) edge = new Builder().storeUint(0, 2).storeRef(edge).storeRef(edge).endCell()
    const body = new Builder().storeUint(0x0302cd79, 32).storeUint(0, 64).storeBit(1).storeRef(edge)
    expect(decode(body)).toBeNull()
  })
})

describe('/decode', () => {
  test('opcodes are read as hex first, then as decimal, also signed', () => {
    expect(decodeOpcodes(['0x0f8a7ea5', 'f8a7ea5', '260734629', '-1', '4294967295', '0xdeadbeef'])).toEqual([
      'jetton_transfer',
      'jetton_transfer',
      'jetton_transfer',
      'bounce',
      'bounce',
      'unknown',
    ])
    expect(decodeOpcodes([])).toEqual([])
  })

  test('the first invalid opcode is reported with its index', () => {
    expect(decodeOpcodes(['0x1', '0Xzz'])).toEqual({ index: 1, text: '0Xzz' })
    expect(decodeOpcodes([''])).toEqual({ index: 0, text: '' })
    expect(decodeOpcodes(['99999999999'])).toEqual({ index: 0, text: '99999999999' })
    expect(decodeOpcodes(['-2147483649'])).toEqual({ index: 0, text: '-2147483649' })
  })

  test('bodies come back in order: decoded with sorted keys, or with the reason', () => {
    const excess = serializeBoc(new Builder().storeUint(0xd53276db, 32).storeUint(0, 64).endCell())
    const small = serializeBoc(new Builder().storeUint(1, 8).endCell())
    const brokenText = serializeBoc(new Builder().storeUint(0, 32).storeUint(0xff, 8).endCell())
    const [decoded, tooSmall, text, unknown, base64, hex, bag, broken] = decodeBodies([
      excess.toString('hex'),
      small.toString('base64'),
      serializeBoc(comment('Coffee')).toString('base64'),
      serializeBoc(new Builder().storeUint(0xdeadbeef, 32).endCell()).toString('base64'),
      'te6*',
      'xyz',
      'b5ee',
      brokenText.toString('base64'),
    ])
    expect(decoded).toEqual({ '@type': 'excess', query_id: '0' })
    expect(tooSmall).toEqual({ error: 'unknown: boc is too small, size 8' })
    expect(text).toEqual({ '@type': 'text_comment', text: 'Coffee' })
    expect(unknown).toEqual({ error: 'unknown: no parser succeeded' })
    expect(base64).toEqual({ error: expect.stringMatching(/^unknown: failed to decode base64: /) })
    expect(hex).toEqual({ error: expect.stringMatching(/^unknown: failed to decode hex: /) })
    expect(bag).toEqual({ error: expect.stringMatching(/^unknown: failed to deserialize boc: /) })
    expect(broken).toEqual({ failed_to_decode_json: expect.stringContaining('text_comment') })
  })
})
