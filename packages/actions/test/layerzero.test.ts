import { Builder, type Cell } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { renderAction } from '../src/index.ts'
import { addr, op, type Sketch } from './build-trace.ts'
import { classify, jettonTransfer, only, ref, types, wallet } from './hand-made.ts'

// A token bridge: jettons come to an OApp, which sends a LayerZero message about them.

/** Name and field types of a typed cell, then ones, 350 bits in all. */
const header = (b: Builder, bits: number, value: bigint, nameBits = 0): Builder => {
  b.storeUint(value, bits)
  for (let i = bits + nameBits; i < 350; i++) b.storeBit(true)
  return b
}

const PATH = ref((b) =>
  header(b, 152, 8903714975572488637007080065659n)
    .storeUint(30343n, 32)
    .storeUint(0x7a03n, 256)
    .storeUint(30110n, 32)
    .storeUint(0x7a05n, 256),
)
const PACKET = ref((b) =>
  header(b, 152, 417359019239977417716476838698419835n)
    .storeRef(PATH)
    .storeRef(ref((m) => m.storeUint(0x00ffn, 16)))
    .storeUint(777n, 64)
    .storeUint(0x7a04n, 256),
)
const FEES = ref((b) => b.storeUint(1n, 256).storeUint(812345678n, 128).storeUint(0n, 128))
const LZ_SEND = ref((b) =>
  header(
    b.storeUint(BigInt(`0x${Buffer.from('lzSend').toString('hex')}`), 80),
    180,
    582890735024998957421269964955452773563747974476099581n,
    80,
  )
    .storeUint(1001n, 64)
    .storeUint(0x7a01n, 256)
    .storeUint(0x7a02n, 256)
    .storeRef(PACKET)
    .storeRef(ref((options) => options))
    .storeRef(FEES),
)
const inside = (cell: Cell, depth: number): Cell =>
  depth === 0 ? cell : ref((b) => b.storeRef(inside(cell, depth - 1)))

const event = (to: string): Sketch => ({ to, body: op(0xe33b9873) })
const step = (to: string, opcode: number, ...sends: readonly Sketch[]): Sketch => ({
  to,
  body: op(opcode),
  sends,
})
const callback: Sketch = {
  to: 'CHANNEL',
  body: op(0xa2b5fbae).storeRef(inside(LZ_SEND, 2)),
  sends: [event('OAPP')],
}

const lzSend = step(
  'ENDPOINT',
  0xdd4ea3b4,
  step(
    'CHANNEL',
    0x536feb09,
    step(
      'MSGLIB',
      0x4002b790,
      step(
        'ULN',
        0x5de68393,
        step('MSGLIB', 0x421c1a25, event('ULN'), { to: 'DVN', body: new Builder() }, callback),
      ),
    ),
  ),
)

const facts = { ALICE_J: wallet('ALICE', 'USDT'), OAPP_J: wallet('OAPP', 'USDT') }
const sent = (...more: readonly Sketch[]) =>
  classify([jettonTransfer('ALICE', 'OAPP', { amount: 25n, notified: [lzSend, ...more] })], facts)

test('jettons sent over LayerZero are one action with its parts inside', () => {
  const rows = sent(event('OAPP_OWNER'))
  const row = only(rows, 'layerzero_send_tokens')
  expect(row).toMatchObject({ success: true, parent_action_id: null, ancestor_type: [] })
  expect(renderAction(row).details).toEqual({
    sender: addr('ALICE'),
    sender_wallet: addr('ALICE_J'),
    oapp: addr('OAPP'),
    oapp_wallet: addr('OAPP_J'),
    asset: addr('USDT'),
    amount: '25',
    layerzero_send_data: {
      send_request_id: 1001,
      msglib_manager: '0x7a01',
      msglib: '0x7a02',
      uln: addr('ULN'),
      native_fee: 812345678,
      zro_fee: 0,
      endpoint: addr('ENDPOINT'),
      channel: addr('CHANNEL'),
    },
    layerzero_packet_data: {
      src_oapp: '0x7a03',
      dst_oapp: '0x7a05',
      src_eid: 30343,
      dst_eid: 30110,
      nonce: 777,
      guid: '0x7a04',
      message: '0x00ff',
    },
  })
  const send = only(rows, 'layerzero_send')
  expect(send).toMatchObject({ parent_action_id: row.action_id, ancestor_type: ['layerzero_send_tokens'] })
  expect(only(rows, 'jetton_transfer').ancestor_type).toEqual(['layerzero_send_tokens'])
})

test('without the event of the OApp, send and transfer remain two actions', () => {
  const rows = sent()
  expect(types(rows)).not.toContain('layerzero_send_tokens')
  expect(only(rows, 'layerzero_send').parent_action_id).toBeNull()
  expect(only(rows, 'jetton_transfer').parent_action_id).toBeNull()
})

test('a cell of another type is not a send', () => {
  const broken = { ...callback, body: op(0xa2b5fbae).storeRef(inside(PACKET, 2)) }
  const replace = (sketch: Sketch): Sketch =>
    sketch === callback ? broken : { ...sketch, ...(sketch.sends && { sends: sketch.sends.map(replace) }) }
  expect(types(classify([replace(lzSend)]))).not.toContain('layerzero_send')
})
