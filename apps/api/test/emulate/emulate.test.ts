import {
  Address,
  beginCell,
  Cell,
  contractAddress,
  loadMessage,
  storeMessage,
  storeStateInit,
} from '@ton/core'
import { WalletContractV4 } from '@ton/ton'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { type RunningApi, startApi, warmUp } from '../v2/running-api.ts'
import { addressOf, sendsOf } from './sends.ts'

let api: RunningApi
beforeAll(async () => {
  api = await startApi(undefined, { untrustedTimeoutMs: 60_000 })
  await warmUp(api)
})
afterAll(() => api?.close())

interface Asked {
  readonly status: number
  readonly headers: Headers
  readonly body: Json & {
    readonly error?: string
    readonly transactions: Record<string, Emulated>
    readonly trace: Node
  }
}
interface Node {
  readonly tx_hash: string
  readonly children: readonly Node[]
}
interface Emulated {
  readonly account: string
  readonly emulated: boolean
  readonly in_msg: { readonly bounce: boolean | null; readonly value: string | null }
  readonly description: { readonly compute_ph: { readonly exit_code: number } }
  readonly out_msgs: readonly {
    readonly bounce: boolean
    readonly value: string
    readonly init_state: object | null
  }[]
  readonly account_state_before: { readonly account_status: string }
  readonly account_state_after: { readonly account_status: string }
}

const url = (path: string) => `${api.base.replace('/v2', '/emulate')}/${path}`
async function post(path: string, body: string, type = 'application/json'): Promise<Asked> {
  const reply = await fetch(url(path), { method: 'POST', headers: { 'Content-Type': type }, body })
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Asked['body'] }
}
const emulateTrace = (body: object) => post('v1/emulateTrace', JSON.stringify(body))
const emulateTonConnect = (body: object) => post('v1/emulateTonConnect', JSON.stringify(body))

const firstOf = (steps: RegExp) => sendsOf(steps)[0]!
const rootOf = ({ body }: Asked): Emulated => body.transactions[body.trace.tx_hash]!
const empty = beginCell().endCell().toBoc().toString('base64')
/** To a workchain that does not exist. */
const elsewhere = beginCell()
  .storeUint(0b1000, 4)
  .storeAddress(new Address(5, Buffer.alloc(32)))
  .storeUint(0, 6)
  .endCell()
  .toBoc()
  .toString('base64')

/** With all the coins that a message can name. */
const tooMuch = beginCell()
  .storeUint(0b011000, 6)
  .storeAddress(Address.parse(addressOf('sink')))
  .storeCoins(2n ** 120n - 1n)
  .storeUint(0, 1 + 4 + 4 + 64 + 32 + 2)
  .endCell()
  .toBoc()
  .toString('base64')

/** The first block after which the wallet refuses the message: it has accepted it. */
async function seqnoOf(boc: string): Promise<number> {
  for (let seqno = 18; seqno < 40; seqno++) {
    const { status } = await emulateTrace({ boc, mc_block_seqno: seqno })
    const next = await emulateTrace({ boc, mc_block_seqno: seqno + 1 })
    if (status === 200 && next.status !== 200) return seqno + 1
  }
  throw new Error('no block has the message')
}

/** The message with another signature: that of a wallet v5 is at the end, of others at the beginning. */
function otherwiseSigned(boc: string): string {
  const message = loadMessage(Cell.fromBase64(boc).beginParse())
  const { bits } = message.body
  const isV5 = message.body.beginParse().preloadUint(32) === 0x7369676e
  const changed = isV5 ? bits.length - 5 : 5
  const body = beginCell()
  for (let i = 0; i < bits.length; i++) body.storeBit(bits.at(i) !== (i === changed))
  for (const ref of message.body.refs) body.storeRef(ref)
  const signed = beginCell().store(storeMessage({ ...message, body: body.endCell() }))
  return signed.endCell().toBoc().toString('base64')
}

