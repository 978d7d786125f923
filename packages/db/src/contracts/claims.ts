import { type AccountId, deriveAccountId, formatRawAddress, type Lt, type RawAddress } from '@shardwalk/model'
import type pg from 'pg'
import { readIds } from '../facts/addresses.ts'
import { NAMED_BY, requeueNaming } from './naming-queue.ts'
import { AGAIN, requeueText } from './requeue.ts'

/** A contract whose get-methods were run to confirm another one. */
export interface AskedContract {
  readonly address: RawAddress
  /** lt of the state that answered; 0 if there was none. */
  readonly lt: Lt
  /** Its `contracts.confirmation_hash` when the state was read; null if it had none. */
  readonly confirmationHash: string | null
}

interface Claimant {
  readonly accountId: AccountId
  readonly asked: readonly AskedContract[]
}

/** That a contract asked another one. */
export interface Claim extends AskedContract {
  readonly accountId: AccountId
  /** Of the asked contract. */
  readonly namedId: AccountId
}

/** Being asked does not make an address an account: without one it has the id that is derived from it. */
export async function readClaims(
  client: pg.ClientBase,
  claimants: readonly Claimant[],
): Promise<readonly Claim[]> {
  const addresses = claimants.flatMap(({ asked }) => asked.map(({ address }) => formatRawAddress(address)))
  const ids = await readIds(client, addresses)
  const idOf = (address: RawAddress) => ids.get(formatRawAddress(address)) ?? deriveAccountId(address)
  return claimants.flatMap(({ accountId, asked }) =>
    asked.map((one) => ({ ...one, accountId, namedId: idOf(one.address) })),
  )
}

/**
 * Stores which contracts were asked and are not named in a row of a role: when they change, the answer may
 * change.
 */
export async function writeClaims(
  client: pg.ClientBase,
  claimants: readonly Claimant[],
  claims: readonly Claim[],
): Promise<void> {
  await client.query(`delete from contract_claims where account_id = any ($1::int8[])`, [
    claimants.map((one) => one.accountId),
  ])
  if (claims.length === 0) return
  const shown = NAMED_BY.map(
    ({ table, column }) =>
      `not exists (select from ${table} r where r.account_id = c.account_id and r.${column} = c.named_id)`,
  )
  await client.query(
    `insert into contract_claims (named_id, account_id)
     select named_id, account_id from unnest($1::int8[], $2::int8[]) as c(named_id, account_id)
     where ${shown.join(' and ')} order by 1, 2 on conflict do nothing`,
    [claims.map((one) => one.namedId), claims.map((one) => one.accountId)],
  )
}

/**
 * Updates the hash of what other contracts rely on and returns the contracts for which it changed, with the
 * lt of the state that changed it. It covers the code, the code that a master gives its wallets, the content
 * of a collection, and the contract's answer to arguments that no real one has (`relied-answers.ts`); the
 * rest of the data changes with every mint.
 */
export async function updateClaimHashes(
  client: pg.ClientBase,
  examined: readonly { readonly accountId: AccountId; readonly answers?: string }[],
): Promise<ReadonlyMap<AccountId, Lt>> {
  const { rows } = await client.query<{ account_id: AccountId; lt: Lt }>(
    `update contracts c set confirmation_hash = n.confirmation_hash
     from (select c.account_id, case when c.code_hash is not null then
             md5(concat_ws('|', c.code_hash, m.wallet_code_hash, n.content, e.answers))::uuid
               end as confirmation_hash
           from unnest($1::int8[], $2::text[]) as e(account_id, answers) join contracts c using (account_id)
             left join jetton_masters m using (account_id)
             left join nft_collections n using (account_id)) n
     where c.account_id = n.account_id and c.confirmation_hash is distinct from n.confirmation_hash
       returning c.account_id, c.lt`,
    [examined.map((one) => one.accountId), examined.map((one) => one.answers ?? null)],
  )
  return new Map(rows.map((row) => [row.account_id, row.lt]))
}

/**
 * Queues contracts that name changed ones, unless their examination saw the change, and contracts whose
 * answers came from a contract that another process has changed since.
 */
export async function requeueByChange(
  client: pg.ClientBase,
  changed: ReadonlyMap<AccountId, Lt>,
  claims: readonly Claim[],
): Promise<void> {
  if (changed.size > 0) await requeueNaming(client, [...changed.keys()], whoSawAll(changed, claims))
  const others = claims.filter((one) => !changed.has(one.namedId))
  if (others.length > 0) await requeueIfChangedElsewhere(client, others)
}

/** The contracts that asked changed ones, all of them in a state that has the change. */
function whoSawAll(changed: ReadonlyMap<AccountId, Lt>, claims: readonly Claim[]): AccountId[] {
  const isStale = ({ namedId, lt }: Claim) => lt < (changed.get(namedId) ?? 0n)
  const stale = new Set(claims.filter(isStale).map((one) => one.accountId))
  return claims
    .filter((one) => changed.has(one.namedId) && !stale.has(one.accountId))
    .map((one) => one.accountId)
}

async function requeueIfChangedElsewhere(client: pg.ClientBase, claims: readonly Claim[]): Promise<void> {
  await client.query(
    requeueText(
      `select distinct a.account_id
       from unnest($1::int8[], $2::int8[], $3::uuid[], $4::int4[], $5::bytea[])
         as a(account_id, named_id, seen, workchain, address)
       join accounts n on n.id = a.named_id and n.workchain = a.workchain and n.address = a.address
       left join contracts c on c.account_id = n.id where c.confirmation_hash is distinct from a.seen`,
      AGAIN,
    ),
    [
      claims.map((one) => one.accountId),
      claims.map((one) => one.namedId),
      claims.map((one) => one.confirmationHash),
      claims.map((one) => one.address.workchain),
      claims.map((one) => one.address.hash),
    ],
  )
}
