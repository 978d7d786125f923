// Cases that the recorded traces do not contain: refusals, unknown contracts, damaged orders, endless chains.
import type { Builder, Cell } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { basicTree } from '../src/classify.ts'
import { breadthFirst } from '../src/core/block.ts'
import { matchAt } from '../src/core/match.ts'
import { call, chain, over } from '../src/core/pattern.ts'
import { type ActionRow, classifyTrace, factsWanted, type TraceTransaction } from '../src/index.ts'
import { addr, boc, buildTrace, op, q, type Sketch, storeAddr, text } from './build-trace.ts'
import {
  assigned,
  classify,
  type Facts,
  item,
  jettonTransfer,
  messageTo,
  only,
  ref,
  TON,
  types,
  wallet,
} from './hand-made.ts'

const OK = 0xc64370e5
const PTON = '0:949C4C66760C002800E2FA3D8A3CA4E1C90A9373B53AE7472033483BF14CD95E'

describe('a plain transfer whose transaction was aborted', () => {
  const sent = (receiver: Partial<TraceTransaction>, bounce: boolean): ActionRow => {
    const trace = buildTrace('ALICE', [{ to: 'BOB', body: text('hi'), aborted: true }])
    const [wallet, bob] = trace.transactions
    const inMessage = { ...bob!.inMessage!, bounce }
    const transactions = [wallet!, { ...bob!, ...receiver, inMessage }]
    return only(classifyTrace({ ...trace, transactions }, new Map()).actions, 'ton_transfer')
  }

  test('failed if it was to bounce', () => {
    expect(sent({ exitCode: null, skipReason: 'no_gas' }, true).success).toBe(false)
  })

  test('arrived at an account that stays without code, and at one without gas to run', () => {
    expect(sent({ origStatus: 'nonexist', endStatus: 'uninit', exitCode: null }, false).success).toBe(true)
    expect(sent({ exitCode: null, skipReason: 'no_gas' }, false).success).toBe(true)
  })

  test('a missing exit code of an active account means lack of gas when the reason is not stored', () => {
    expect(sent({ exitCode: null }, false).success).toBe(true)
    expect(sent({ exitCode: 37 }, false).success).toBe(false)
    expect(sent({ exitCode: null, skipReason: 'suspended' }, false).success).toBe(false)
    expect(sent({ origStatus: 'frozen', endStatus: 'frozen', exitCode: null }, false).success).toBe(false)
  })
})

describe('a request that a wallet did not execute', () => {
  const asked = (value: bigint, body: Cell): ActionRow[] => {
    const message = messageTo('ALICE_J', value, body)
    const order = ref((b) => b.storeUint(0, 512).storeUint(0, 96).storeUint(3, 8).storeRef(message))
    const trace = buildTrace('ALICE', [])
    const [transaction] = trace.transactions
    const inMessage = { ...transaction!.inMessage!, body: boc(order) }
    return [...classifyTrace({ ...trace, transactions: [{ ...transaction!, inMessage }] }, new Map()).actions]
  }
  const transfer = storeAddr(storeAddr(q(0x0f8a7ea5).storeCoins(9n), 'BOB'), 'ALICE')
    .storeBit(false)
    .storeCoins(0n)
    .storeBit(false)
    .endCell()

  test('is not a success, even without value', () => {
    for (const value of [0n, 5n])
      expect(only(asked(value, transfer), 'jetton_transfer')).toMatchObject({
        success: false,
        amount: 9n,
        source: addr('ALICE'),
        source_secondary: addr('ALICE_J'),
        destination: addr('BOB'),
        destination_secondary: null,
        asset: null,
        accounts: [addr('ALICE'), addr('ALICE_J')].sort(),
      })
    expect(asked(0n, q(0x7bdd97de).endCell())).toMatchObject([{ type: 'call_contract', success: false }])
  })
})