describe('a request that is wrong', () => {
  const wrong: [string, string, string][] = [
    ['emulateTrace', 'nothing', 'invalid request: the body is not JSON'],
    ['emulateTrace', '[]', 'invalid request: Invalid input: expected object, received array'],
    ['emulateTrace', '{}', 'invalid request: boc is required'],
    ['emulateTrace', '{"boc":5}', 'invalid request: boc: Invalid input: expected string, received number'],
    ['emulateTrace', '{"boc":"a-_a"}', 'invalid request: invalid boc: not standard base64 with padding'],
    ['emulateTrace', '{"boc":"AAAA\\n"}', 'invalid request: invalid boc: not standard base64 with padding'],
    ['emulateTrace', '{"boc":"AAAA"}', "Can't deserialize message boc: "],
    ['emulateTrace', JSON.stringify({ boc: empty }), "Can't deserialize message boc: not a message"],
    [
      'emulateTrace',
      JSON.stringify({ boc: 'A'.repeat(88_000) }),
      'invalid request: invalid boc: 66000 bytes',
    ],
    ['emulateTrace', `{"boc":"${empty}","mc_block_seqno":-1}`, 'invalid request: mc_block_seqno: '],
    ['emulateTrace', JSON.stringify({ boc: elsewhere }), 'no shard found for message'],
    [
      'emulateTrace',
      JSON.stringify({ boc: tooMuch }),
      'failed to emulate shard block: value.grams: the account would have ',
    ],
    ['emulateTonConnect', '{}', 'invalid request: from address is required for emulation'],
    ['emulateTonConnect', '{"from":"x"}', 'invalid request: messages array cannot be empty'],
    [
      'emulateTonConnect',
      '{"from":"x","messages":[{}]}',
      'invalid request: message at index 0 cannot be empty',
    ],
    [
      'emulateTonConnect',
      JSON.stringify({ from: addressOf('wallet-v4r2'), messages: [{ address: addressOf('sink') }] }),
      'invalid request: amount in message at index 0 cannot be empty',
    ],
    ...[
      [{ amount: '-1' }, 'invalid amount in message at index 0: '],
      [{ amount: '18446744073709551616' }, 'invalid amount in message at index 0: '],
      [{ payload: 'AAAA' }, 'invalid message payload at index 0: '],
      [{ stateInit: '?' }, 'invalid message stateInit at index 0: '],
    ].map(([part, text]): [string, string, string] => [
      'emulateTonConnect',
      JSON.stringify({
        from: addressOf('wallet-v4r2'),
        messages: [{ address: addressOf('sink'), amount: '1', ...(part as object) }],
      }),
      `invalid request: ${text as string}`,
    ]),
    [
      'emulateTonConnect',
      JSON.stringify({ from: 'nobody', messages: [{ address: addressOf('sink'), amount: '1' }] }),
      'Invalid address format: nobody',
    ],
    [
      'emulateTonConnect',
      JSON.stringify({
        from: addressOf('wallet-v4r2'),
        messages: Array(5).fill({ address: addressOf('sink'), amount: '1' }),
      }),
      'invalid request: messages array cannot contain more than 4 messages',
    ],
  ]
  test.each(wrong)('%s %s', async (path, body, text) => {
    const reply = await post(`v1/${path}`, body)
    expect(reply).toMatchObject({ status: 400, body: { code: 400 } })
    expect(reply.body.error!.slice(0, text.length)).toBe(text)
  })

  test('a body that is not declared as JSON, too large a body, another verb', async () => {
    expect(await post('v1/emulateTrace', '{}', 'text/plain')).toMatchObject({ status: 400 })
    expect(await post('v1/emulateTrace', `{"boc":"${'A'.repeat(300_000)}"}`)).toMatchObject({ status: 413 })
    expect((await fetch(url('v1/emulateTrace'))).status).toBe(405)
  })
})

