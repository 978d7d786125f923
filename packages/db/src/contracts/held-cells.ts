import type { AccountId, Lt } from '@shardwalk/model'
import type pg from 'pg'
import { DROP_SUPERSEDED_DATA, dropStateParts } from './state-parts.ts'

/** What is stored of a state beside the roles of its contract. */
export interface HeldCells {
  readonly dataHash: Buffer | null
  /** Get-methods of the code where they are known. */
  readonly methods?: readonly number[]
  /** Complete cells that no batch contained. */
  readonly data?: Buffer
  readonly code?: Buffer
}

/** The newest state of an account as it is stored. `codeHash` is null without code. */
export interface HeldState extends HeldCells {
  readonly lt: Lt
  readonly codeHash: Buffer | null
}

interface ExaminedState extends HeldState {
  readonly accountId: AccountId
  /** For an account that no longer exists, the last active state: its cells are kept. */
  readonly former?: HeldState
  readonly missing?: string
}

type Held = HeldState & Pick<ExaminedState, 'accountId'>

/** Code, get-methods and data: what the API shows of any account. `newest`: those without a newer state. */
export async function writeHeldCells(
  client: pg.ClientBase,
  {
    examined,
    newest,
  }: { readonly examined: readonly ExaminedState[]; readonly newest: ReadonlySet<AccountId> },
): Promise<void> {
  const held = examined.map((one): Held => ({ ...(one.former ?? one), accountId: one.accountId }))
  await writeCodes(client, held)
  const isKnown = ({ codeHash, former, missing }: ExaminedState) => Boolean(codeHash || former || !missing)
  const known = examined.filter(isKnown)
  await dropStateParts(client, known)
  const newestKnown = new Set(known.map((one) => one.accountId).filter((id) => newest.has(id)))
  await writeData(
    client,
    held.filter((one) => newestKnown.has(one.accountId)),
  )
}

async function writeCodes(client: pg.ClientBase, held: readonly Held[]): Promise<void> {
  const coded = oncePerCode(held.filter((one) => one.code && one.codeHash))
  if (coded.length > 0)
    await client.query(
      `insert into codes (code_hash, boc) select * from unnest($1::bytea[], $2::bytea[])
       on conflict (code_hash) do nothing`,
      [coded.map((one) => one.codeHash), coded.map((one) => one.code)],
    )
  for (const one of oncePerCode(held.filter((other) => other.methods && other.codeHash)))
    await client.query(
      'insert into contract_methods (code_hash, methods) values ($1, $2) on conflict (code_hash) do nothing',
      [one.codeHash, one.methods],
    )
}

/** One for each code hash, ordered by hash to avoid deadlocks between writers. */
function oncePerCode(held: readonly Held[]): Held[] {
  const byCode = new Map(held.map((one) => [one.codeHash?.toString('hex') ?? '', one]))
  return [...byCode].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/**
 * Keeps the data of each state unless a block carried it complete. Data of states that were examined before
 * are deleted, because which states those are depends on the order of indexing.
 */
async function writeData(client: pg.ClientBase, held: readonly Held[]): Promise<void> {
  const ids = held.map((one) => one.accountId)
  // In the order in which batches lock them.
  await client.query(
    'select from contract_data where account_id = any ($1::int8[]) order by account_id for update',
    [ids],
  )
  const withData = held.filter((one) => one.data && one.dataHash)
  await client.query(
    `insert into contract_data (account_id, lt, data_hash, boc)
     select * from unnest($1::int8[], $2::int8[], $3::bytea[], $4::bytea[])
     on conflict (account_id) do update set lt = excluded.lt, data_hash = excluded.data_hash,
       boc = excluded.boc`,
    [
      withData.map((one) => one.accountId),
      withData.map((one) => one.lt),
      withData.map((one) => one.dataHash),
      withData.map((one) => one.data),
    ],
  )
  const states = [ids, held.map((one) => one.lt), held.map((one) => one.dataHash)]
  await client.query(
    `update contract_data r set lt = h.lt
     from unnest($1::int8[], $2::int8[], $3::bytea[]) as h(account_id, lt, data_hash)
     where r.account_id = h.account_id and r.data_hash = h.data_hash and r.lt <> h.lt`,
    states,
  )
  await client.query(
    `delete from contract_data r
     using unnest($1::int8[], $2::int8[], $3::bytea[]) as h(account_id, lt, data_hash)
     where r.account_id = h.account_id and r.data_hash is distinct from h.data_hash`,
    states,
  )
  await client.query(`${DROP_SUPERSEDED_DATA} and r.account_id = any ($1::int8[])`, [ids])
}