test('a jetton payload is a comment if it has the opcode and whole bytes', () => {
  const sent = (payload: Cell | undefined): unknown[] => {
    const row = only(
      classify([jettonTransfer('ALICE', 'BOB', { payload })], { BOB_J: wallet('BOB', 'J') }),
      'jetton_transfer',
    )
    return [row.jetton_transfer_data!.comment, row.jetton_transfer_data!.is_encrypted_comment]
  }
  const comment = (opcode: number, bytes: string): Cell => op(opcode).storeBytes(Buffer.from(bytes)).endCell()
  expect(sent(comment(0, 'hi'))).toEqual(['hi', false])
  expect(sent(comment(0, ''))).toEqual(['', false])
  expect(sent(comment(0x2167da4b, 'hi'))).toEqual(['aGk=', true])
  expect(sent(op(0).storeUint(5, 7).endCell())).toEqual([null, false])
  expect(sent(comment(1, 'hi'))).toEqual([null, false])
  expect(sent(undefined)).toEqual([null, false])
})

describe('STON.fi v2', () => {
  const nothing = ref((b) => b)
  const order = (): Builder =>
    storeAddr(q(0x6664de2a), 'ALICE')
      .storeCoins(1n)
      .storeCoins(0n)
      .storeRef(ref((b) => storeAddr(b.storeUint(0x6664de2a, 32), 'MIDDLE_W').storeRef(nothing)))
  const payTo = (exitCode: number, amounts: readonly [bigint, bigint]): Builder => {
    const tokens = ref((b) =>
      storeAddr(
        storeAddr(b.storeCoins(0n).storeCoins(amounts[0]), 'MIDDLE_W').storeCoins(amounts[1]),
        'OUT_W',
      ),
    )
    const body = storeAddr(storeAddr(storeAddr(q(0x657b54f5), 'ALICE'), 'ALICE'), 'ALICE')
    return body.storeUint(exitCode, 32).storeBit(false).storeRef(tokens)
  }
  const facts: Facts = {
    ROUTER_J: wallet('ROUTER', 'GIVEN'),
    ALICE_J: wallet('ALICE', 'MIDDLE'),
    MIDDLE_W: wallet('ROUTER', 'MIDDLE'),
    OUT_W: wallet('ROUTER', 'WANTED'),
  }
  const hop = (amounts: readonly [bigint, bigint], exitCode: number, sends: readonly Sketch[]): Sketch => ({
    to: 'POOL',
    body: order(),
    sends: [{ to: 'ROUTER', body: payTo(exitCode, amounts), sends }],
  })
  const swap = (pool: Sketch): ActionRow =>
    only(classify([jettonTransfer('ALICE', 'ROUTER', { notified: [pool] })], facts), 'jetton_swap')
  const back = jettonTransfer('ROUTER', 'ALICE', { amount: 40n })
  const first = { asset_in: addr('GIVEN'), amount_in: 100n, asset_out: addr('MIDDLE'), amount_out: 40n }

  test('two pools are two hops', () => {
    const row = swap(hop([40n, 0n], OK, [hop([0n, 30n], OK, [back])]))
    expect(row.success).toBe(true)
    expect(row.jetton_swap_data!.peer_swaps).toEqual([
      first,
      { asset_in: addr('MIDDLE'), amount_in: 40n, asset_out: addr('WANTED'), amount_out: 30n },
    ])
  })

  test('a second pool that refused leaves the first hop', () => {
    const row = swap(hop([40n, 0n], OK, [hop([40n, 0n], 0x38976e9b, [back])]))
    expect(row.success).toBe(false)
    expect(row.jetton_swap_data!.peer_swaps).toEqual([first])
  })

  test('a swap through one pool has no list of hops', () => {
    expect(swap(hop([40n, 0n], OK, [back])).jetton_swap_data!.peer_swaps).toEqual([])
  })
})

