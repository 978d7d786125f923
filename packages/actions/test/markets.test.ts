// NFT markets: hand-made traces for cases that no recorded trace contains.
import type { Builder, Cell } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import type { ActionRow } from '../src/index.ts'
import { addr, q, type Sketch, storeAddr, text } from './build-trace.ts'
import { assigned, classify, type Facts, item, nftTransfer, only, ref, TON, types } from './hand-made.ts'

describe('Getgems', () => {
  const sale = { marketplace: addr('MARKET'), nft: addr('ITEM'), owner: addr('ALICE'), fullPrice: 10n * TON }
  const auction = {
    marketplace: addr('MARKET'),
    nft: addr('ITEM'),
    owner: addr('SELLER'),
    lastBid: 20n * TON,
  }
  const stateInit = (data: Cell): Cell =>
    ref((b) =>
      b
        .storeUint(0b00110, 5)
        .storeRef(ref((c) => c.storeUint(9, 8)))
        .storeRef(data),
    )

  test('an item sent to a deployer and passed to the sale is put on sale', () => {
    const fees = ref((b) => storeAddr(storeAddr(b, 'FEES'), 'AUTHOR'))
    const data = ref((b) =>
      storeAddr(storeAddr(b.storeBit(false), 'MARKET'), 'ALICE')
        .storeCoins(10n * TON)
        .storeRef(fees),
    )
    const deployed: Sketch = { to: 'SALE', deploys: true, stateInit: stateInit(data) }
    const back = nftTransfer('ITEM', 'SALE')
    const actions = classify(
      [nftTransfer('ITEM', 'DEPLOYER', [assigned('DEPLOYER', 'ALICE', [deployed, back])])],
      {
        ITEM: item(),
        SALE: { nftSale: sale },
      },
    )
    const row = only(actions, 'nft_put_on_sale')
    expect(row).toMatchObject({
      source: addr('ALICE'),
      source_secondary: addr('DEPLOYER'),
      destination: addr('SALE'),
    })
    expect(row.nft_listing_data).toMatchObject({
      full_price: 10n * TON,
      marketplace_fee_address: addr('FEES'),
      royalty_address: addr('AUTHOR'),
      nft_item_index: 5n,
    })
    expect(row.nft_transfer_data).toEqual({ marketplace_address: addr('MARKET') })
    expect(actions.filter(({ ancestor_type }) => ancestor_type.includes('nft_put_on_sale'))).toHaveLength(3)
  })

  test('an item sent to a deployer and passed to the auction is put on auction', () => {
    const fees = ref((b) => storeAddr(storeAddr(b, 'FEES'), 'AUTHOR'))
    const bids = ref((b) => storeAddr(b, 'ELSEWHERE').storeCoins(3n).storeCoins(9n))
    const data = ref((b) =>
      storeAddr(
        storeAddr(b.storeUint(0, 2), null).storeCoins(0n).storeUint(0, 32).storeUint(1e9, 32),
        'ALICE',
      )
        .storeUint(0, 64)
        .storeUint(5, 32)
        .storeUint(100, 32)
        .storeUint(7, 32)
        .storeUint(200, 32)
        .storeRef(fees)
        .storeRef(bids),
    )
    const put = (owner: string) =>
      classify(
        [
          nftTransfer('ITEM', 'DEPLOYER', [
            assigned('DEPLOYER', 'ALICE', [
              { to: 'AUCTION', deploys: true, stateInit: stateInit(data) },
              nftTransfer('ITEM', 'AUCTION'),
            ]),
          ]),
        ],
        { ITEM: item(), AUCTION: { nftAuction: { ...auction, owner: addr(owner) } } },
      )
    const row = only(put('ALICE'), 'nft_put_on_auction')
    expect(row).toMatchObject({
      source: addr('ALICE'),
      source_secondary: addr('DEPLOYER'),
      destination: addr('AUCTION'),
      nft_transfer_data: { marketplace_address: addr('MARKET') },
    })
    expect(row.nft_listing_data).toEqual({
      nft_item_index: 5n,
      marketplace: 'getgems',
      marketplace_fee_address: addr('FEES'),
      royalty_address: addr('AUTHOR'),
      mp_fee_factor: 5n,
      mp_fee_base: 100n,
      royalty_fee_base: 200n,
      min_bid: 3n,
      max_bid: 9n,
    })
    expect(types(put('BOB'))).not.toContain('nft_put_on_auction')
  })

  test('a change of price', () => {
    const body = q(0x6c6c2080).storeCoins(7n).storeCoins(2n).storeCoins(1n)
    const row = only(classify([{ to: 'SALE', body }], { SALE: { nftSale: sale } }), 'nft_update_sale')
    expect(row.nft_listing_data).toEqual({ full_price: 7n, marketplace_fee: 2n, royalty_amount: 1n })
    expect(row.accounts).toContain(addr('ITEM'))
  })

  test('a cancelled sale returns the item', () => {
    const actions = classify([{ to: 'SALE', body: q(3), sends: [nftTransfer('ITEM', 'ALICE')] }], {
      SALE: { nftSale: sale },
      ITEM: item(),
    })
    expect(only(actions, 'nft_cancel_sale')).toMatchObject({
      source: addr('ALICE'),
      asset_secondary: addr('ITEM'),
    })
    expect(types(actions)).toContain('nft_transfer')
  })

  test('TON sent to a sale buys the item, and the seller is paid', () => {
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

  test('a purchase paid by a call, or by somebody else than the new owner, is one', () => {
    const facts: Facts = { SALE: { nftSale: { ...sale, owner: addr('SELLER') } }, ITEM: item() }
    const buy = (body: Builder, newOwner: string): readonly ActionRow[] =>
      classify(
        [
          {
            to: 'SALE',
            value: 11n * TON,
            body,
            sends: [{ to: 'SELLER', value: 9n * TON }, nftTransfer('ITEM', newOwner)],
          },
        ],
        facts,
      )
    for (const [body, newOwner] of [
      [q(2), 'ALICE'],
      [text('gift'), 'BOB'],
    ] as const) {
      const actions = buy(body, newOwner)
      expect(only(actions, 'nft_purchase')).toMatchObject({
        source: addr('SALE'),
        destination: addr(newOwner),
        nft_transfer_data: { price: 10n * TON, payout_amount: 9n * TON, real_prev_owner: addr('SELLER') },
      })
      expect(types(actions)).toEqual(['nft_purchase', 'nft_transfer', 'ton_transfer'])
    }
    // Returned to its owner, the item is not sold.
    expect(types(buy(q(2), 'SELLER'))).not.toContain('nft_purchase')
  })

  test('an order to finish an auction by a call remains an action', () => {
    const order: Sketch = {
      to: 'AUCTION',
      body: q(0x20c9eb18),
      sends: [{ to: 'SELLER', value: 19n * TON }, nftTransfer('ITEM', 'BOB')],
    }
    const facts: Facts = { AUCTION: { nftAuction: auction }, ITEM: item() }
    const actions = classify([order], facts)
    expect(only(actions, 'nft_finish_auction')).toMatchObject({ source: addr('BOB') })
    expect(only(actions, 'nft_transfer').nft_transfer_data?.is_purchase).toBe(true)
  })

  test('an auction finished by comment ends with a purchase, a cancelled one without', () => {
    const facts: Facts = { AUCTION: { nftAuction: auction }, ITEM: item() }
    const end = (comment: string, to: string): readonly ActionRow[] =>
      classify(
        [
          {
            to: 'AUCTION',
            body: text(comment),
            sends: [{ to: 'SELLER', value: 19n * TON }, nftTransfer('ITEM', to)],
          },
        ],
        facts,
      )
    const finished = end('finish', 'ALICE')
    expect(only(finished, 'nft_finish_auction')).toMatchObject({
      source: addr('ALICE'),
      asset_secondary: addr('ITEM'),
    })
    expect(types(finished)).toContain('nft_purchase')
    const cancelled = end('cancel', 'SELLER')
    expect(only(cancelled, 'nft_cancel_auction')).toMatchObject({ source: addr('SELLER') })
    expect(types(cancelled)).not.toContain('nft_purchase')
  })

  test('a bid to an auction refunds the previous one', () => {
    const notice: Sketch = {
      to: 'BOB',
      body: text('Your bid has been outbid by another user'),
      value: 2n * TON,
    }
    const actions = classify([{ to: 'AUCTION', value: 5n * TON, sends: [notice] }], {
      AUCTION: { nftAuction: auction },
      ITEM: item(),
    })
    expect(only(actions, 'auction_bid').nft_transfer_data).toEqual({
      nft_item_index: 5n,
      marketplace: 'getgems',
    })
    expect(only(actions, 'auction_outbid')).toMatchObject({
      source_secondary: addr('ALICE'),
      destination: addr('BOB'),
    })
  })
})

test('a Telegram item is put up for auction and withdrawn', () => {
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
