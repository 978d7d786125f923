import type { AccountId, RawAddress, Workchain } from '@shardwalk/model'
import { TABLES } from '@shardwalk/tables'
import type pg from 'pg'
import { AccountIdTaken } from '../errors.ts'
import { type AccountList, addressKey } from '../rows/account-ids.ts'
import { CopyBuffer } from '../rows/copy-buffer.ts'
import { runScript } from './copy.ts'
import { lock } from './locks.ts'
import { Remembered } from './remembered.ts'
import { stageOf } from './transaction.ts'

interface NumberedAddress extends RawAddress {
  readonly id: AccountId
}

/**
 * Caches which addresses are in `accounts`, with the ids that rows carry, so that only new ones are looked
 * up.
 */
export class KnownAccounts {
  private readonly ids = new Remembered<AccountId>(200_000)

  /**
   * Distinct accounts of the batches that may not be in the table, ordered by id. Call `remember` after the
   * commit.
   */
  unknown(lists: readonly AccountList[]): { readonly accounts: NumberedAddress[]; remember(): void } {
    const found = new Map<string, NumberedAddress>()
    // Compares ids too: a batch may have been encoded before it was known that an address has another id.
    for (const account of lists.flatMap(readAccounts))
      if (this.ids.get(addressKey(account)) !== account.id)
        found.set(`${account.id} ${addressKey(account)}`, account)
    return {
      accounts: [...found.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
      remember: () => {
        for (const account of found.values()) this.ids.set(addressKey(account), account.id)
      },
    }
  }

  forget(): void {
    this.ids.forget()
  }
}

/**
 * Inserts missing accounts. Returns those whose id belongs to another address; their rows must not be written
 * with these ids.
 */
export async function insertAccounts(
  client: pg.ClientBase,
  accounts: readonly NumberedAddress[],
): Promise<readonly NumberedAddress[]> {
  if (accounts.length === 0) return []
  const buffer = new CopyBuffer(TABLES.accounts, accounts.length * 64)
  for (const { id, workchain, hash } of accounts) {
    buffer.startRow()
    buffer.int8('id', id)
    buffer.int4('workchain', workchain)
    buffer.bytea('address', hash)
  }
  const stage = stageOf('accounts')
  await runScript(client, [
    { table: stage, columns: TABLES.accounts.copied, parts: [buffer.finish()] },
    `insert into accounts (id, workchain, address) select distinct on (id) id, workchain, address
      from ${stage}
     order by id, workchain, address on conflict (id) do nothing`,
  ])
  const { rows } = await client.query<{ id: string; workchain: Workchain; address: Buffer }>(
    `select s.id::text as id, s.workchain, s.address from ${stage} s join accounts a on a.id = s.id
     where a.workchain <> s.workchain or a.address <> s.address order by s.id, s.workchain, s.address`,
  )
  return rows.map(({ id, workchain, address }) => ({ id: BigInt(id), workchain, hash: address }))
}

/** Aborts a transaction in which an id was found to belong to another address. */
export class AccountIdCollision extends Error {
  constructor(readonly accounts: readonly NumberedAddress[]) {
    super('an address shares the derived id of another account')
  }
}

/**
 * Runs in a transaction of its own after `AccountIdCollision`. Inserts all accounts, which settles the holder
 * of each id, and gives each of the others the id that it already has, or the next free one. With the result
 * the caller encodes the batch again.
 */
export async function assignOtherIds(
  client: pg.ClientBase,
  accounts: readonly NumberedAddress[],
): Promise<AccountIdTaken> {
  await lock(client, 'accountIds')
  const overrides = new Map<string, AccountId>()
  for (const account of await insertAccounts(client, accounts))
    overrides.set(addressKey(account), await assignId(client, account))
  return new AccountIdTaken(overrides)
}

async function assignId(client: pg.ClientBase, account: NumberedAddress): Promise<AccountId> {
  for (let id = account.id + 1n; ; id++) {
    const inserted = await client.query(
      'insert into accounts (id, workchain, address) values ($1, $2, $3) on conflict (id) do nothing',
      [id, account.workchain, account.hash],
    )
    if (inserted.rowCount === 1) return id
    const same = await client.query(
      'select 1 from accounts where id = $1 and workchain = $2 and address = $3',
      [id, account.workchain, account.hash],
    )
    if (same.rowCount === 1) return id
  }
}

function readAccounts({ ids, workchains, hashes }: AccountList): NumberedAddress[] {
  return Array.from(ids, (id, index) => ({
    id,
    workchain: workchains[index]!,
    hash: Buffer.from(hashes.buffer, hashes.byteOffset + index * 32, 32),
  }))
}
