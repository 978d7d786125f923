// Traces made by hand, one per type that no recorded trace shows: layouts as documented at each reader.
import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { type AccountFacts, type ActionRow, classifyTrace } from '../src/index.ts'
import { addr, boc, buildTrace, op, q, type Sketch, storeAddr, text } from './build-trace.ts'

const TON = 1_000_000_000n
type Facts = Readonly<Record<string, AccountFacts>>

function classify(sends: readonly Sketch[], facts: Facts = {}): readonly ActionRow[] {
  const known = new Map(Object.entries(facts).map(([name, fact]) => [name.includes(':') ? name : addr(name), fact]))
  const { failures, actions } = classifyTrace(buildTrace('ALICE', sends), known)
  expect(failures).toEqual([])
  return actions
}

function only(actions: readonly ActionRow[], type: string): ActionRow {
  const found = actions.filter((row) => row.type === type)
  expect(actions.map((row) => row.type)).toContain(type)
  expect(found).toHaveLength(1)
  return found[0]!
}

const types = (actions: readonly ActionRow[]): string[] => actions.map(({ type }) => type)
const ref = (fill: (b: Builder) => Builder): Cell => fill(new Builder()).endCell()
const wallet = (owner: string, jetton: string): AccountFacts => ({
  jettonWallet: { owner: addr(owner), jetton: addr(jetton) },
})
const item = (more: Partial<NonNullable<AccountFacts['nftItem']>> = {}): AccountFacts => ({
  nftItem: { index: 5n, collection: addr('COLLECTION'), owner: addr('ALICE'), ...more },
})

const internalTransfer = (amount: bigint, from: string): Builder =>
  storeAddr(storeAddr(q(0x178d4519).storeCoins(amount), from), from)
    .storeCoins(0n)
    .storeBit(false)

/** Owner -> wallet -> wallet of `to`, with a payload and what the receiver's wallet sends on. */
const jettonTransfer = (
  from: string,
  to: string,
  { amount = 100n, payload, notified }: { amount?: bigint; payload?: Cell; notified?: readonly Sketch[] } = {},
): Sketch => {
  const forwarded = (b: Builder) => (payload ? b.storeBit(true).storeRef(payload) : b.storeBit(false))
  const notification = storeAddr(q(0x7362d09c).storeCoins(amount), from)
  return {
    to: `${from}_J`,
    body: forwarded(
      storeAddr(storeAddr(q(0x0f8a7ea5).storeCoins(amount), to), from)
        .storeBit(false)
        .storeCoins(1n),
    ),
    sends: [
      {
        to: `${to}_J`,
        body: internalTransfer(amount, from),
        sends: notified ? [{ to, body: forwarded(notification), sends: notified }] : [],
      },
    ],
  }
}

const nftTransfer = (itemName: string, to: string, sends: readonly Sketch[] = []): Sketch => ({
  to: itemName,
  body: storeAddr(storeAddr(q(0x5fcc3d14), to), 'ALICE')
    .storeBit(false)
    .storeCoins(1n),
  sends,
})
const assigned = (to: string, previous: string, sends: readonly Sketch[] = []): Sketch => ({
  to,
  body: storeAddr(q(0x05138d91), previous).storeBit(false),
  sends,
})

describe('elections', () => {
  const ELECTOR = `-1:${'3'.repeat(64)}`
  const stake = (sends: readonly Sketch[]) => {
    const trace = buildTrace('ALICE', [{ to: 'ELECTOR', body: q(0x4e73744b), value: 10_000n * TON, sends }])
    const renamed = JSON.parse(
      JSON.stringify(trace, (_, v) => (typeof v === 'bigint' ? `n${v}` : v)).replaceAll(addr('ELECTOR'), ELECTOR),
      (_, v) =>
        typeof v === 'string' && /^n\d+$/.test(v) ? BigInt(v.slice(1)) : v?.type === 'Buffer' ? Buffer.from(v.data) : v,
    )
    return classifyTrace(renamed, new Map()).actions
  }

  test('a stake counts when the elector confirms it', () => {
    const row = only(stake([{ to: 'ALICE', body: q(0xf374484c) }]), 'election_deposit')
    expect(row).toMatchObject({ success: true, amount: 10_000n * TON, source: addr('ALICE') })
    expect(only(stake([]), 'election_deposit').success).toBe(false)
  })
})