describe('STON.fi v1', () => {
  const payTo = (exitCode: number, amount: bigint, sends: readonly Sketch[]): Sketch => ({
    to: 'ROUTER',
    body: storeAddr(q(0xf93bb43f), 'ALICE')
      .storeUint(exitCode, 32)
      .storeRef(ref((b) => storeAddr(storeAddr(b.storeCoins(0n), 'IN_W').storeCoins(amount), 'OUT_W'))),
    sends,
  })
  const swap = (payments: readonly Sketch[], facts: Facts): readonly ActionRow[] => {
    const order = storeAddr(storeAddr(q(0x25938561), 'ALICE'), 'IN_W')
      .storeCoins(100n)
      .storeCoins(1n)
      .storeBit(false)
      .storeRef(ref((b) => storeAddr(b, 'ALICE')))
    const pool: Sketch = { to: 'POOL', body: order, sends: payments }
    return classify([jettonTransfer('ALICE', 'ROUTER', { notified: [pool] })], facts)
  }
  const out = (to: string): Sketch => jettonTransfer('ROUTER', to, { amount: 50n })
  const facts: Facts = {
    ROUTER_J: wallet('ROUTER', 'GIVEN'),
    ALICE_J: wallet('ALICE', 'TAKEN'),
    FRIEND_J: wallet('FRIEND', 'TAKEN'),
    IN_W: wallet('ROUTER', 'GIVEN'),
    OUT_W: wallet('ROUTER', 'TAKEN'),
  }

  test('the share of the referral remains an action of its own', () => {
    const actions = swap([payTo(OK, 50n, [out('ALICE')]), payTo(0x45078540, 1n, [out('FRIEND')])], facts)
    const row = only(actions, 'jetton_swap')
    expect(row).toMatchObject({ success: true, asset: addr('GIVEN'), asset2: addr('TAKEN') })
    expect(types(actions)).toEqual(['jetton_swap', 'call_contract', 'jetton_transfer'])
  })

  test('an order refused for its reserves is refunded and failed', () => {
    expect(only(swap([payTo(0x38976e9b, 50n, [out('ALICE')])], facts), 'jetton_swap').success).toBe(false)
  })

  test('is not a swap if the wallet of the router is unknown', () => {
    const { IN_W: _, ...rest } = facts
    expect(types(swap([payTo(OK, 50n, [out('ALICE')])], rest))).not.toContain('jetton_swap')
  })

  test('is not a swap with a payout of an unknown kind', () => {
    expect(types(swap([payTo(0x12345678, 50n, [out('ALICE')])], facts))).not.toContain('jetton_swap')
  })
})

describe('TONCO', () => {
  test('a refused order for an unknown wallet shows what was returned', () => {
    const coins = ref((b) => storeAddr(storeAddr(b.storeCoins(100n), 'IN_W').storeCoins(0n), 'OUT_W'))
    const payTo = storeAddr(storeAddr(q(0xa1daa96d), 'ALICE'), 'ALICE')
      .storeUint(201_000, 32)
      .storeUint(1, 64)
      .storeBit(true)
      .storeRef(coins)
    const payload = ref((b) =>
      storeAddr(
        storeAddr(b.storeUint(0xa7fb58f8, 32), 'NOBODY_W').storeUint(0, 160).storeCoins(77n),
        'ALICE',
      ).storeBit(false),
    )
    const swap: Sketch = {
      to: 'POOL',
      body: q(0xa7fb58f8),
      sends: [{ to: 'ROUTER', body: payTo, sends: [jettonTransfer('ROUTER', 'ALICE')] }],
    }
    const facts: Facts = { ROUTER_J: wallet('ROUTER', 'GIVEN'), ALICE_J: wallet('ALICE', 'GIVEN') }
    const pton = {
      ...jettonTransfer('ROUTER', 'ALICE'),
      sends: [{ to: 'ALICE', body: q(0x01f3835d).storeCoins(5n) }],
    }
    const tonOut: Sketch = { ...swap, sends: [{ to: 'ROUTER', body: payTo, sends: [pton] }] }
    const run = (more: Facts): ActionRow =>
      only(
        classify([jettonTransfer('ALICE', 'ROUTER', { payload, notified: [swap] })], { ...facts, ...more }),
        'jetton_swap',
      )
    const unwrapped = classify([jettonTransfer('ALICE', 'ROUTER', { payload, notified: [tonOut] })], {
      ...facts,
      ROUTER_J: { jettonWallet: { owner: addr('ROUTER'), jetton: PTON } },
    })
    expect(types(unwrapped)).toEqual(['jetton_swap'])
    expect(run({})).toMatchObject({
      success: false,
      asset2: addr('GIVEN'),
      jetton_swap_data: { min_out_amount: 100n },
    })
    expect(run({ NOBODY_W: wallet('ROUTER', 'WANTED') })).toMatchObject({
      asset2: addr('WANTED'),
      jetton_swap_data: { min_out_amount: 77n },
    })
  })
})

