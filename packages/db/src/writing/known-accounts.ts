import type { AccountId, RawAddress, Workchain } from '@shardwalk/model'
import type pg from 'pg'
import { AccountIdTaken } from '../errors.ts'
import { type AccountList, addressKey } from '../rows/account-ids.ts'
import { encodeActivity, periodsOf } from './activity.ts'
import { queryKept } from './kept-plans.ts'
import { lock } from './locks.ts'
import { Remembered } from './remembered.ts'

interface NumberedAddress extends RawAddress {
  readonly id: AccountId
  /** Periods of lt in which rows are written that name it; default: none. */
  readonly periods?: ReadonlySet<number> | undefined
}

interface Known {
  readonly id: AccountId
  readonly periods: ReadonlySet<number>
}

const NO_PERIODS: ReadonlySet<number> = new Set()

/**
 * Caches which addresses are in `accounts`, with the ids that rows carry and periods in which they have some,
 * so that only what is new is looked up.
 */
export class KnownAccounts {
  private readonly known = new Remembered<Known>(200_000)

  /**
   * Distinct accounts of the batches that may not be in the table, or not with these periods, ordered by id.
   * Call `remember` after the commit. `width`: of a period.
   */
  unknown(
    lists: readonly AccountList[],
    width: bigint,
  ): { readonly accounts: NumberedAddress[]; remember(): void } {
    const rows = periodsOf(
      lists.map((list) => list.rows),
      width,
    )
    const found = new Map<string, NumberedAddress>()
    // Compares ids too: a batch may have been encoded before it was known that an address has another id.
    for (const account of lists.flatMap(readAccounts)) {
      const periods = rows.get(account.id) ?? NO_PERIODS
      const known = this.known.get(addressKey(account))
      if (known?.id !== account.id || !isWithin(periods, known.periods))
        found.set(`${account.id} ${addressKey(account)}`, { ...account, periods })
    }
    return {
      accounts: [...found.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
      remember: () => {
        for (const account of found.values()) {
          const before = this.known.get(addressKey(account))
          const others = before?.id === account.id ? before.periods : NO_PERIODS
          const periods = new Set([...others, ...(account.periods ?? NO_PERIODS)])
          this.known.set(addressKey(account), { id: account.id, periods })
        }
      },
    }
  }

  forget(): void {
    this.known.forget()
  }
}

const isWithin = (some: ReadonlySet<number>, all: ReadonlySet<number>): boolean => {
  for (const one of some) if (!all.has(one)) return false
  return true
}

const GIVEN = `given as (
  select * from unnest($1::int8[], $2::int4[], $3::bytea[], $4::bytea[]) g(id, workchain, address, activity))`

const INSERT_MISSING = `with ${GIVEN}
  insert into accounts (id, workchain, address, activity)
  select distinct on (id) id, workchain, address, activity from given
  order by id, workchain, address on conflict (id) do nothing`

/** Rows are locked in the order of ids, as they are inserted, so that writers do not deadlock. */
const ADD_ACTIVITY = `with ${GIVEN},
  more as materialized (
    select a.id, g.activity from given g
    join accounts a on a.id = g.id and a.workchain = g.workchain and a.address = g.address
    where g.activity not in ('', a.activity) and a.activity <> merge_activity(a.activity, g.activity)
    order by a.id for update of a
  ),
  added as (
    update accounts a set activity = merge_activity(a.activity, m.activity) from more m where a.id = m.id
  )
  select g.id::text as id, g.workchain, g.address from given g join accounts a on a.id = g.id
  where a.workchain <> g.workchain or a.address <> g.address order by g.id, g.workchain, g.address`

/**
 * Inserts missing accounts, and adds periods to those that have rows in others so far. Throws
 * `AccountIdCollision` if an id belongs to another address: no row may be written with it.
 */
export async function insertAccounts(
  client: pg.ClientBase,
  accounts: readonly NumberedAddress[],
): Promise<void> {
  if ((await insertWhereFree(client, accounts)).length > 0) throw new AccountIdCollision(accounts)
}

/** Returns those whose id belongs to another address. */
async function insertWhereFree(
  client: pg.ClientBase,
  accounts: readonly NumberedAddress[],
): Promise<readonly NumberedAddress[]> {
  if (accounts.length === 0) return []
  const columns = [
    accounts.map(({ id }) => id),
    accounts.map(({ workchain }) => workchain),
    accounts.map(({ hash }) => hash),
    accounts.map(({ periods = NO_PERIODS }) => encodeActivity(periods)),
  ]
  await queryKept(client, INSERT_MISSING, columns)
  const { rows } = await queryKept<{ id: string; workchain: Workchain; address: Buffer }>(
    client,
    ADD_ACTIVITY,
    columns,
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
  for (const account of await insertWhereFree(client, accounts))
    overrides.set(addressKey(account), await assignId(client, account))
  return new AccountIdTaken(overrides)
}

async function assignId(client: pg.ClientBase, account: NumberedAddress): Promise<AccountId> {
  for (let id = account.id + 1n; ; id++) {
    const inserted = await client.query(
      `insert into accounts (id, workchain, address, activity) values ($1, $2, $3, '')
       on conflict (id) do nothing`,
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