describe('nominator pools', () => {
  const pool: Facts = { POOL: { nominatorPool: true } }

  test('d deposits, and only into a pool', () => {
    const row = only(classify([{ to: 'POOL', body: text('d'), value: 11n * TON }], pool), 'stake_deposit')
    expect(row).toMatchObject({ amount: 11n * TON, destination: addr('POOL'), staking_data: { provider: 'nominator' } })
    expect(types(classify([{ to: 'POOL', body: text('d') }]))).toEqual(['ton_transfer'])
  })

  test('w that returns more than it brought is a withdrawal, else a request', () => {
    const ask = (value: bigint) => classify([{ to: 'POOL', body: text('w'), sends: [{ to: 'ALICE', value }] }], pool)
    expect(only(ask(500n * TON), 'stake_withdrawal').amount).toBe(500n * TON)
    const request = only(ask(TON / 2n), 'stake_withdrawal_request')
    expect(request.amount).toBeNull()
  })

  test('the owner lets several nominators have theirs', () => {
    const actions = classify(
      [
        {
          to: 'POOL',
          body: q(2),
          sends: [
            { to: 'BOB', value: 5n },
            { to: 'CAROL', value: 6n },
          ],
        },
      ],
      pool,
    )
    expect(types(actions)).toEqual(['call_contract', 'stake_withdrawal', 'stake_withdrawal'])
    expect(actions.map(({ amount }) => amount)).toEqual([null, 5n, 6n])
  })
})

describe('liquid staking', () => {
  test('a deposit that the pool refused shows as failed', () => {
    const refused = { to: 'POOL', body: q(0x47d54391), value: 3n * TON, aborted: true }
    const row = only(classify([{ ...refused, sends: [{ to: 'ALICE', body: op(0xffffffff) }] }]), 'stake_deposit')
    expect(row).toMatchObject({ success: false, amount: 2n * TON, asset: null })
  })

  test('an immediate withdrawal tells what was burnt and paid', () => {
    const burn = storeAddr(q(0x595f07bc).storeCoins(40n), 'ALICE')
    const row = only(
      classify([
        {
          to: 'ALICE_J',
          body: burn,
          sends: [
            {
              to: 'MINTER',
              body: q(0x7bdd97de),
              sends: [
                {
                  to: 'POOL',
                  body: q(0x319b0cdc),
                  value: TON,
                  sends: [{ to: 'ALICE', body: q(0x0a77535c), value: 43n * TON }],
                },
              ],
            },
          ],
        },
      ]),
      'stake_withdrawal',
    )
    expect(row).toMatchObject({ amount: 42n * TON, asset: addr('MINTER'), destination: addr('POOL') })
    expect(row.staking_data).toMatchObject({ tokens_burnt: 40n })
  })
})

describe('subscriptions', () => {
  test('the plugin asks, the wallet answers, the beneficiary gets', () => {
    const answer: Sketch = { to: 'PLUGIN', body: q(0xf06c7567), sends: [{ to: 'SHOP', body: op(0x73756273) }] }
    const row = only(classify([{ to: 'ALICE', body: q(0x706c7567).storeCoins(9n), sends: [answer] }]), 'subscribe')
    expect(row).toMatchObject({ amount: 9n, destination: addr('SHOP'), destination_secondary: addr('PLUGIN') })
  })

  test('the plugin is told to go', () => {
    const row = only(
      classify([{ to: 'PLUGIN', body: op(0x64737472), sends: [{ to: 'SHOP', body: op(0x64737472) }] }]),
      'unsubscribe',
    )
    expect(row).toMatchObject({ destination: addr('SHOP'), destination_secondary: addr('PLUGIN') })
  })
})

describe('multisig', () => {
  const order: Facts = { ORDER: { multisigOrder: { multisig: addr('MULTISIG'), signers: [addr('S0'), addr('S1')] } } }
  const content = ref((b) => b.storeUint(1, 8))

  test('a new order counts its signers as accounts', () => {
    const create = q(0xf718510f)
      .storeUint(4, 256)
      .storeBit(true)
      .storeUint(1, 8)
      .storeUint(1_800_000_000, 48)
      .storeRef(content)
    const init = q(0x9c73fba2)
      .storeUint(2, 8)
      .storeRef(content)
      .storeUint(1_800_000_000, 48)
      .storeRef(content)
      .storeBit(true)
      .storeUint(1, 8)
    const row = only(
      classify([{ to: 'MULTISIG', body: create, sends: [{ to: 'ORDER', body: init }] }], order),
      'multisig_create_order',
    )
    expect(row.multisig_create_order_data).toMatchObject({
      query_id: 7n,
      order_seqno: 4n,
      is_created_by_signer: true,
      is_signed_by_creator: true,
      creator_index: 1,
      expiration_date: 1_800_000_000,
    })
    expect(row.accounts).toEqual(expect.arrayContaining([addr('S0'), addr('S1')]))
  })

  test('an approval by comment has no index, a refused one its exit code', () => {
    const accepted = classify(
      [{ to: 'ORDER', body: text('approve'), sends: [{ to: 'ALICE', body: q(0x82609bf6) }] }],
      order,
    )
    expect(only(accepted, 'multisig_approve')).toMatchObject({
      success: true,
      multisig_approve_data: { signer_index: -1, exit_code: 0 },
    })
    const refused = [{ to: 'ALICE', body: q(0xafaf283e).storeUint(107, 32) }]
    const rejected = classify([{ to: 'ORDER', body: q(0xa762230f).storeUint(3, 8), sends: refused }], order)
    expect(only(rejected, 'multisig_approve')).toMatchObject({
      success: false,
      multisig_approve_data: { signer_index: 3, exit_code: 107 },
    })
  })

  test('execution is told by the order that sends it', () => {
    const execute = q(0x75097f5d)
      .storeUint(4, 256)
      .storeUint(1_800_000_000, 48)
      .storeUint(2, 8)
      .storeUint(0, 256)
      .storeRef(content)
    const row = only(
      classify([{ to: 'ORDER', body: op(1), sends: [{ to: 'MULTISIG', body: execute }] }], order),
      'multisig_execute',
    )
    expect(row).toMatchObject({ source: addr('ORDER'), multisig_execute_data: { approvals_num: 2, order_seqno: 4n } })
  })
})

