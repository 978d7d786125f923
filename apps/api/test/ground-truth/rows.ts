import { profileRules, v3Replies } from '@shardwalk/api-schema'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { isLong, swept } from '@shardwalk/testkit/runs'
import { Cell } from '@ton/core'
import { expect, test } from 'vitest'
import type { Json } from '../client.ts'
import type { ComparedChain } from './compared-chain.ts'
import type { ExpectedTransaction } from './expected-chain.ts'
import { base64 } from './orders.ts'

export function rowFacts(chain: () => ComparedChain): void {
  test('blocks', async () => {
    const rows = await chain().client.all('blocks', 'blocks')
    const expected = new Map(chain().truth.blocks.map((b) => [b.rootHash.toString('base64'), b.json]))
    expect(rows).toHaveLength(chain().truth.blocks.length)
    for (const row of rows as { root_hash: string }[]) expectSame(row, expected.get(row.root_hash))
  })

  test('transactions, their messages and descriptions', async () => {
    const schema = v3Replies(profileRules('standard')).Transaction
    const rows = (await chain().pages('transactions')).flat()
    const expected = new Map(chain().truth.transactions.map((t) => [t.hash.toString('base64'), t]))
    for (const row of swept(rows, 24)) schema.parse(row)
    for (const row of rows) {
      const {
        account_state_before,
        account_state_after,
        in_msg,
        out_msgs,
        trace_id,
        trace_external_hash,
        ...own
      } = row
      const transaction = expected.get(row['hash'] as string)!
      const { in_msg: expectedIn, out_msgs: expectedOut, ...expectedOwn } = transaction.json
      expectSame(own, expectedOwn)
      expectSame([trace_id, trace_external_hash], traceOf(transaction))
      expectSame(in_msg && withoutBodies(in_msg as Json), expectedIn && withoutBodies(expectedIn as Json))
      expectSame((out_msgs as Json[]).map(withoutBodies), (expectedOut as Json[]).map(withoutBodies))
    }
  })

  test('messages, with the transactions at both ends', async () => {
    const schema = v3Replies(profileRules('standard')).Message
    const rows = (await chain().pages('messages')).flat()
    const expected = new Map(chain().truth.messages.map((m) => [m.key, m]))
    for (const row of swept(rows, 24)) schema.parse(row)
    for (const row of rows) {
      const message = expected.get(row['hash'] as string)!
      const { in_msg_tx_hash, out_msg_tx_hash, ...own } = row
      expectSame(withoutBodies(own), withoutBodies(message.json))
      expectSame(in_msg_tx_hash, message.inTx?.hash.toString('base64'))
      expectSame(out_msg_tx_hash, message.outTx?.hash.toString('base64'))
    }
  })

  test('bodies and state inits are bags of cells with the given hashes', async () => {
    type BagOfCells = { hash: string; body: string } | null
    const rows = (await chain().pages('messages')).flat()
    const cellsOf = (name: string) => rows.flatMap((row) => (row[name] as BagOfCells) ?? [])
    const [bodies, inits] = [cellsOf('message_content'), cellsOf('init_state')]
    for (const { body, hash } of [...swept(bodies, 5), ...swept(inits, 2)])
      expect(Cell.fromBase64(body).hash().toString('base64')).toBe(hash)
  })

  test('the state before a transaction is the state after the previous one of its account', async () => {
    // A block contains only the last state of an account.
    const last = new Map<string, ExpectedTransaction>()
    for (const t of chain().transactions('asc'))
      last.set(`${t.account} ${t.block.rootHash.toString('hex')}`, t)
    const known = new Set(base64([...last.values()]))
    let compared = 0
    const read = await chain().pages('transactions')
    for (const page of isLong ? [read.flat()] : read) {
      const after = new Map<string, Json>()
      for (const row of [...(page as readonly Row[])].reverse()) {
        const previous = after.get(row.account)
        if (previous) expectSame(row.account_state_before, previous)
        if (previous) compared++
        after.set(row.account, row.account_state_after)
        if (known.has(row.hash)) expect(row.account_state_after['balance']).not.toBeNull()
      }
    }
    expect(compared).toBeGreaterThan(isLong ? 3000 : 1000)
  })
}

/** A trace is identified by its first transaction; wallets know the external message that started it. */
function traceOf(t: ExpectedTransaction): readonly [string, string | undefined] {
  let root = t
  while (root.inMsg?.outTx) root = root.inMsg.outTx
  const begin = root.inMsg?.kind === 'external_in' ? root.inMsg : undefined
  return [root.hash.toString('base64'), (begin?.hashNorm ?? begin?.hash)?.toString('base64')]
}

interface Row extends Json {
  readonly hash: string
  readonly account: string
  readonly account_state_before: Json
  readonly account_state_after: Json
}

/** Without the texts of cells, because `@ton/core` orders cells differently; the hashes suffice. */
function withoutBodies(message: Json): Json {
  const only = (cell: unknown) => (cell ? { hash: (cell as Json)['hash'] } : null)
  const { decoded_opcode: _, ...rest } = message
  return {
    ...rest,
    message_content: only(message['message_content']),
    init_state: only(message['init_state']),
  }
}
