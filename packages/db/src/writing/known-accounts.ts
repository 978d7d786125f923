import type { AccountId, RawAddress, Workchain } from '@shardwalk/model'
import type pg from 'pg'
import { AccountIdTaken } from '../errors.ts'
import { type AccountList, addressKey } from '../rows/account-ids.ts'
import { CopyBuffer } from '../rows/copy-buffer.ts'
import { TABLES } from '../tables/index.ts'
import { runScript } from './copy.ts'
import { lock } from './locks.ts'
import { Remembered } from './remembered.ts'
import { stageOf } from './transaction.ts'

interface NumberedAddress extends RawAddress {
  readonly id: AccountId
}

/** Which addresses are in `accounts` under the ids that rows carry, so that only new ones are asked for. */
export class KnownAccounts {
  private readonly ids = new Remembered<AccountId>(200_000)

  /** The accounts of the batches that are not known to be in the table, each once, by id; `remember` is to be called after their commit. */
  unknown(lists: readonly AccountList[]): { readonly accounts: NumberedAddress[]; remember(): void } {
    const found = new Map<string, NumberedAddress>()
    // By id too: a batch may have been encoded before it was known that an address got another one.
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

/** Inserts accounts that are not there. Returns those whose id another address holds; then nothing may be written with these ids. */
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
    `insert into accounts (id, workchain, address) select distinct on (id) id, workchain, address from ${stage}
     order by id, workchain, address on conflict (id) do nothing`,
  ])
  const { rows } = await client.query<{ id: string; workchain: Workchain; address: Buffer }>(
    `select s.id::text as id, s.workchain, s.address from ${stage} s join accounts a on a.id = s.id
     where a.workchain <> s.workchain or a.address <> s.address order by s.id, s.workchain, s.address`,
  )
  return rows.map(({ id, workchain, address }) => ({ id: BigInt(id), workchain, hash: address }))
}

/** Ends a transaction in which an address met another one under its id. */
export class IdsMet extends Error {
  constructor(readonly accounts: readonly NumberedAddress[]) {
    super('an address shares the derived id of another account')
  }
}

/**
 * Runs in a transaction of its own after `IdsMet`. Puts all accounts into the table, so that who holds which id is settled, gives each
 * of the others the id that it has further up or the next free one, and returns what tells the caller to encode again.
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