test('a vesting whitelist lists what its chain of cells holds', () => {
  const second = ref((b) => storeAddr(b, 'CAROL'))
  const body = storeAddr(q(0x7258a69b), 'BOB').storeRef(second)
  const row = only(
    classify([{ to: 'VESTING', body, sends: [{ to: 'ALICE', body: q(0xf258a69b) }] }]),
    'vesting_add_whitelist',
  )
  expect(row.vesting_add_whitelist_data).toEqual({ query_id: 7n, accounts_added: [addr('BOB'), addr('CAROL')] })
})

describe('DNS', () => {
  const key = Buffer.alloc(32, 0xe8)
  const change = (value?: Cell): Sketch => {
    const body = q(0x4eb1f0f9).storeBytes(key)
    return { to: 'DOMAIN', body: value ? body.storeRef(value) : body }
  }
  const dns: Facts = { DOMAIN: item({ codeHash: 'i1/8nr/TkGTY1fVuRlnIJrt1k5I/XKSHKL5NYK9vUfk=' }) }

  test('a record with a value changes, one without deletes, the zero key renews', () => {
    const smc = ref((b) => storeAddr(b.storeUint(0x9fd3, 16), 'BOB').storeUint(1, 8))
    expect(only(classify([change(smc)], dns), 'change_dns')).toMatchObject({
      asset: addr('COLLECTION'),
      change_dns_record_data: { key: key.toString('hex'), value_schema: 'DNSSmcAddress', value: addr('BOB'), flags: 1 },
    })
    expect(types(classify([change()], dns))).toEqual(['delete_dns'])
    expect(types(classify([{ to: 'DOMAIN', body: q(0x4eb1f0f9).storeUint(0, 256) }]))).toEqual(['renew_dns'])
  })

  test('a text of two chunks is read whole', () => {
    const rest = ref((b) => b.storeUint(5, 8).storeBytes(Buffer.from('world')))
    const chunks = ref((b) =>
      b.storeUint(0x1eda, 16).storeUint(2, 8).storeUint(6, 8).storeBytes(Buffer.from('hello ')).storeRef(rest),
    )
    expect(only(classify([change(chunks)]), 'change_dns').change_dns_record_data).toMatchObject({
      value_schema: 'DNSText',
      value: 'hello world',
    })
  })

  test('the winner settles and the proceeds leave the item', () => {
    const settle: Sketch = {
      to: 'DOMAIN',
      body: q(0x2fcb26a2),
      sends: [{ to: 'DNS', body: q(0x370fec51), value: 105n * TON }],
    }
    const row = only(classify([settle], dns), 'dns_purchase')
    expect(row).toMatchObject({ destination: addr('ALICE'), asset_secondary: addr('DOMAIN') })
    expect(row.nft_transfer_data).toMatchObject({ price: 105n * TON, is_purchase: true, query_id: 7n })
  })

  test('a release is one of a domain only', () => {
    const release = [{ to: 'DOMAIN', body: q(0x4ed14b65) }]
    expect(only(classify(release, dns), 'dns_release').value).toBe(TON)
    expect(types(classify(release))).toEqual(['call_contract'])
  })

  test('a bid on a domain is known by the refund of the bidder before', () => {
    const refund: Sketch = { to: 'BOB', body: op(0x557cea20), value: 2n * TON }
    const actions = classify([{ to: 'DOMAIN', value: 3n * TON, sends: [refund] }], dns)
    expect(only(actions, 'auction_bid')).toMatchObject({ value: 3n * TON, asset_secondary: addr('DOMAIN') })
    expect(only(actions, 'auction_outbid')).toMatchObject({ destination: addr('BOB'), amount: 2n * TON })
    expect(types(classify([{ to: 'DOMAIN', value: 3n * TON }], dns))).toEqual(['ton_transfer'])
  })
})