describe('a message', () => {
  test('that its wallet refuses has no trace, and the reply has the exit code of the wallet', async () => {
    const codes = { 'wrong seqno': '33', 'bad signature': '35', expired: '35', 'wrong wallet id': '34' }
    const found: Record<string, string> = {}
    for (const { boc, label, step } of sendsOf(/^wallet\.refused$/)) {
      const { status, body } = await emulateTrace({ boc, mc_block_seqno: step.started_mc_seqno })
      expect(status).toBe(500)
      found[label!] = body.error!.replace('failed to emulate shard block: EmulationExternalNotAccepted: ', '')
    }
    expect(found).toMatchObject(codes)
    expect(found['no account']).toBe('no code or no money to run it')
  })

  // Of a message of long ago, a wallet v5 looks at the number first, others at the time.
  test.each([
    ['v3r1', { 'long ago': 35, 'wrong seqno': 33, 'bad signature': 35 }],
    ['v3r2', { 'long ago': 35, 'wrong seqno': 33, 'bad signature': 35 }],
    ['v4r2', { 'long ago': 36, 'wrong seqno': 33, 'bad signature': 35 }],
    ['v5r1', { 'long ago': 133, 'wrong seqno': 133, 'bad signature': 135 }],
  ])('that a wallet %s refuses has the exit code of that kind', async (version, codes) => {
    const { boc } = firstOf(new RegExp(`^wallet\\.${version}\\.comment$`))
    const first = await seqnoOf(boc)
    const exitCode = async (body: object) =>
      Number((await emulateTrace(body)).body.error?.replace(/^.*EmulationExternalNotAccepted: /, ''))
    expect({
      'long ago': await exitCode({ boc }),
      'wrong seqno': await exitCode({ boc, mc_block_seqno: first + 1 }),
      'bad signature': await exitCode({ boc: otherwiseSigned(boc), mc_block_seqno: first - 1 }),
    }).toEqual(codes)
  })

  test('with a wrong signature is accepted when signatures are ignored', async () => {
    const { boc, step } = sendsOf(/^wallet\.refused$/).find(({ label }) => label === 'bad signature')!
    const mc_block_seqno = step.started_mc_seqno
    const asked = await emulateTrace({ boc, mc_block_seqno, ignore_chksig: true })
    expect(asked).toMatchObject({ status: 200, body: { mc_block_seqno, is_incomplete: false } })
    expect(rootOf(asked).description.compute_ph.exit_code).toBe(0)
    expect(asked.headers.get('server-timing')).toMatch(/app;.*state;.*emulate;.*classify;.*render;/)
  })

  test('is emulated alike every time, without actions and code unless asked for', async () => {
    const { boc, step } = firstOf(/^jetton\.j1\.transfer$/)
    const body = { boc, mc_block_seqno: step.started_mc_seqno, ignore_chksig: true }
    const [first, again] = [await emulateTrace(body), await emulateTrace(body)]
    expect(first.status).toBe(200)
    expect(again.body).toEqual(first.body)
    expect(Object.keys(first.body)).toEqual([
      'mc_block_seqno',
      'trace',
      'transactions',
      'actions',
      'rand_seed',
      'is_incomplete',
    ])
    expect(first.body['actions']).toEqual([])
    expect(Buffer.from(first.body['rand_seed'] as string, 'base64')).toHaveLength(32)
  })

  test('from a relayer, without a source, pays a wallet', async () => {
    const message = beginCell()
      .store(
        storeMessage({
          info: {
            ...{ type: 'internal', ihrDisabled: true, bounce: true, bounced: false },
            src: new Address(0, Buffer.alloc(32)),
            dest: Address.parse(addressOf('wallet-v5r1')),
            value: { coins: 1_000_000_000n },
            ...{ ihrFee: 0n, forwardFee: 0n, createdLt: 0n, createdAt: 0 },
          },
          body: beginCell().endCell(),
        } as Parameters<typeof storeMessage>[0]),
      )
      .endCell()
    const asked = await emulateTrace({ boc: message.toBoc().toString('base64') })
    expect(asked.status).toBe(200)
    expect(rootOf(asked)).toMatchObject({ emulated: true, in_msg: { value: '1000000000' } })
  })

  test('at a block that does not exist yet is refused', async () => {
    const { boc } = firstOf(/^wallet\.v4r2\.self$/)
    const { status, body } = await emulateTrace({ boc, mc_block_seqno: 4_000_000 })
    expect([status, body.error]).toEqual([500, 'mc block seqno is too new'])
  })
})