test.each([
  { behind: 'the next order', wanted: 'WANTED', next: (order: Cell) => order },
  {
    behind: 'the next order, forwarded with the result',
    wanted: 'WANTED',
    next: (order: Cell) =>
      ref((b) =>
        storeAddr(b, 'ROUTER')
          .storeCoins(1n)
          .storeRef(order)
          .storeCoins(0n)
          .storeRef(ref((c) => c)),
      ),
  },
  {
    behind: 'the payload for the recipient',
    wanted: 'MIDDLE',
    next: () =>
      ref((b) =>
        storeAddr(b, 'ALICE')
          .storeCoins(1n)
          .storeRef(ref((c) => c.storeUint(0, 32))),
      ),
  },
])('a refused order on TONCO ends with the asset of its last pool: $behind', ({ next, wanted }) => {
  const order = (target: string, minOut: bigint, then?: Cell) =>
    ref((b) => {
      const head = storeAddr(b.storeUint(0xa7fb58f8, 32), target).storeUint(0, 160).storeCoins(minOut)
      const step = storeAddr(head, 'ALICE')
      return then ? step.storeBit(true).storeRef(then) : step.storeBit(false)
    })
  const payload = order('MIDDLE_W', 60n, next(order('WANTED_W', 77n)))
  const payTo = storeAddr(storeAddr(q(0xa1daa96d), 'ALICE'), 'ALICE')
    .storeUint(230, 32)
    .storeUint(1, 64)
    .storeBit(false)
  const refused: Sketch = {
    to: 'POOL',
    body: q(0xa7fb58f8),
    sends: [{ to: 'ROUTER', body: payTo, sends: [jettonTransfer('ROUTER', 'ALICE')] }],
  }
  const facts: Facts = {
    ROUTER_J: wallet('ROUTER', 'GIVEN'),
    ALICE_J: wallet('ALICE', 'GIVEN'),
    MIDDLE_W: wallet('ROUTER', 'MIDDLE'),
    WANTED_W: wallet('ROUTER', 'WANTED'),
  }
  const sends = [jettonTransfer('ALICE', 'ROUTER', { payload, notified: [refused] })]
  const { accounts } = factsWanted(buildTrace('ALICE', sends), new Map())
  const loaded = Object.fromEntries(Object.entries(facts).filter(([name]) => accounts.has(addr(name))))
  expect(only(classify(sends, loaded), 'jetton_swap')).toMatchObject({
    success: false,
    asset2: addr(wanted),
    jetton_swap_data: { min_out_amount: wanted === 'WANTED' ? 77n : 60n },
  })
})