describe('Getgems', () => {
  const sale = { marketplace: addr('MARKET'), nft: addr('ITEM'), owner: addr('ALICE'), fullPrice: 10n * TON }
  const auction = { marketplace: addr('MARKET'), nft: addr('ITEM'), owner: addr('SELLER'), lastBid: 20n * TON }
  const stateInit = (data: Cell): Cell =>
    ref((b) =>
      b
        .storeUint(0b00110, 5)
        .storeRef(ref((c) => c.storeUint(9, 8)))
        .storeRef(data),
    )

  test('an item given to a deployer and handed to the sale is put on sale', () => {
    const fees = ref((b) => storeAddr(storeAddr(b, 'FEES'), 'AUTHOR'))
    const data = ref((b) =>
      storeAddr(storeAddr(b.storeBit(false), 'MARKET'), 'ALICE')
        .storeCoins(10n * TON)
        .storeRef(fees),
    )
    const deployed: Sketch = { to: 'SALE', deploys: true, stateInit: stateInit(data) }
    const back = nftTransfer('ITEM', 'SALE')
    const actions = classify([nftTransfer('ITEM', 'DEPLOYER', [assigned('DEPLOYER', 'ALICE', [deployed, back])])], {
      ITEM: item(),
      SALE: { nftSale: sale },
    })
    const row = only(actions, 'nft_put_on_sale')
    expect(row).toMatchObject({ source: addr('ALICE'), source_secondary: addr('DEPLOYER'), destination: addr('SALE') })
    expect(row.nft_listing_data).toMatchObject({
      full_price: 10n * TON,
      marketplace_fee_address: addr('FEES'),
      royalty_address: addr('AUTHOR'),
      nft_item_index: 5n,
    })
    expect(row.nft_transfer_data).toEqual({ marketplace_address: addr('MARKET') })
    expect(actions.filter(({ ancestor_type }) => ancestor_type.includes('nft_put_on_sale'))).toHaveLength(3)
  })

  test('a new price', () => {
    const body = q(0x6c6c2080).storeCoins(7n).storeCoins(2n).storeCoins(1n)
    const row = only(classify([{ to: 'SALE', body }], { SALE: { nftSale: sale } }), 'nft_update_sale')
    expect(row.nft_listing_data).toEqual({ full_price: 7n, marketplace_fee: 2n, royalty_amount: 1n })
    expect(row.accounts).toContain(addr('ITEM'))
  })

  test('a cancelled sale gives the item back', () => {
    const actions = classify([{ to: 'SALE', body: q(3), sends: [nftTransfer('ITEM', 'ALICE')] }], {
      SALE: { nftSale: sale },
      ITEM: item(),
    })
    expect(only(actions, 'nft_cancel_sale')).toMatchObject({ source: addr('ALICE'), asset_secondary: addr('ITEM') })
    expect(types(actions)).toContain('nft_transfer')
  })

  test('TON to a sale buys the item; the seller is paid', () => {
    const bought: Sketch = {
      to: 'SALE',
      value: 11n * TON,
      sends: [{ to: 'SELLER', body: text('sold'), value: 9n * TON }, nftTransfer('ITEM', 'ALICE')],
    }
    const row = only(
      classify([bought], { SALE: { nftSale: { ...sale, owner: addr('SELLER') } }, ITEM: item() }),
      'nft_purchase',
    )
    expect(row.nft_transfer_data).toMatchObject({
      price: 10n * TON,
      payout_amount: 9n * TON,
      payout_comment: 'sold',
      real_prev_owner: addr('SELLER'),
    })
  })

  test('an auction that is finished by comment ends with a purchase, one that is cancelled without', () => {
    const facts: Facts = { AUCTION: { nftAuction: auction }, ITEM: item() }
    const end = (comment: string, to: string): readonly ActionRow[] =>
      classify(
        [{ to: 'AUCTION', body: text(comment), sends: [{ to: 'SELLER', value: 19n * TON }, nftTransfer('ITEM', to)] }],
        facts,
      )
    const finished = end('finish', 'ALICE')
    expect(only(finished, 'nft_finish_auction')).toMatchObject({ source: addr('ALICE'), asset_secondary: addr('ITEM') })
    expect(types(finished)).toContain('nft_purchase')
    const cancelled = end('cancel', 'SELLER')
    expect(only(cancelled, 'nft_cancel_auction')).toMatchObject({ source: addr('SELLER') })
    expect(types(cancelled)).not.toContain('nft_purchase')
  })

  test('a bid to an auction refunds the one before', () => {
    const notice: Sketch = { to: 'BOB', body: text('Your bid has been outbid by another user'), value: 2n * TON }
    const actions = classify([{ to: 'AUCTION', value: 5n * TON, sends: [notice] }], {
      AUCTION: { nftAuction: auction },
      ITEM: item(),
    })
    expect(only(actions, 'auction_bid').nft_transfer_data).toEqual({ nft_item_index: 5n, marketplace: 'getgems' })
    expect(only(actions, 'auction_outbid')).toMatchObject({ source_secondary: addr('ALICE'), destination: addr('BOB') })
  })
})

