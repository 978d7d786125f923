// Wallets that were asked and did nothing: hand-made traces for cases that no recorded trace contains.
import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { type ActionRow, classifyTrace } from '../src/index.ts'
import { addr, boc, buildTrace, storeAddr } from './build-trace.ts'
import { ref } from './hand-made.ts'

describe('a wallet that was asked and did nothing', () => {
  /** `int_msg_info$0` from nobody to BOB, as far as the body. */
  const head = (b: Builder, currencies?: Cell): Builder =>
    storeAddr(storeAddr(b.storeUint(0b0110, 4), null), 'BOB')
      .storeCoins(3n)
      .storeMaybeRef(currencies)
      .storeCoins(0n)
      .storeCoins(0n)
      .storeUint(0, 64 + 32)
      .storeBit(false)
  const asked = ref((b) => head(b).storeBit(false))
  const library = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32)).endCell({ exotic: true })
  const signature = (b: Builder): Builder => b.storeUint(0, 512)
  const lone = (body: Cell): readonly ActionRow[] => {
    const trace = buildTrace('ALICE', [])
    const [transaction] = trace.transactions
    const inMessage = { ...transaction!.inMessage!, body: boc(body) }
    const transactions = [{ ...transaction!, inMessage }]
    const { actions, failures } = classifyTrace({ ...trace, transactions }, new Map())
    expect(failures).toEqual([])
    return actions
  }
  const outList = ref((b) =>
    b
      .storeRef(ref((c) => c))
      .storeUint(0x0ec3c86d, 32)
      .storeUint(3, 8)
      .storeRef(asked),
  )

  test.each([
    ['v1', ref((b) => signature(b).storeUint(0, 32).storeUint(3, 8).storeRef(asked))],
    ['v2', ref((b) => signature(b).storeUint(0, 64).storeUint(3, 8).storeRef(asked))],
    ['v3', ref((b) => signature(b).storeUint(0, 96).storeUint(3, 8).storeRef(asked))],
    ['v4', ref((b) => signature(b).storeUint(0, 96).storeUint(0, 8).storeUint(3, 8).storeRef(asked))],
    [
      'v5',
      ref((b) =>
        b.storeUint(0x7369676e, 32).storeUint(0, 96).storeBit(true).storeRef(outList).storeBit(false),
      ),
    ],
    [
      'highload v2',
      ref((b) =>
        signature(b)
          .storeUint(0, 96)
          .storeMaybeRef(buildDict([[0n, new Builder().storeUint(3, 8).storeRef(asked)]], 16)),
      ),
    ],
    [
      'highload v3',
      ref((b) => signature(b).storeRef(ref((c) => c.storeUint(0, 32).storeRef(asked).storeUint(3, 8)))),
    ],
    ['preprocessed', ref((b) => signature(b).storeRef(ref((c) => c.storeUint(0, 80).storeRef(outList))))],
  ])('%s: the request is a failed transfer without its receiver', (_, body) => {
    const [row, ...others] = lone(body)
    expect(others).toEqual([])
    expect(row).toMatchObject({ type: 'ton_transfer', success: false, value: 3n, destination: addr('BOB') })
    expect(row!.accounts).toEqual([addr('ALICE')])
  })

  test('extra currencies that were asked for are shown; unreadable ones are left out', () => {
    const carrying = (dict: Cell) => ref((b) => head(b, dict).storeBit(false))
    const request = (message: Cell) =>
      lone(ref((b) => signature(b).storeUint(0, 96).storeUint(3, 8).storeRef(message)))
    const amounts = buildDict([[100n, new Builder().storeUint(1, 5).storeUint(77, 8)]], 32)
    expect(request(carrying(amounts!)).map(({ value_extra_currencies: extra }) => extra)).toEqual([
      { 100: '77' },
    ])
    for (const damaged of [ref((b) => b), library])
      expect(request(carrying(damaged))).toMatchObject([{ value: 3n, value_extra_currencies: {} }])
  })

  test('a message whose body is a library reference is one without an opcode', () => {
    const toLibrary = ref((b) => head(b).storeBit(true).storeRef(library))
    const body = ref((b) =>
      signature(b).storeUint(0, 96).storeUint(0x0303, 16).storeRef(toLibrary).storeRef(asked),
    )
    expect(lone(body).map(({ type, value }) => [type, value])).toEqual([
      ['ton_transfer', 3n],
      ['ton_transfer', 3n],
    ])
  })

  test('a body that is not a wallet’s is unknown', () => {
    expect(lone(ref((b) => b.storeUint(1, 20))).map(({ type, action_id }) => [type, action_id])).toEqual([
      ['unknown', buildTrace('ALICE', []).traceId],
    ])
  })
})