describe('EVAA', () => {
  const asset = 0xb387968236197958ca4ac55e9b5be38e688c7631af84c86756431f49a878ef33n

  test.each([
    ['with a query id', true],
    ['without a query id', false],
  ])('a liquidation refused at once is read from the payload, %s', (_, withQuery) => {
    const payload = ref((b) => {
      const head = b.storeUint(3, 32)
      const body = withQuery ? head.storeUint(0x8123456789abcdefn, 64) : head
      return storeAddr(storeAddr(body, 'DEBTOR'), 'BOT').storeUint(asset, 256).storeUint(1, 64).storeInt(0, 2)
    })
    const refund = jettonTransfer('MASTER', 'ALICE')
    const facts: Facts = { MASTER_J: wallet('MASTER', 'USDT'), ALICE_J: wallet('ALICE', 'USDT') }
    const row = only(
      classify([jettonTransfer('ALICE', 'MASTER', { amount: 55n, payload, notified: [refund] })], facts),
      'evaa_liquidate',
    )
    expect(row).toMatchObject({
      success: false,
      source: addr('ALICE'),
      destination: addr('DEBTOR'),
      destination_secondary: null,
      amount: 0n,
      asset: asset.toString(),
      evaa_liquidate_data: { fail_reason: 'immediate_rejection', debt_amount: 55n },
    })
  })
})

describe('JVault', () => {
  const request = q(0x0168d4b7).storeCoins(5n)
  const update = { to: 'STAKE', body: op(0xae9307ce) }

  test('all referrers of a chain belong to the action', () => {
    const referrers = ['R1', 'R2'].reduceRight<readonly Sketch[]>(
      (above, name) => [
        { to: name, body: q(0x55c35b40), sends: [{ to: 'POOL', body: q(0x076ee4e0), sends: above }] },
      ],
      [],
    )
    const pool: Sketch = { to: 'POOL', body: q(0xf5c5baa3), sends: [...referrers, update] }
    const actions = classify([{ to: 'STAKE', body: request, sends: [pool] }])
    expect(types(actions).filter((type) => type === 'jvault_unstake_request')).toHaveLength(1)
    expect(actions.filter(({ ancestor_type }) => ancestor_type.length === 0)).toHaveLength(1)
    expect(actions[0]).toMatchObject({ success: true, destination: addr('POOL'), opcode: null, asset: null })
  })

  test('an unanswered request requires the staked amount', () => {
    const data = boc(ref((b) => storeAddr(storeAddr(b, 'POOL'), 'MINTER')))
    expect(types(classify([{ to: 'STAKE', body: request, exitCode: 902 }], { STAKE: { data } }))).toEqual([
      'call_contract',
    ])
    const poolData = boc(ref((b) => storeAddr(storeAddr(storeAddr(b.storeUint(0, 33), null), null), 'LOCK')))
    const known: Facts = { STAKE: { data }, POOL: { data: poolData }, LOCK: wallet('POOL', 'JET') }
    expect(
      only(classify([{ to: 'STAKE', body: request, exitCode: 902 }], known), 'jvault_unstake_request'),
    ).toMatchObject({
      success: false,
      opcode: 902,
      destination: addr('POOL'),
      asset: addr('JET'),
      asset2: addr('MINTER'),
    })
  })
})