test('a Telegram item is put up for auction and taken back', () => {
  const facts: Facts = { NAME: item({ uri: 'https://nft.fragment.com/username/x.json' }) }
  const config = ref((b) =>
    storeAddr(b, 'ALICE').storeCoins(5n).storeCoins(0n).storeUint(5, 8).storeUint(1, 32).storeUint(2, 32),
  )
  const started = only(
    classify([{ to: 'NAME', body: q(0x487a8e81).storeRef(config) }], facts),
    'teleitem_start_auction',
  )
  expect(started.nft_listing_data).toMatchObject({
    min_bid: 5n,
    marketplace_fee_address: addr('ALICE'),
    marketplace: 'fragment',
  })
  expect(classify([{ to: 'NAME', body: q(0x371638ae) }], facts)[0]?.type).toBe('teleitem_cancel_auction')
  expect(types(classify([{ to: 'NAME', body: q(0x371638ae) }], { NAME: item() }))).toEqual(['call_contract'])
})

const dedustAsset = (b: Builder, jetton: string | null): Builder =>
  jetton === null
    ? b.storeUint(0, 4)
    : b
        .storeUint(1, 4)
        .storeUint(0, 8)
        .storeBytes(Buffer.from(addr(jetton).slice(2), 'hex'))

describe('DeDust', () => {
  const event = (from: string | null, to: string | null): Sketch => ({
    to: null,
    body: dedustAsset(dedustAsset(op(0x9c610de3), from), to)
      .storeCoins(50n)
      .storeCoins(60n),
  })
  const swap = (sends: readonly Sketch[]): Sketch => {
    const step = storeAddr(q(0xea06185d).storeCoins(50n), 'POOL').storeBit(false).storeCoins(1n).storeBit(false)
    return { to: 'VAULT', body: step, sends: [{ to: 'POOL', body: q(0x61ee542d), sends }] }
  }
  const out = {
    to: 'VAULT2',
    body: q(0xad4eb6f5)
      .storeRef(ref((b) => b))
      .storeCoins(60n),
    sends: [jettonTransfer('VAULT2', 'ALICE', { amount: 60n })],
  }
  const facts: Facts = { ALICE_J: wallet('ALICE', 'USDT') }

  test('TON becomes a jetton, the assets known from the event though the pool is not', () => {
    const row = only(classify([swap([event(null, 'USDT'), out])], facts), 'jetton_swap')
    expect(row).toMatchObject({ success: true, asset: null, asset2: addr('USDT'), source: addr('ALICE') })
    expect(row.jetton_swap_data).toMatchObject({
      dex: 'dedust',
      peer_swaps: [],
      dex_incoming_transfer: { amount: 50n, destination: addr('VAULT') },
      dex_outgoing_transfer: { amount: 60n, asset: addr('USDT'), destination_jetton_wallet: addr('ALICE_J') },
    })
  })

  test('a swap without its event failed', () => {
    expect(only(classify([swap([out])], facts), 'jetton_swap').success).toBe(false)
  })

  test('burnt liquidity comes back as two assets', () => {
    const ton: Sketch = {
      to: 'VAULT',
      body: q(0xad4eb6f5)
        .storeRef(ref((b) => b))
        .storeCoins(9n),
      sends: [{ to: 'ALICE', body: q(0x474f86cf), value: 8n }],
    }
    const burn: Sketch = {
      to: 'ALICE_LP',
      body: storeAddr(q(0x595f07bc).storeCoins(33n), 'ALICE'),
      sends: [{ to: 'POOL', body: q(0x7bdd97de), sends: [ton, out] }],
    }
    const row = only(classify([burn], { ...facts, ALICE_LP: wallet('ALICE', 'LP') }), 'dex_withdraw_liquidity')
    expect(row.dex_withdraw_liquidity_data).toMatchObject({
      lp_tokens_burnt: 33n,
      amount1: 9n,
      asset1_out: null,
      amount2: 60n,
      asset2_out: addr('USDT'),
    })
  })
})