describe('a TON Connect request', () => {
  const to = Address.parse(addressOf('sink'))
  const friendly = (bounceable: boolean) => to.toString({ bounceable })
  const { init } = WalletContractV4.create({ workchain: 0, publicKey: Buffer.alloc(32, 5) })
  const stateInit = beginCell().store(storeStateInit(init)).endCell().toBoc().toString('base64')

  test.each(['v3r1', 'v3r2', 'v4r2', 'v5r1'])('is what a wallet %s would send', async (version) => {
    const payload = beginCell().storeUint(0, 32).storeStringTail('hello').endCell()
    const asked = await emulateTonConnect({
      from: addressOf(`wallet-${version}`),
      messages: [
        { address: friendly(true), amount: '1000', payload: payload.toBoc().toString('base64') },
        { address: friendly(false), amount: '2000' },
        { address: to.toRawString(), amount: '3000', stateInit },
        { address: friendly(false), amount: '4000' },
      ],
      valid_until: 1_900_000_000_000_000,
    })
    expect(asked.status).toBe(200)
    expect(rootOf(asked).description.compute_ph.exit_code).toBe(0)
    const sent = rootOf(asked).out_msgs.map(({ bounce, value, init_state }) => [
      bounce,
      value,
      init_state !== null,
    ])
    expect(sent).toEqual([
      [true, '1000', false],
      [false, '2000', false],
      [true, '3000', true],
      [false, '4000', false],
    ])
  })

  test('that has expired is refused by the wallet', async () => {
    const messages = [{ address: friendly(true), amount: '1' }]
    const expired = async (name: string) =>
      (await emulateTonConnect({ from: addressOf(name), messages, valid_until: 1_000_000_000 })).body.error
    expect(await expired('wallet-v4r2')).toBe(
      'failed to emulate shard block: EmulationExternalNotAccepted: 36',
    )
    expect(await expired('wallet-v5r1')).toBe(
      'failed to emulate shard block: EmulationExternalNotAccepted: 136',
    )
  })

  test.each([
    ['seconds', 1],
    ['milliseconds', 1e3],
    ['microseconds', 1e6],
    ['nanoseconds', 1e9],
  ])('may say in %s until when it is valid', async (_unit, perSecond) => {
    const messages = [{ address: friendly(true), amount: '1' }]
    const asked = (seconds: number) =>
      emulateTonConnect({ from: addressOf('wallet-v4r2'), messages, valid_until: seconds * perSecond })
    expect((await asked(1_500_000_000)).body.error).toContain('EmulationExternalNotAccepted: 36')
    expect((await asked(2_000_000_000)).status).toBe(200)
  })

  test('to an account that is no such wallet is refused', async () => {
    const messages = [{ address: friendly(true), amount: '1' }]
    const refusal = async (from: string) => {
      const { status, body } = await emulateTonConnect({ from, messages })
      return [status, body.error]
    }
    expect(await refusal(addressOf('wallet-v1r1'))).toEqual([500, 'Unsupported wallet type: wallet v1 r1'])
    expect(await refusal(addressOf('wallet-hl3'))).toEqual([500, 'Account is not a known wallet'])
    expect(await refusal(`0:${'12'.repeat(32)}`)).toEqual([500, 'Account state no code or no data'])
  })

  test('of a wallet that is not deployed brings its state along', async () => {
    const from = contractAddress(0, init).toString()
    const request = { from, messages: [{ address: friendly(true), amount: '1' }] }
    const asked = await emulateTonConnect({ ...request, from_state_init: stateInit })
    // Nobody has paid it: no money to run the code.
    expect(asked.body.error).toContain('EmulationExternalNotAccepted')
    const other = await emulateTonConnect({ ...request, from_state_init: empty })
    expect(other.body.error).toBe('invalid request: from_state_init is that of another address')
  })

  test('of a wallet v5 may have more than four messages', async () => {
    const messages = Array.from({ length: 20 }, () => ({ address: friendly(false), amount: '1' }))
    const asked = await emulateTonConnect({ from: addressOf('wallet-v5r1'), messages })
    expect(rootOf(asked).out_msgs).toHaveLength(20)
    expect(Object.keys(asked.body.transactions)).toHaveLength(21)
  })
})

test('the API says whether it is ready, and what it is', async () => {
  expect((await fetch(url('healthz'))).status).toBe(200)
  const document = (await (await fetch(url('openapi.json'))).json()) as { paths: object }
  expect(Object.keys(document.paths)).toEqual([
    '/api/emulate/v1/emulateTrace',
    '/api/emulate/v1/emulateTonConnect',
  ])
  expect(await (await fetch(url(''))).text()).toContain('Shardwalk emulation API')
})
