import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Builder, type Cell, parseRoot, serializeBoc } from '@shardwalk/cells'
import { Recording } from '@shardwalk/sources'
import { isLong } from '@shardwalk/testkit/runs'
import { decodeAnswer, encodeFunction, encodeQuery } from '@shardwalk/tl'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { LiteService, ReplayChain, recordedMessages } from './index.ts'

const CHAIN = 'fixtures/chain'
const recording = await Recording.open(CHAIN)
const chain = new ReplayChain(recording)
const clock = { now: 0 }
const service = new LiteService(chain, { now: () => clock.now, useRecordedAnswers: false })
beforeEach(() => {
  // Nothing sent by an earlier test counts any more.
  clock.now += 1000
  service.mailbox.sent.length = 0
})
afterAll(async () => {
  await service.close()
  await recording.close()
})

/** 'accepted', or the text of the refusal. */
async function send(message: Cell | Buffer): Promise<string> {
  const body = Buffer.isBuffer(message) ? message : serializeBoc(message)
  const query = encodeQuery(encodeFunction('liteServer.sendMessage', { body }))
  const answer = decodeAnswer('liteServer.sendMessage', (await service.answer(query))!)
  return answer.ok ? 'accepted' : answer.error.message
}

/** What the scenario of the recording sent on purpose to be refused. */
interface Step {
  readonly id: string
  readonly started_mc_seqno: number
  readonly sends?: readonly { readonly boc?: string; readonly label?: string }[]
}
const { steps } = JSON.parse(gunzipSync(readFileSync(`${CHAIN}/scenario.json.gz`)).toString()) as {
  steps: Step[]
}

const bagOf = (text: string): Cell => {
  return parseRoot(Buffer.from(text, 'base64'))
}

/** External messages of some blocks, with their seqno. */
const EVERY = isLong ? 20 : 40

async function* recorded() {
  for (let seqno = recording.first + 40; seqno <= recording.last; seqno += EVERY)
    for (const message of await recordedMessages(recording, seqno)) yield { message, seqno }
}

describe('a recorded message', () => {
  test('is accepted just before the block that has it', async () => {
    const refused: string[] = []
    let accepted = 0
    for await (const { message, seqno } of recorded()) {
      chain.setHead(seqno - 1)
      clock.now += 60
      const outcome = await send(message)
      if (outcome === 'accepted') accepted++
      else refused.push(outcome)
    }
    expect(accepted).toBeGreaterThan(600 / EVERY)
    // A wallet may send two in one block; the second needs the state after the first.
    expect(refused.length).toBeLessThan(accepted / 10)
    for (const text of refused) expect(text).toMatch(NOT_ACCEPTED)
  })

  test('of a wallet is refused once it happened', async () => {
    const { message, seqno } = transfer
    chain.setHead(seqno - 1)
    expect(await send(message)).toBe('accepted')
    expect(service.mailbox.sent).toHaveLength(1)
    clock.now += 60
    chain.setHead(seqno + 2)
    expect(await send(message)).toMatch(/exitcode=33, steps=\d\d, gas_used=0\nVM Log \(truncated\):\n\.\.\./)
    expect(service.mailbox.sent).toHaveLength(1)
  })
})

const NOT_ACCEPTED = new RegExp(
  '^cannot apply external message to current state : External message was not accepted\\n' +
    'Cannot run message on account: inbound external message rejected by ' +
    '(transaction [0-9A-F]{64}:\\nexitcode=\\d+|account [0-9A-F]{64} before)',
)

/** A transfer of a wallet v3 and the block that received it. */
const transfer = await (async () => {
  const sent = steps.flatMap(({ id, sends = [] }) => (/^wallet\.v3r2/.test(id) ? sends : []))
  const hashes = new Set(sent.flatMap(({ boc }) => (boc ? [bagOf(boc).hash().toString('hex')] : [])))
  for (let seqno = recording.first; seqno <= recording.last; seqno++)
    for (const message of await recordedMessages(recording, seqno))
      if (hashes.has(message.hash().toString('hex'))) return { message, seqno }
  throw new Error('the recording has no transfer of a wallet v3')
})()

/** The same message with an import fee, which contracts do not see. */
function variant(message: Cell, fee: number): Cell {
  const slice = message.slice()
  // block.tlb `ext_in_msg_info$10 src:addr_none$00 dest:addr_std$10 anycast:nothing$0 … import_fee:Grams`
  const head = slice.loadBits(2 + 2 + 2 + 1 + 8 + 256)
  slice.loadCoins()
  return new Builder().storeBits(head).storeCoins(BigInt(fee)).storeSlice(slice).endCell()
}

describe('a message', () => {
  test('that its contract refuses is refused with the exit code', async () => {
    const codes: Record<string, string> = {}
    for (const { id, sends = [], started_mc_seqno: seqno } of steps)
      for (const { boc, label } of id === 'wallet.refused' ? sends : []) {
        chain.setHead(seqno)
        codes[label!] = /exitcode=\d+|Failed to unpack account state/.exec(await send(bagOf(boc!)))?.[0] ?? ''
      }
    expect(codes).toMatchObject({
      'wrong seqno': 'exitcode=33',
      'wrong wallet id': 'exitcode=34',
      'bad signature': 'exitcode=35',
      expired: 'exitcode=35',
      'no account': 'Failed to unpack account state',
    })
  })

  test('is a duplicate for a minute, unless it was refused', async () => {
    const { message, seqno } = transfer
    chain.setHead(seqno + 2)
    expect(await send(message)).toMatch(NOT_ACCEPTED)
    chain.setHead(seqno - 1)
    expect(await send(message)).toBe('accepted')
    clock.now += 59
    expect(await send(message)).toBe('cannot send external message : duplicate message')
    clock.now += 1
    expect(await send(message)).toBe('accepted')
  })

  test('is one too many after thirty to its address within ten seconds', async () => {
    const { message, seqno } = transfer
    chain.setHead(seqno - 1)
    for (let fee = 1; fee <= 30; fee++) expect(await send(variant(message, fee))).toBe('accepted')
    expect(await send(variant(message, 31))).toMatch(
      /^cannot apply external .* state : too many external messages to address 0:[0-9A-F]{64}$/,
    )
    clock.now += 10
    expect(await send(variant(message, 31))).toBe('accepted')
  })

  test('that is no message, too large, too deep or not whole is refused before it is run', async () => {
    const nested = (depth: number): Cell =>
      depth === 0 ? new Builder().endCell() : new Builder().storeRef(nested(depth - 1)).endCell()
    const start = () => new Builder().storeUint(0b10, 2)
    const problem = async (message: Cell | Buffer) =>
      (await send(message)).replace(/^cannot apply .* : failed to parse external message: /, '')
    expect(await problem(Buffer.alloc(65_536))).toBe('external message too large, rejecting')
    expect(await problem(start().storeRef(nested(511)).endCell())).toBe('external message is too deep')
    expect(await problem(start().endCell())).toBe(
      'external message is not a (Message Any) according to automated checks',
    )
    expect(await problem(serializeBoc([nested(0), nested(1)]))).toBe(
      'external message is not a valid bag of cells',
    )
  })
})