describe('STON.fi v2 liquidity', () => {
  const provide = (amount: bigint, lp: bigint | null): Sketch => ({
    to: 'POOL',
    body: storeAddr(q(0x37c096df), 'ALICE').storeCoins(amount).storeCoins(0n),
    sends: [
      {
        to: 'ACCOUNT',
        body: q(0x50c6a654),
        sends:
          lp === null
            ? []
            : [{ to: 'POOL', body: q(0x06ecd527), sends: [{ to: 'ALICE_LP', body: internalTransfer(lp, 'POOL') }] }],
      },
    ],
  })
  const facts: Facts = { ROUTER_J: wallet('ROUTER', 'USDT'), R2_J: wallet('R2', 'GOLD') }

  test('two halves below one message become one deposit', () => {
    const actions = classify(
      [
        jettonTransfer('ALICE', 'ROUTER', { notified: [provide(100n, null)] }),
        jettonTransfer('ALICE', 'R2', { notified: [provide(200n, 77n)] }),
      ],
      facts,
    )
    expect(types(actions)).toEqual(['dex_deposit_liquidity'])
    expect(actions[0]!.dex_deposit_liquidity_data).toMatchObject({
      amount1: 200n,
      asset1: addr('GOLD'),
      amount2: 100n,
      asset2: addr('USDT'),
      lp_tokens_minted: 77n,
    })
  })

  test('a deposit of somebody else beside it is left alone', () => {
    const other: Sketch = { ...provide(5n, 6n), body: storeAddr(q(0x37c096df), 'BOB').storeCoins(5n).storeCoins(0n) }
    const actions = classify(
      [
        jettonTransfer('ALICE', 'ROUTER', { notified: [provide(100n, null)] }),
        jettonTransfer('ALICE', 'R2', { notified: [other] }),
      ],
      facts,
    )
    expect(types(actions)).toEqual(['dex_deposit_liquidity', 'dex_deposit_liquidity'])
  })
})

describe('EVAA', () => {
  const user = (opcode: number): Builder =>
    new Builder().storeCoins(5n).storeBit(false).storeUint(0, 2).storeUint(opcode, 32)
  const asset = 0x1a4219fe5e60d63af2a3cc7dce6fec69b45c6b5718497a6148e7c232ac87bd8an

  test('TON is supplied', () => {
    const order = storeAddr(q(1).storeInt(-1, 2).storeUint(500, 64), 'BOB')
    const command = user(0x11).storeUint(7, 64).storeUint(asset, 256).storeUint(500, 64)
    const ok = storeAddr(q(0x11a), 'BOB').storeUint(asset, 256).storeUint(499, 64)
    const row = only(
      classify([
        { to: 'MASTER', body: order, sends: [{ to: 'BOB_EVAA', body: command, sends: [{ to: 'MASTER', body: ok }] }] },
      ]),
      'evaa_supply',
    )
    expect(row).toMatchObject({
      success: true,
      amount: 499n,
      destination: addr('BOB'),
      destination_secondary: addr('BOB_EVAA'),
    })
    expect(row.evaa_supply_data).toMatchObject({ is_ton: true, asset_id: `0x${asset.toString(16)}` })
  })

  test('a liquidation tells the reward, or why there is none', () => {
    const order = storeAddr(storeAddr(q(3), 'DEBTOR'), 'ALICE')
      .storeUint(asset, 256)
      .storeUint(1, 64)
      .storeInt(0, 2)
      .storeUint(900, 64)
    const reason = ref((b) =>
      b
        .storeUint(900, 64)
        .storeUint(asset, 256)
        .storeUint(1, 64)
        .storeUint(0, 64)
        .storeUint(0xe003, 32)
        .storeRef(ref((c) => c)),
    )
    const unsatisfied: Sketch = {
      to: 'MASTER',
      body: q(0x31f).storeRef(reason),
      sends: [{ to: 'ALICE', body: q(0x311f) }],
    }
    const failed = only(
      classify([{ to: 'MASTER', body: order, sends: [{ to: 'USER', body: user(0x31), sends: [unsatisfied] }] }]),
      'evaa_liquidate',
    )
    expect(failed).toMatchObject({
      success: false,
      amount: 0n,
      evaa_liquidate_data: { fail_reason: 'not_liquidatable', debt_amount: 900n },
    })

    const terms = ref((b) =>
      b
        .storeInt(-5, 64)
        .storeUint(800, 64)
        .storeUint(0, 64)
        .storeInt(0, 64)
        .storeUint(asset, 256)
        .storeInt(-6, 64)
        .storeUint(850, 64),
    )
    const won: Sketch = {
      to: 'MASTER',
      body: storeAddr(storeAddr(q(0x311), 'DEBTOR'), 'ALICE')
        .storeUint(asset, 256)
        .storeRef(terms),
      sends: [
        { to: 'USER', body: user(0x311a) },
        { to: 'ALICE', body: q(0x311d) },
      ],
    }
    const row = only(
      classify([{ to: 'MASTER', body: order, sends: [{ to: 'USER', body: user(0x31), sends: [won] }] }]),
      'evaa_liquidate',
    )
    expect(row).toMatchObject({ success: true, amount: 850n, source: addr('ALICE'), destination: addr('DEBTOR') })
    expect(row.accounts).not.toContain(asset.toString())
  })
})