describe('items', () => {
  test('an unreadable bid is a transfer without a purchase', () => {
    const notice = storeAddr(q(0x05138d91), 'BOB').storeBit(false).storeUint(0x38127de1, 32)
    const row = only(
      classify([{ to: 'NAME', sends: [{ to: 'CAROL', body: notice }] }], { NAME: item() }),
      'nft_transfer',
    )
    expect(row.nft_transfer_data).toMatchObject({ is_purchase: false, price: null, marketplace: null })
  })

  test('a first bid that deployed the item is not a purchase and has no price', () => {
    const bid = storeAddr(q(0x05138d91), null)
      .storeBit(false)
      .storeUint(0x38127de1, 32)
      .storeCoins(9n)
      .storeUint(1, 32)
    const made: Sketch = {
      to: 'NAME',
      body: q(0x299a3e15),
      deploys: true,
      sends: [{ to: 'CAROL', body: bid }],
    }
    const row = only(classify([made], { NAME: item() }), 'nft_transfer')
    expect(row.nft_transfer_data).toMatchObject({ is_purchase: false, price: null, marketplace: 'fragment' })
  })

  test('two fill-ups beside the notification are royalty and payout; one is the payout', () => {
    const bid = storeAddr(q(0x05138d91), 'SELLER')
      .storeBit(false)
      .storeUint(0x38127de1, 32)
      .storeCoins(9n)
      .storeUint(1, 32)
    const fill = (to: string, value: bigint): Sketch => ({ to, body: q(0x370fec51), value })
    const sold = (...fills: readonly Sketch[]): ActionRow =>
      only(
        classify([{ to: 'NAME', value: TON, sends: [...fills, { to: 'ALICE', body: bid }] }], {
          NAME: item(),
        }),
        'nft_transfer',
      )
    const both = sold(fill('AUTHOR', 1n), fill('SELLER', 8n))
    expect(both.nft_transfer_data).toMatchObject({
      is_purchase: true,
      price: 9n,
      royalty_amount: 1n,
      payout_amount: 8n,
    })
    expect(both.nft_listing_data).toEqual({
      royalty_address: addr('AUTHOR'),
      marketplace_fee_address: addr('SELLER'),
    })
    expect(sold(fill('SELLER', 8n)).nft_transfer_data).toMatchObject({
      royalty_amount: null,
      payout_amount: 8n,
    })
  })

  test('a user name is a domain, but is sold as a Telegram item', () => {
    const bid = ref((b) => b.storeUint(0x38127de1, 32).storeCoins(9n).storeUint(1, 32))
    const notice = storeAddr(q(0x05138d91), 'SELLER').storeBit(true).storeRef(bid)
    const fill = { to: 'SELLER', body: q(0x370fec51), value: 8n }
    const facts = { NAME: item({ uri: 'https://nft.fragment.com/username/x.json', isDomain: true }) }
    const settle = [{ to: 'NAME', body: q(0x2fcb26a2), sends: [fill, { to: 'ALICE', body: notice }] }]
    expect(types(classify(settle, facts))).toEqual(['call_contract', 'call_contract', 'nft_transfer'])
    expect(types(classify([{ to: 'NAME', body: q(0x4ed14b65) }], facts))).toEqual(['call_contract'])
  })

  test('an ownership notice for an unknown item is a call', () => {
    expect(types(classify([{ to: 'X', body: q(1), sends: [assigned('BOB', 'CAROL')] }]))).not.toContain(
      'nft_transfer',
    )
  })
})

test('a liquid stake below the fee has no amount', () => {
  const row = only(
    classify([{ to: 'POOL', body: q(0x47d54391), value: TON / 2n, aborted: true }]),
    'stake_deposit',
  )
  expect(row).toMatchObject({ success: false, amount: null })
})

test('an endless chain is followed for a hundred steps', () => {
  const steps = Array.from({ length: 300 }).reduceRight<readonly Sketch[]>(
    (sends) => [{ to: 'POOL', body: q(0x72aca8aa), sends }],
    [],
  )
  const [, external, first] = breadthFirst(basicTree(buildTrace('ALICE', steps)))
  const pattern = over({}, chain(call(0x72aca8aa), call(0xad4eb6f5)))
  expect(first!.previous).toBe(external)
  expect(matchAt(external!, pattern, new Map())!.blocks()).toHaveLength(100)
})

test('transactions with the same lt give the same rows in any order', () => {
  const trace = buildTrace('ALICE', [{ to: 'BOB' }, { to: 'CAROL' }, { to: 'DAVE' }])
  const orphans = trace.transactions.slice(1).map((tx) => ({ ...tx, lt: 5000n }))
  const [one, other] = [orphans, [...orphans].reverse()].map((transactions) =>
    classifyTrace({ ...trace, transactions }, new Map()),
  )
  expect(one!.actions).toEqual(other!.actions)
})
