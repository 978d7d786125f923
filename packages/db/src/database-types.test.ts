import type { AccountId, Lt, McBlockSeqno } from '@shardwalk/model'
import { type Row, TABLES } from '@shardwalk/tables'
import { expect, test } from 'vitest'
import type { Db } from './database.ts'
import type { NewRow } from './database-types.ts'
import { CopyBuffer } from './rows/copy-buffer.ts'

// The type checker tests `misuse`: each `@ts-expect-error` fails when its line compiles.

declare const db: Db
declare const account: AccountId
declare const lt: Lt
declare const transaction: Row<'transactions'>

/** Never called. */
export function misuse() {
  const rows = new CopyBuffer(TABLES.transactions)
  // @ts-expect-error lt where the account belongs
  rows.int8('account_id', lt)
  // @ts-expect-error account where lt belongs
  rows.int8('lt', account)
  // @ts-expect-error the column is an int4
  rows.int8('now', 5n)
  // @ts-expect-error the column may not be null
  rows.bytea('hash', undefined)
  // @ts-expect-error the column belongs to another table
  rows.int8('destination_id', account)
  // @ts-expect-error columns of a row keep their flavours
  const swapped: McBlockSeqno = transaction.shard_len satisfies number as Row<'blocks'>['workchain']
  // @ts-expect-error conditions too
  const query = db.selectFrom('transactions').selectAll().where('lt', '=', account)
  // @ts-expect-error the database fills it in
  const given: NewRow<'latest_account_states'>['balance_rank'] = 5
  return { swapped, query, given }
}

test('misuse of columns does not compile', () => {
  expect(misuse).toBeTypeOf('function')
})