test('jvault rewards of two jettons are told apart by their wallets', () => {
  const key = (name: string): bigint => (0b100n << 264n) | BigInt(`0x${addr(name).slice(2)}`)
  const dict = buildDict(
    ['POOL_J1', 'POOL_J2'].map((name) => [key(name), new Builder().storeBit(false)] as const),
    267,
  )!
  const paid = (walletName: string, amount: bigint): Sketch => ({
    ...jettonTransfer('POOL', 'ALICE', { amount }),
    to: walletName,
  })
  const row = only(
    classify(
      [
        {
          to: 'STAKE',
          body: q(0x78d9f109).storeMaybeRef(dict),
          sends: [
            {
              to: 'POOL',
              body: q(0x44bc1fe3),
              sends: [paid('POOL_J1', 11n), paid('POOL_J2', 22n), { to: 'STAKE', body: op(0xae9307ce) }],
            },
          ],
        },
      ],
      { ALICE_J: wallet('ALICE', 'REWARD') },
    ),
    'jvault_claim',
  )
  const { claimed_jettons, claimed_amounts } = row.jvault_claim_data!
  expect(new Map(claimed_jettons.map((jetton, i) => [jetton, claimed_amounts[i]]))).toEqual(
    new Map([
      [addr('POOL_J1'), 11n],
      [addr('POOL_J2'), 22n],
    ]),
  )
})

describe('tgBTC', () => {
  test('a new key is told by two logs', () => {
    const dkg: Sketch = { to: null, body: op(0x453443a6).storeUint(1_700_000_000, 64).storeUint(0xa3n, 256) }
    const key: Sketch = { to: null, body: storeAddr(op(0x27756729).storeCoins(0n).storeUint(0xb4n, 256), 'PEGOUT') }
    const row = only(
      classify([
        { to: 'COORDINATOR', body: q(1), sends: [dkg, { to: 'TELEPORT', body: q(0x690f357a), sends: [key] }] },
      ]),
      'tgbtc_new_key',
    )
    expect(row).toMatchObject({
      source: addr('COORDINATOR'),
      source_secondary: 'b4',
      destination: addr('TELEPORT'),
      value: 1_700_000_000n,
    })
  })

  test('a lone log is a fall-back', () => {
    const dkg: Sketch = { to: null, body: op(0x453443a6).storeUint(9, 64).storeUint(0x0a3n, 256) }
    const row = only(classify([{ to: 'COORDINATOR', body: q(1), sends: [dkg] }]), 'tgbtc_dkg_log_fallback')
    expect(row).toMatchObject({ asset: 'a3', value: 9n, accounts: [addr('COORDINATOR')] })
  })
})

describe('Cocoon', () => {
  const excess: Sketch = { to: 'ALICE', body: q(0x2565934c) }
  const request = (payload?: Cell): Builder => {
    const body = storeAddr(q(0x65448ff4), 'ALICE').storeRef(ref((b) => b))
    return payload ? body.storeBit(true).storeRef(payload) : body.storeBit(false)
  }
  const asked: Sketch = { to: 'PROXY', body: request() }

  test('a client registers, changes its secret and asks for a refund', () => {
    const run = (body: Builder) => classify([{ to: 'CLIENT', body, sends: [excess, asked] }])
    expect(
      only(run(storeAddr(q(0xc45f9f3b).storeUint(11, 64), 'ALICE')), 'cocoon_client_register')
        .cocoon_client_register_data,
    ).toEqual({ query_id: 7n, nonce: 11n })
    expect(
      only(run(storeAddr(q(0xa9357034).storeUint(0xabn, 256), 'ALICE')), 'cocoon_client_change_secret_hash')
        .cocoon_client_change_secret_hash_data,
    ).toEqual({
      query_id: 7n,
      new_secret_hash: 'ab',
    })
    expect(
      only(run(storeAddr(q(0xfafa6cc1), 'ALICE')), 'cocoon_client_request_refund').cocoon_client_request_refund_data,
    ).toEqual({ query_id: 7n, via_wallet: false })
  })

  test('a withdrawal tells the coins of the refund', () => {
    const refund = ref((b) => storeAddr(b.storeUint(0xc68ebc7b, 32).storeCoins(12n), 'ALICE'))
    const toProxy: Sketch = { to: 'PROXY', body: request(refund), sends: [{ to: 'ALICE', body: q(0xc59a7cd3) }] }
    const row = only(
      classify([{ to: 'CLIENT', body: storeAddr(q(0xda068e78), 'ALICE'), sends: [toProxy] }]),
      'cocoon_client_withdraw',
    )
    expect(row).toMatchObject({
      amount: 12n,
      destination: addr('CLIENT'),
      cocoon_client_withdraw_data: { withdraw_amount: 12n },
    })
  })
})

