import type { RawAddress } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { findAccountIds } from '../queries/accounts.ts'
import { addressKey } from '../rows/account-ids.ts'
import { unlessMigrated } from '../schema-version.ts'
import type { MetadataTask } from './queue.ts'
import { type TokenType, typeNumber } from './token-types.ts'

/** Metadata of a token, without NUL characters and lone surrogates, which PostgreSQL rejects. */
export interface StoredMetadata {
  readonly name?: string
  readonly symbol?: string
  readonly description?: string
  readonly image?: string
  readonly extra: Readonly<Record<string, unknown>>
}

/** Stores the metadata of a claimed task and completes it. Throws `SchemaTooNew`. */
export async function saveMetadata(
  db: Db,
  task: MetadataTask,
  { record, lifetimeSeconds }: { readonly record: StoredMetadata; readonly lifetimeSeconds: number },
): Promise<void> {
  const save = sql`
    with done as (${doneWith(task)})
    insert into address_metadata (account_id, type, valid, name, symbol, description, image, extra,
      source_hash, updated_at, expires_at)
    values (${task.accountId}, ${typeNumber(task.type)}, true, ${record.name ?? null},
      ${record.symbol ?? null}, ${record.description ?? null}, ${record.image ?? null},
      ${JSON.stringify(record.extra)}::jsonb, ${task.sourceHash}, now(), ${later(lifetimeSeconds)})
    on conflict (account_id, type) do update set valid = true, name = excluded.name, symbol = excluded.symbol,
      description = excluded.description, image = excluded.image, extra = excluded.extra,
      source_hash = excluded.source_hash, updated_at = excluded.updated_at,
      expires_at = excluded.expires_at`
  await unlessMigrated(db, (transaction) => save.execute(transaction))
}

/**
 * Completes a claimed task after its last attempt. The last valid values remain if the on-chain content is
 * unchanged; otherwise `fallback` (on-chain values alone) is stored, or, without one, a row without values.
 * Throws `SchemaTooNew`.
 */
export async function failMetadata(
  db: Db,
  task: MetadataTask,
  {
    fallback,
    againSeconds,
  }: { readonly fallback: StoredMetadata | undefined; readonly againSeconds: number },
): Promise<void> {
  const save = sql`
    with done as (${doneWith(task)})
    insert into address_metadata as m (account_id, type, valid, name, symbol, description, image, extra,
      source_hash, updated_at, expires_at)
    values (${task.accountId}, ${typeNumber(task.type)}, ${fallback !== undefined}, ${fallback?.name ?? null},
      ${fallback?.symbol ?? null}, ${fallback?.description ?? null}, ${fallback?.image ?? null},
      ${fallback ? JSON.stringify(fallback.extra) : null}::jsonb, ${task.sourceHash}, now(),
      ${later(againSeconds)})
    on conflict (account_id, type) do update set expires_at = excluded.expires_at,
      valid = case when ${KEEP} then m.valid else excluded.valid end,
      name = case when ${KEEP} then m.name else excluded.name end,
      symbol = case when ${KEEP} then m.symbol else excluded.symbol end,
      description = case when ${KEEP} then m.description else excluded.description end,
      image = case when ${KEEP} then m.image else excluded.image end,
      extra = case when ${KEEP} then m.extra else excluded.extra end,
      updated_at = case when ${KEEP} then m.updated_at else excluded.updated_at end,
      source_hash = excluded.source_hash`
  await unlessMigrated(db, (transaction) => save.execute(transaction))
}

const KEEP = sql.raw('(m.valid and m.source_hash = excluded.source_hash)')
const later = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`

/** Does nothing when the task has been queued again in the meantime. */
const doneWith = (task: MetadataTask) => sql`
  delete from metadata_queue where account_id = ${task.accountId} and type = ${typeNumber(task.type)}
    and attempts = ${task.attempts}`

/** Content of a token that the operator sets, by attributes of TEP-64. */
export interface MetadataOverride {
  readonly address: RawAddress
  readonly type: TokenType
  readonly content: Readonly<Record<string, unknown>>
}

/**
 * Stores content that overrides on-chain content, and queues tokens whose override changed. `unknown`: number
 * of addresses that are not indexed; import their overrides again later.
 */
export async function importOverrides(
  db: Db,
  overrides: readonly MetadataOverride[],
  note: string,
): Promise<{ readonly changed: number; readonly unknown: number }> {
  const ids = await findAccountIds(
    db,
    overrides.map((override) => override.address),
  )
  let changed = 0
  let unknown = 0
  for (const { address, type, content } of overrides) {
    const id = ids.get(addressKey(address))
    if (id === undefined) {
      unknown++
      continue
    }
    const { numAffectedRows } = await sql`
      with changed as (
        insert into metadata_overrides as o (account_id, type, content, note)
        values (${id}, ${typeNumber(type)}, ${JSON.stringify(content)}::jsonb, ${note})
        on conflict (account_id, type) do update set content = excluded.content, note = excluded.note,
          updated_at = now()
        where o.content <> excluded.content returning account_id, type)
      insert into metadata_queue (account_id, type, priority, due_at, source_hash)
      select account_id, type, 0, now(), ''::bytea from changed
      on conflict (account_id, type) do update set due_at = now(), attempts = 0`.execute(db)
    changed += Number(numAffectedRows ?? 0n)
  }
  return { changed, unknown }
}
