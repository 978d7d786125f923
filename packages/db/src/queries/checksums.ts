import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** What two databases with the same rows of a table have in common. */
export interface TableChecksum {
  readonly rows: bigint
  /** Decimal; equal for equal sets of rows, whatever their order on disk. */
  readonly checksum: string
}

/** Tables filled by writing blocks; their content follows from the blocks alone. */
export const CHECKED_TABLES = [
  'accounts',
  'blocks',
  'transactions',
  'messages',
  'latest_account_states',
  'codes',
  'account_data',
  'traces',
  'trace_pieces',
  'indexed_ranges',
  'network',
] as const

/** Tables that workers derive from the others; equal once `unclassified_traces` is empty. */
export const CLASSIFIED_TABLES = ['actions', 'action_accounts', 'classification_failures'] as const

interface Exception {
  readonly reason: string
  /** The rows that follow from the chain nevertheless. */
  readonly except?: string
}

const QUEUE = 'work that waits, with times and leases; empty once everything is done'
const PROOFS = 'how far proofs were checked, and when'
const OFF_CHAIN = 'documents from outside the chain'

/**
 * Tables whose rows depend on more than the chain. All others are a function of the indexed blocks, and
 * of the network's state of contracts that these rely on but do not touch.
 */
export const TABLES_OF_PROGRESS: Readonly<Record<string, Exception>> = {
  schema_migrations: { reason: 'when each migration ran' },
  schema_migrations_lock: { reason: "kysely's own" },
  ingest_status: { reason: 'what a process knew of the head, and when' },
  full_node_reports: { reason: 'what a process knew of full nodes, and when' },
  quarantine: { reason: 'when it was put there, and which version tried last' },
  refresh_queue: { reason: QUEUE },
  naming_queue: { reason: QUEUE },
  event_queue: { reason: QUEUE },
  unclassified_traces: { reason: QUEUE },
  changed_facts: { reason: QUEUE },
  missing_states: { reason: QUEUE },
  hidden_currencies: { reason: QUEUE },
  asked_facts: { reason: 'also what a trace asked for when less was known; it is classified once more then' },
  contract_methods: {
    reason: 'also of codes that an examined state had and no newest state has',
    except: 'code_hash in (select code_hash from latest_account_states)',
  },
  trusted_key_blocks: { reason: PROOFS },
  proved_block: { reason: PROOFS },
  linked_ranges: { reason: PROOFS },
  proof_conflicts: { reason: PROOFS },
  address_metadata: { reason: OFF_CHAIN },
  address_metadata_flags: { reason: OFF_CHAIN },
  metadata_overrides: { reason: 'what the operator set' },
  metadata_queue: { reason: QUEUE },
  metadata_fetcher: { reason: 'when the process was there' },
  mintless_claims: { reason: OFF_CHAIN },
  mintless_jettons: { reason: OFF_CHAIN },
  api_keys: { reason: 'what the operator set' },
  sent_messages: { reason: 'what clients sent' },
  webhooks: { reason: 'what the operator set, and how delivery goes' },
  webhook_secrets: { reason: 'what the operator set' },
  webhook_accounts: { reason: 'what the operator set' },
  webhook_outbox: { reason: QUEUE },
  pending_traces: { reason: 'what clients sent' },
  archived_partitions: { reason: 'what the operator moved' },
  hash_filters: { reason: 'which partitions are finished' },
  hash_filter_bits: { reason: 'which partitions are finished' },
  watched: { reason: 'what the operator set' },
  partial_ranges: { reason: 'when the operator set it' },
  undecided_traces: { reason: QUEUE },
  watch_pass: { reason: QUEUE },
}

/** Columns that depend on more than the chain, in whatever table. */
const COLUMNS_OF_PROGRESS: Readonly<Record<string, string>> = {
  activity: 'also periods whose rows were dropped, or from before it was kept',
  row_no: 'the order in which this database got the rows, in which TON Center lists them',
}

/** Tables of the database's catalogue without those of progress. Partitions belong to their tables. */
export async function derivedTables(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname collate "C"`.execute(db)
  return rows
    .map(({ name }) => name)
    .filter((name) => !TABLES_OF_PROGRESS[name] || TABLES_OF_PROGRESS[name].except !== undefined)
}

/**
 * A checksum per table over all columns except those of progress: the sum of the rows' hashes (each half of
 * MD5 separately), so that neither the order nor the partitions of rows matter. Reads everything.
 */
export async function tableChecksums(
  db: Db,
  tables: readonly string[] = CHECKED_TABLES,
): Promise<ReadonlyMap<string, TableChecksum>> {
  const checksums = new Map<string, TableChecksum>()
  for (const table of tables) checksums.set(table, await checksumOf(db, table))
  return checksums
}

/** The rows that the table's checksum is made of, as text, columns in the order of their names. */
export async function checkedRows(db: Db, table: string): Promise<readonly string[]> {
  const columns = await columnsOf(db, table)
  const where = sql.raw(TABLES_OF_PROGRESS[table]?.except ?? 'true')
  const { rows } = await sql<{ text: string }>`
    select row(${sql.join(columns.map((column) => sql.ref(column)))})::text as text
    from ${sql.table(table)} where ${where}`.execute(db)
  return rows.map(({ text }) => text)
}

async function checksumOf(db: Db, table: string): Promise<TableChecksum> {
  const columns = await columnsOf(db, table)
  const where = sql.raw(TABLES_OF_PROGRESS[table]?.except ?? 'true')
  const { rows } = await sql<{ rows: bigint; checksum: string }>`
    select count(*) as rows, concat(sum(('x' || left(hash, 16))::bit(64)::bigint), ':',
      sum(('x' || right(hash, 16))::bit(64)::bigint)) as checksum
    from (select md5(row(${sql.join(columns.map((column) => sql.ref(column)))})::text) as hash
      from ${sql.table(table)} where ${where}) hashes
  `.execute(db)
  return rows[0]!
}

/** Ordered by name, so that the hash does not depend on the order of columns. */
async function columnsOf(db: Db, table: string): Promise<readonly string[]> {
  // Of the catalog itself: the view of the standard takes ten times as long.
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attname`.execute(db)
  return rows.map(({ name }) => name).filter((column) => !COLUMNS_OF_PROGRESS[column])
}