describe('Coffee', () => {
  const coffeeAsset = (b: Builder, jetton: string | null): Builder =>
    jetton === null
      ? b.storeUint(0, 2)
      : b
          .storeUint(1, 2)
          .storeUint(0, 8)
          .storeBytes(Buffer.from(addr(jetton).slice(2), 'hex'))

  test('a vault is made for an asset', () => {
    const body = coffeeAsset(q(0xc0ffee06), 'USDT')
    const row = only(
      classify([{ to: 'FACTORY', body, sends: [{ to: 'VAULT', body: q(0xc0ffee22) }] }]),
      'coffee_create_vault',
    )
    expect(row).toMatchObject({ destination: addr('VAULT'), asset: addr('USDT'), value: TON })
  })

  test('held funds take the fee and its cause along, a failed swap names who gets them back', () => {
    const actions = classify([
      { to: 'MEV', body: q(0x6bc79e7e), value: 4n * TON },
      { to: 'FEES', body: op(0xc0ffeea0) },
    ])
    expect(types(actions)).toEqual(['coffee_mev_protect_hold_funds', 'call_contract', 'call_contract'])
    expect(actions[0]).toMatchObject({ amount: 4n * TON, destination: addr('MEV') })
    const failed = classify([{ to: 'MEV', body: storeAddr(q(0xee51ce51), 'BOB') }])
    expect(only(failed, 'coffee_mev_protect_failed_swap').destination).toBe(addr('BOB'))
  })
})

test('an Ethena deposit is a transfer that mints', () => {
  const USDE = '0:086FA2A675F74347B08DD4606A549B8FDB98829CB282BC1949D3B12FBAED9DCC'
  const TSUSDE = '0:D0E545323C7ACB7102653C073377F7E3C67F122EB94D430A250739F109D4A57D'
  const mint: Sketch = {
    to: 'MINTER',
    body: storeAddr(q(0x642b7d07), 'ALICE').storeCoins(1n),
    sends: [{ to: 'ALICE_TS', body: internalTransfer(95n, 'MINTER') }],
  }
  const row = only(
    classify([jettonTransfer('ALICE', 'VAULT', { notified: [mint] })], {
      VAULT_J: { jettonWallet: { owner: addr('VAULT'), jetton: USDE } },
      ALICE_TS: { jettonWallet: { owner: addr('ALICE'), jetton: TSUSDE } },
    }),
    'stake_deposit',
  )
  expect(row).toMatchObject({
    amount: 100n,
    asset: TSUSDE,
    asset2: USDE,
    staking_data: { provider: 'ethena', tokens_minted: 95n },
  })
})

describe('a wallet that was asked and did nothing', () => {
  /** `int_msg_info$0` from nobody to BOB, the body in place. */
  const asked = ref((b) =>
    storeAddr(storeAddr(b.storeUint(0b0110, 4), null), 'BOB')
      .storeCoins(3n)
      .storeBit(false)
      .storeCoins(0n)
      .storeCoins(0n)
      .storeUint(0, 64 + 32)
      .storeBit(false)
      .storeBit(false),
  )
  const signature = (b: Builder): Builder => b.storeUint(0, 512)
  const lone = (body: Cell): readonly ActionRow[] => {
    const trace = buildTrace('ALICE', [])
    const [transaction] = trace.transactions
    const inMessage = { ...transaction!.inMessage!, body: boc(body) }
    return classifyTrace({ ...trace, transactions: [{ ...transaction!, inMessage }] }, new Map()).actions
  }
  const outList = ref((b) =>
    b
      .storeRef(ref((c) => c))
      .storeUint(0x0ec3c86d, 32)
      .storeUint(3, 8)
      .storeRef(asked),
  )

  test.each([
    ['v3', ref((b) => signature(b).storeUint(0, 96).storeUint(3, 8).storeRef(asked))],
    ['v4', ref((b) => signature(b).storeUint(0, 96).storeUint(0, 8).storeUint(3, 8).storeRef(asked))],
    ['v5', ref((b) => b.storeUint(0x7369676e, 32).storeUint(0, 96).storeBit(true).storeRef(outList).storeBit(false))],
    [
      'highload v2',
      ref((b) =>
        signature(b)
          .storeUint(0, 96)
          .storeMaybeRef(buildDict([[0n, new Builder().storeUint(3, 8).storeRef(asked)]], 16)),
      ),
    ],
    ['highload v3', ref((b) => signature(b).storeRef(ref((c) => c.storeUint(0, 32).storeRef(asked).storeUint(3, 8))))],
  ])('%s: the request is a failed transfer that its receiver never saw', (_, body) => {
    const [row, ...others] = lone(body)
    expect(others).toEqual([])
    expect(row).toMatchObject({ type: 'ton_transfer', success: false, value: 3n, destination: addr('BOB') })
    expect(row!.accounts).toEqual([addr('ALICE')])
  })

  test('a body of no wallet is unknown', () => {
    expect(lone(ref((b) => b.storeUint(1, 20))).map(({ type, action_id }) => [type, action_id])).toEqual([
      ['unknown', buildTrace('ALICE', []).traceId],
    ])
  })
})
