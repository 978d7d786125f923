// Subscriptions, multisig, vesting, DNS: hand-made traces for cases that no recorded trace contains.
import type { Cell } from '@shardwalk/cells'
import { TON_DNS_ZONES } from '@shardwalk/contracts'
import { formatRawAddress } from '@shardwalk/model'
import { describe, expect, test } from 'vitest'
import { type ActionRow, renderAction } from '../src/index.ts'
import { addr, op, q, type Sketch, storeAddr, text } from './build-trace.ts'
import { classify, type Facts, item, messageTo, only, ref, TON, types } from './hand-made.ts'

describe('subscriptions', () => {
  test('the plugin requests, the wallet answers, the beneficiary receives', () => {
    const answer: Sketch = {
      to: 'PLUGIN',
      body: q(0xf06c7567),
      sends: [{ to: 'SHOP', body: op(0x73756273) }],
    }
    const row = only(
      classify([{ to: 'ALICE', body: q(0x706c7567).storeCoins(9n), sends: [answer] }]),
      'subscribe',
    )
    expect(row).toMatchObject({
      amount: 9n,
      destination: addr('SHOP'),
      destination_secondary: addr('PLUGIN'),
    })
  })

  test('the plugin is removed', () => {
    const row = only(
      classify([{ to: 'PLUGIN', body: op(0x64737472), sends: [{ to: 'SHOP', body: op(0x64737472) }] }]),
      'unsubscribe',
    )
    expect(row).toMatchObject({ destination: addr('SHOP'), destination_secondary: addr('PLUGIN') })
  })
})

describe('multisig', () => {
  const order: Facts = {
    ORDER: { multisigOrder: { multisig: addr('MULTISIG'), signers: [addr('S0'), addr('S1')] } },
  }
  const content = ref((b) => b.storeUint(1, 8))

  test('a new order lists its signers as accounts', () => {
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

  test('an approval by comment has no index; a refused one has its exit code', () => {
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

  test('an execution is recognised by the order that sends it', () => {
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
    expect(row).toMatchObject({
      source: addr('ORDER'),
      multisig_execute_data: { approvals_num: 2, order_seqno: 4n },
    })
  })
})

describe('a message sent by a vesting wallet', () => {
  const message = (comment: string) => messageTo('ALICE', 5n, text(comment).endCell())
  const answer: Sketch = { to: 'ALICE', body: q(0xf7733acd) }
  const send = (sends: readonly Sketch[]): ActionRow =>
    only(
      classify([{ to: 'VESTING', body: q(0xa7733acd).storeUint(3, 8).storeRef(message('hello')), sends }]),
      'vesting_send_message',
    )

  test('has succeeded if the wallet sent it', () => {
    const row = send([{ to: 'ALICE', body: text('hello'), value: 4n }, answer])
    expect(row).toMatchObject({ success: true, destination_secondary: addr('ALICE'), amount: 5n })
  })

  test('has failed if the wallet could not send it and only answered, or sent another', () => {
    expect(send([answer]).success).toBe(false)
    expect(send([{ to: 'ALICE', body: text('other') }, answer]).success).toBe(false)
  })
})

test('a vesting whitelist has the addresses in its chain of cells', () => {
  const second = ref((b) => storeAddr(b, 'CAROL'))
  const body = storeAddr(q(0x7258a69b), 'BOB').storeRef(second)
  const row = only(
    classify([{ to: 'VESTING', body, sends: [{ to: 'ALICE', body: q(0xf258a69b) }] }]),
    'vesting_add_whitelist',
  )
  expect(row.vesting_add_whitelist_data).toEqual({
    query_id: 7n,
    accounts_added: [addr('BOB'), addr('CAROL')],
  })
})

describe('DNS', () => {
  const key = Buffer.alloc(32, 0xe8)
  const change = (value?: Cell): Sketch => {
    const body = q(0x4eb1f0f9).storeBytes(key)
    return { to: 'DOMAIN', body: value ? body.storeRef(value) : body }
  }
  const dns: Facts = { DOMAIN: item({ codeHash: 'i1/8nr/TkGTY1fVuRlnIJrt1k5I/XKSHKL5NYK9vUfk=' }) }

  test('a record with a value is a change, one without a deletion, and the zero key a renewal', () => {
    const smc = ref((b) => storeAddr(b.storeUint(0x9fd3, 16), 'BOB').storeUint(1, 8))
    expect(only(classify([change(smc)], dns), 'change_dns')).toMatchObject({
      asset: addr('COLLECTION'),
      change_dns_record_data: {
        key: key.toString('hex'),
        value_schema: 'DNSSmcAddress',
        value: addr('BOB'),
        flags: 1,
      },
    })
    expect(types(classify([change()], dns))).toEqual(['delete_dns'])
    expect(types(classify([{ to: 'DOMAIN', body: q(0x4eb1f0f9).storeUint(0, 256) }]))).toEqual(['renew_dns'])
  })

  test('a text of two chunks is read completely', () => {
    const rest = ref((b) => b.storeUint(5, 8).storeBytes(Buffer.from('world')))
    const chunks = ref((b) =>
      b
        .storeUint(0x1eda, 16)
        .storeUint(2, 8)
        .storeUint(6, 8)
        .storeBytes(Buffer.from('hello '))
        .storeRef(rest),
    )
    expect(only(classify([change(chunks)]), 'change_dns').change_dns_record_data).toMatchObject({
      value_schema: 'DNSText',
      value: 'hello world',
    })
  })

  test('the winner settles the auction and the proceeds leave the item', () => {
    const settle: Sketch = {
      to: 'DOMAIN',
      body: q(0x2fcb26a2),
      sends: [{ to: 'DNS', body: q(0x370fec51), value: 105n * TON }],
    }
    const row = only(classify([settle], dns), 'dns_purchase')
    expect(row).toMatchObject({ destination: addr('ALICE'), asset_secondary: addr('DOMAIN') })
    expect(row.nft_transfer_data).toMatchObject({ price: 105n * TON, is_purchase: true, query_id: 7n })
  })

  test('a domain below .ton is known by its collection, on mainnet and on testnet', () => {
    const release = [{ to: 'DOMAIN', body: q(0x4ed14b65) }]
    for (const { collection } of Object.values(TON_DNS_ZONES)) {
      const below: Facts = { DOMAIN: item({ collection: formatRawAddress(collection) }) }
      expect(types(classify(release, below))).toContain('dns_release')
    }
  })

  test('only a domain can be released', () => {
    const release = [{ to: 'DOMAIN', body: q(0x4ed14b65) }]
    const row = only(classify(release, dns), 'dns_release')
    expect(row).toMatchObject({ value: TON, destination: addr('DOMAIN'), asset_secondary: null })
    expect(renderAction(row).details).toMatchObject({
      nft_item: addr('DOMAIN'),
      nft_collection: addr('COLLECTION'),
    })
    expect(types(classify(release))).toEqual(['call_contract'])
  })

  test('a bid on a domain is recognised by the refund of the previous bidder', () => {
    const refund: Sketch = { to: 'BOB', body: op(0x557cea20), value: 2n * TON }
    const actions = classify([{ to: 'DOMAIN', value: 3n * TON, sends: [refund] }], dns)
    expect(only(actions, 'auction_bid')).toMatchObject({ value: 3n * TON, asset_secondary: addr('DOMAIN') })
    expect(only(actions, 'auction_outbid')).toMatchObject({ destination: addr('BOB'), amount: 2n * TON })
    expect(types(classify([{ to: 'DOMAIN', value: 3n * TON }], dns))).toEqual(['ton_transfer'])
  })
})
