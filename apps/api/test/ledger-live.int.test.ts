import { readFileSync } from 'node:fs'
import { PROFILES } from '@shardwalk/api-schema'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { Address } from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Query } from './client.ts'
import { ProfileClients } from './profile-clients.ts'

// What Ledger Live asks of API v3. It reads histories back to their beginnings by `end_lt`: each page has to
// begin with the row that the last one ended with, and a page of that row alone is the end.
// Source: @ledgerhq/coin-ton 0.37, src/bridge/bridgeHelpers.

const LIMIT = 256

interface Fact {
  readonly name: string
  readonly transactions: number
}

const facts: { readonly accounts: Readonly<Record<string, Fact>> } = JSON.parse(
  readFileSync(`${FIXTURE_CHAIN_FOLDER}/facts.json`, 'utf8'),
)

interface Message {
  readonly hash: string
  readonly source: string | null
  readonly destination: string | null
  readonly message_content: { readonly decoded: { readonly type?: string; readonly comment?: string } | null }
}

interface Transaction {
  readonly account: string
  readonly hash: string
  readonly lt: string
  readonly mc_block_seqno: number
  readonly total_fees: string
  readonly in_msg: Message | null
  readonly out_msgs: readonly Message[]
}

interface Transfer {
  readonly source: string
  readonly destination: string
  readonly jetton_master: string
  readonly transaction_hash: string
  readonly transaction_lt: string
}

type Book = Readonly<Record<string, { readonly user_friendly: string }>>

let clients: ProfileClients
beforeAll(async () => {
  clients = await ProfileClients.start(await classifiedChain())
})
afterAll(() => clients?.close())

async function ask<T>(client: Client, path: string, query: Query): Promise<T> {
  const { status, body } = await client.get<T>(path, query)
  expect([path, status, (body as { error?: string }).error]).toEqual([path, 200, undefined])
  return body
}

const friendly = (raw: string, bounceable: boolean): string =>
  Address.parse(raw).toString({ bounceable, urlSafe: true })

/** All rows, read as the wallet does. Rows of one lt have to be in the same order on both pages. */
async function readBack<Row>(
  page: (endLt?: string) => Promise<readonly Row[]>,
  ltOf: (row: Row) => string,
): Promise<readonly Row[]> {
  const rows = [...(await page())]
  for (let last = rows.at(-1); last !== undefined; ) {
    const lt = ltOf(last)
    const again = rows.filter((row) => ltOf(row) === lt)
    const next = await page(lt)
    expect(next.slice(0, again.length)).toEqual(again)
    if (next.length === again.length) break
    rows.push(...next.slice(again.length))
    last = rows.at(-1)
  }
  return rows
}

function readOperation(transaction: Transaction, book: Book): void {
  const { in_msg: incoming, out_msgs: outgoing, mc_block_seqno: seqno, total_fees: fees } = transaction
  expect([typeof seqno, fees]).toEqual(['number', expect.stringMatching(/^\d+$/)])
  for (const message of [...(incoming ? [incoming] : []), ...outgoing]) {
    for (const address of [message.source, message.destination])
      if (address !== null) expect(book[address]?.user_friendly, address).toEqual(expect.any(String))
    const { decoded } = message.message_content
    if (decoded?.type === 'text_comment') expect(decoded.comment).toEqual(expect.any(String))
  }
}

describe.each(PROFILES)('Ledger Live, %s', (profile) => {
  test('reads transactions of accounts back to the first', async () => {
    const client = clients.of(profile)
    const names = /^(elector|tester|wallet-.*|user0.)$/
    const read = Object.entries(facts.accounts).filter(([, { name }]) => names.test(name))
    for (const [raw, { name, transactions }] of read) {
      let book: Book = {}
      const rows = await readBack(
        async (end_lt) => {
          const account = friendly(raw, false)
          const page = await ask<{ transactions: Transaction[]; address_book: Book }>(
            client,
            'transactions',
            {
              ...{ account, limit: LIMIT, end_lt },
            },
          )
          book = { ...book, ...page.address_book }
          return page.transactions
        },
        ({ lt }) => lt,
      )
      expect([name, rows.length, new Set(rows.map(({ hash }) => hash)).size]).toEqual([
        ...[name, transactions, transactions],
      ])
      for (const row of rows) {
        expect(friendly(row.account, false)).toBe(friendly(raw, false))
        readOperation(row, book)
      }
    }
  })

  test('reads transfers by `address`, the messages that caused them, and jetton wallets', async () => {
    const client = clients.of(profile)
    const owners = Object.entries(facts.accounts).filter(([, { name }]) => /^user[0-2].$/.test(name))
    let count = 0
    for (const [raw] of owners) {
      const address = friendly(raw, false)
      const transfers = await readBack(
        async (end_lt) => {
          const query = { address, limit: LIMIT, end_lt }
          return (await ask<{ jetton_transfers: Transfer[] }>(client, 'jetton/transfers', query))
            .jetton_transfers
        },
        ({ transaction_lt: lt }) => lt,
      )
      count += transfers.length
      for (const { source, destination } of transfers)
        expect([source, destination].map((end) => friendly(end, false))).toContain(address)
      for (const { transaction_hash: hash } of transfers.slice(0, 3)) {
        const query = { hash, direction: 'in' }
        const before = await ask<{ transactions: Transaction[] }>(client, 'adjacentTransactions', query)
        expect(before.transactions[0]?.in_msg?.hash).toEqual(expect.any(String))
      }
      for (const master of new Set(transfers.map((transfer) => transfer.jetton_master))) {
        const query = { limit: LIMIT, jetton_address: friendly(master, true), owner_address: address }
        const { jetton_wallets } = await ask<{ jetton_wallets: object[] }>(client, 'jetton/wallets', query)
        expect(jetton_wallets).toHaveLength(1)
      }
    }
    expect(count).toBeGreaterThan(50)
  })
})
